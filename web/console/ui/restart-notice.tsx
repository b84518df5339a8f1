/** What waits for a restart, and the restart. */

import { useState } from 'preact/hooks';
import type { Settings } from '../gateway-state.ts';
import { RestartDialog } from './restart-dialog.tsx';

const IGNORED: Readonly<Record<NonNullable<Settings['ignoredBecause']>, string>> = {
  option:
    'The gateway was started without them. Correct what was wrong, and restart it here to use them again.',
  invalid: 'They do not fit the configuration file.',
  unreadable: 'What was saved is damaged.',
  start: 'The gateway did not start with them, so it runs with the file alone.',
};

export function RestartNotice({ settings }: { readonly settings: Settings }) {
  const [isAsking, setIsAsking] = useState(false);
  const [isUnseen, setIsUnseen] = useState(false);
  const { ignoredBecause, ignoredDetail } = settings;
  const pending = settings.settings.filter(({ isPending }) => isPending).map(({ path }) => path);
  if (ignoredBecause === undefined && pending.length === 0) return null;
  return (
    <section class="restart-notice" aria-label="Waits for a restart">
      {ignoredBecause !== undefined ? (
        <>
          <h2>The settings saved here are not in effect</h2>
          <p>{IGNORED[ignoredBecause]}</p>
          {ignoredDetail !== undefined && <p class="break">{ignoredDetail}</p>}
        </>
      ) : (
        <>
          <h2>
            {pending.length === 1
              ? '1 setting waits for a restart'
              : `${pending.length} settings wait for a restart`}
          </h2>
          <p class="break">{pending.join(', ')}</p>
        </>
      )}
      <button type="button" class="primary" onClick={() => setIsAsking(true)}>
        Restart the gateway…
      </button>
      {isUnseen && (
        <p class="form-error" role="alert">
          The gateway has not responded at this address for 90 seconds. If you changed its address, open the
          console there. Otherwise, look at its log.
        </p>
      )}
      {isAsking && <RestartDialog onUnseen={() => setIsUnseen(true)} onClose={() => setIsAsking(false)} />}
    </section>
  );
}
