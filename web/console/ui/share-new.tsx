/** The dialog that shares a camera or a wall. */

import { useMemo, useState } from 'preact/hooks';
import { type Expiry, expirationTimeSecs, expiryFault } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { strengthOf } from '../password.ts';
import { createShare, type ShareOffer, type ShareTarget } from '../share-state.ts';
import { Check } from './check.tsx';
import { Dialog } from './dialog.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { PasswordField } from './password-field.tsx';
import { type ScheduleChoice, ScheduleField } from './schedule-field.tsx';
import { SelectField, type SelectOption } from './select.tsx';
import { SignInCheck } from './sign-in-check.tsx';
import { useAction } from './use-action.ts';

const DAY_SEC = 86_400;
const MAX_NAME_CHARS = 256;

export function NewShareDialog({
  read,
  targetUuid,
  onClose,
  onCreated,
}: {
  readonly read: ShareOffer;
  /** Chosen already; empty: the first. */
  readonly targetUuid: string;
  readonly onClose: () => void;
  /** `password` empty: it has none. */
  readonly onCreated: (uuid: string, password: string) => void;
}) {
  const [target, setTarget] = useState<ShareTarget>(
    read.targets.find(({ uuid }) => uuid === targetUuid) ?? read.targets[0]!,
  );
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'in', sec: DAY_SEC });
  const [password, setPassword] = useState('');
  const [schedule, setSchedule] = useState<ScheduleChoice>({ scheduleUuid: null, invertSchedule: false });
  const [isMuted, setIsMuted] = useState(false);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  // There can be a thousand, and the dialog is shown again with each letter that is typed.
  const groups = useMemo(
    () => [
      { title: 'Cameras', options: optionsOf(read.targets, 'camera') },
      { title: 'Video walls', options: optionsOf(read.targets, 'wall') },
    ],
    [read],
  );

  const submit = () => {
    const found = expiryFault(expiry, gatewayNowMs());
    setFault(found);
    if (found !== null) return;
    // A password of blanks counts as none; any other text counts as typed.
    const given = strengthOf(password) === 'none' ? '' : password;
    void run(async () => {
      const uuid = await createShare({
        target,
        name,
        password: given,
        hasSound: !isMuted,
        needsSignIn,
        ...schedule,
        expirationTimeSecs: expirationTimeSecs(expiry),
      });
      onCreated(uuid, given);
    });
  };

  return (
    <Dialog title="New share" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <SelectField
          label="What to share"
          value={target.uuid}
          options={[]}
          groups={groups}
          onValue={(value) => setTarget(read.targets.find(({ uuid }) => uuid === value)!)}
        />
        {target.kind === 'camera' && (
          <TextField
            label="Name"
            hint={`Viewers read it. Empty: ${target.name}`}
            maxLength={MAX_NAME_CHARS}
            value={name}
            onValue={setName}
          />
        )}
        <ExpiryField expiry={expiry} error={fault} onExpiry={setExpiry} />
        <PasswordField label="Password" value={password} onValue={setPassword} />
        <ScheduleField
          choice={schedule}
          schedules={read.schedules}
          cameraUuids={target.kind === 'camera' ? [target.uuid] : []}
          onChoice={setSchedule}
        />
        {target.kind === 'camera' && (
          <>
            <Check
              label="Without sound"
              hint="This cannot be changed later."
              isChecked={isMuted}
              onCheck={setIsMuted}
            />
            <SignInCheck isChecked={needsSignIn} onCheck={setNeedsSignIn} />
          </>
        )}
        <FormError error={error} />
        <footer>
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Creating…' : 'Create link'}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function optionsOf(targets: readonly ShareTarget[], kind: ShareTarget['kind']): SelectOption[] {
  return targets
    .filter((target) => target.kind === kind)
    .map(({ uuid, name }) => ({ value: uuid, title: name }));
}
