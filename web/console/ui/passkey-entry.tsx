/** The ways in by passkey: at the entrance, and for someone who is invited. What browsers do with them is loaded when it is needed. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../api.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

const loadPasskeys = () => import('../passkeys.ts');

/** Runs one attempt at a time, and shows why it failed. */
type Enter = (attempt: () => Promise<void>) => Promise<void>;

/** Also offers passkeys where the browser fills in the email address. */
export function PasskeySignIn({ isBusy, enter }: { readonly isBusy: boolean; readonly enter: Enter }) {
  const obstacle = useObstacle();
  const offer = useRef<AbortController | null>(null);
  const begin = async () => {
    const mine = new AbortController();
    offer.current = mine;
    try {
      const { offerPasskeys } = await loadPasskeys();
      if (!mine.signal.aborted) await offerPasskeys(mine.signal);
    } catch (thrown) {
      if (!(thrown instanceof CallError) || mine.signal.aborted) return;
      // It is not offered again: the browser would fill in the same one.
      await enter(() => Promise.reject(thrown));
    }
  };
  useEffect(() => {
    if (obstacle !== null) return;
    void begin();
    return () => offer.current?.abort();
  }, [obstacle]);
  return (
    <PasskeyWay
      obstacle={obstacle}
      title={t('Sign in with a passkey')}
      isBusy={isBusy}
      onClick={async () => {
        // A browser asks for one passkey at a time.
        offer.current?.abort();
        const { signInWithPasskey } = await loadPasskeys();
        await enter(signInWithPasskey);
        void begin();
      }}
    />
  );
}

export function PasskeyJoin({
  inviteToken,
  name,
  isBusy,
  enter,
}: {
  readonly inviteToken: string;
  readonly name: string;
  readonly isBusy: boolean;
  readonly enter: Enter;
}) {
  return (
    <PasskeyWay
      obstacle={useObstacle()}
      title={t('Join with a passkey')}
      isBusy={isBusy}
      onClick={async (button) => {
        const nameField = button.form?.querySelector<HTMLInputElement>('[autocomplete="name"]');
        if (nameField?.reportValidity() === false) return;
        const { joinWithPasskey } = await loadPasskeys();
        await enter(() => joinWithPasskey(inviteToken, name));
      }}
    />
  );
}

function PasskeyWay({
  obstacle,
  title,
  isBusy,
  onClick,
}: {
  /** Undefined: not known yet. */
  readonly obstacle: string | null | undefined;
  readonly title: string;
  readonly isBusy: boolean;
  readonly onClick: (button: HTMLButtonElement) => Promise<void>;
}) {
  if (typeof obstacle === 'string')
    return <p class="hint other-way">{t('{obstacle} Use a password.', { obstacle })}</p>;
  return (
    <div class="other-way">
      <p class="or">{t('or')}</p>
      <button
        type="button"
        disabled={isBusy || obstacle === undefined}
        onClick={({ currentTarget }) => void onClick(currentTarget)}
      >
        <Icon name="key" /> {title}
      </button>
    </div>
  );
}

/** Undefined: not known yet. */
function useObstacle(): string | null | undefined {
  const [obstacle, setObstacle] = useState<string | null>();
  useEffect(() => {
    void loadPasskeys().then(
      ({ obstacleHere }) => setObstacle(obstacleHere()),
      () => setObstacle(t('Passkeys could not be loaded. Reload the page.')),
    );
  }, []);
  return obstacle;
}
