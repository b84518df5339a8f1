/** The dialog that changes the settings of a door. */

import { useState } from 'preact/hooks';
import { numberText } from '../../words/formats.ts';
import { type AccessState, type Door, updateDoor } from '../door-list.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { SelectField } from './select.tsx';

const MAX_NAME_LENGTH = 256;
/** As the API: one day. */
const MAX_UNLOCK_SEC = 86_400;
const WHOLE_NUMBER = /^\d{1,5}$/;

const UNKNOWN_STATE = { value: '', title: t('Not set') } as const;
const STATES = [
  { value: 'ACCESS_CONTROLLED', title: t('Opens with a badge or code') },
  { value: 'UNLOCKED', title: t('Unlocked') },
] as const;

export function EditDoorDialog({
  door,
  name: shownName,
  onClose,
}: {
  readonly door: Door;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(door.name ?? '');
  const [seconds, setSeconds] = useState(door.unlockTimeSec?.toString() ?? '');
  const [isRemote, setIsRemote] = useState(door.remoteUnlockEnabled ?? false);
  const [state, setState] = useState<AccessState | ''>(door.defaultState ?? '');
  const fault = secondsFault(seconds);
  const submit = async () => {
    if (fault !== null) return;
    await updateDoor(door, {
      name: name.trim(),
      remoteUnlockEnabled: isRemote,
      ...(seconds === '' ? {} : { unlockTimeSec: Number(seconds) }),
      ...(state === '' || state === door.defaultState ? {} : { defaultState: state }),
    });
    onClose();
  };
  return (
    <FormDialog
      title={t('Edit {shownName}', { shownName })}
      submit={t('Save')}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="hint">
        {t(
          'The gateway stores these settings for the device that operates the door. It does not operate the door itself.',
        )}
      </p>
      <TextField label={t('Name')} isRequired maxLength={MAX_NAME_LENGTH} value={name} onValue={setName} />
      <SelectField
        label={t('Normal state')}
        value={state}
        options={door.defaultState === undefined ? [UNKNOWN_STATE, ...STATES] : STATES}
        onValue={setState}
      />
      <TextField
        label={t('A badge or code unlocks it for')}
        hint={t('Seconds. Empty: as the device has it')}
        error={fault}
        value={seconds}
        onValue={(value) => setSeconds(value.trim())}
      />
      <Check label={t('Allow remote unlock')} isChecked={isRemote} onCheck={setIsRemote} />
    </FormDialog>
  );
}

function secondsFault(text: string): string | null {
  if (text === '' || (WHOLE_NUMBER.test(text) && Number(text) <= MAX_UNLOCK_SEC)) return null;
  return t('Write a whole number of seconds, {maxUnlockSec} at most.', {
    maxUnlockSec: numberText(MAX_UNLOCK_SEC),
  });
}
