/** Asks someone who is signed in who they are: with the password, or with a passkey. */

import { useState } from 'preact/hooks';
import { confirmWithPasskey, confirmWithPassword } from '../passkeys.ts';
import type { Person } from '../session.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { useAction } from './use-action.ts';

export function ConfirmDialog({
  person,
  hasPasskey,
  onConfirmed,
  onClose,
}: {
  readonly person: Person;
  /** Whether they have a passkey that works here. */
  readonly hasPasskey: boolean;
  readonly onConfirmed: () => void;
  readonly onClose: () => void;
}) {
  const [password, setPassword] = useState('');
  const { isBusy, error, run } = useAction();
  const { hasPassword } = person;
  return (
    <Dialog title={t('Is it you?')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (hasPassword) void run(() => confirmWithPassword(password).then(onConfirmed));
        }}
      >
        <div class="dialog-body">
          <p>
            {hasPassword || hasPasskey
              ? t(
                  'You signed in a while ago. Ways to sign in can be changed only by someone who shows who they are.',
                )
              : t('You signed in a while ago. Sign out and in again to change how you sign in.')}
          </p>
          {hasPassword && (
            <TextField
              label={t('Password')}
              type="password"
              autocomplete="current-password"
              isRequired
              value={password}
              onValue={setPassword}
            />
          )}
          <FormError error={error} />
        </div>
        <DialogFooter onBack={onClose}>
          {hasPasskey && (
            <button
              type="button"
              class={hasPassword ? 'button' : 'primary button'}
              disabled={isBusy}
              onClick={() => void run(() => confirmWithPasskey().then(onConfirmed))}
            >
              <Icon name="key" /> {t('Use a passkey')}
            </button>
          )}
          {hasPassword && <SubmitButton text={t('Confirm')} isBusy={isBusy} />}
        </DialogFooter>
      </form>
    </Dialog>
  );
}
