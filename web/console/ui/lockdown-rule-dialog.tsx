/** Creates and deletes lockdown rules. */

import { useState } from 'preact/hooks';
import {
  type AccessState,
  accessStateText,
  createLockdownRule,
  deleteLockdownRule,
  type LockdownRule,
  readDoors,
} from '../door-list.ts';
import { useReading } from '../reading.ts';
import { t, tRich } from '../words.ts';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ReadingView } from './reading-view.tsx';
import { optionsOf, SelectField } from './select.tsx';

/** Those that most access control systems report. `other`: typed. */
const TRIGGERS = [
  { value: 'PanicButtonEvent', title: t('A panic button is pressed') },
  { value: 'ButtonEvent', title: t('A button is pressed') },
  { value: 'AccessControlUnitTamperEvent', title: t('A controller is tampered with') },
  { value: '', title: t('Anything is reported') },
  { value: 'other', title: t('Another activity…') },
] as const;

export function LockdownRuleDialog({
  locationNames,
  locationUuid,
  onCreated,
  onClose,
}: {
  readonly locationNames: ReadonlyMap<string, string>;
  /** Chosen at first. */
  readonly locationUuid: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) {
  const [location, setLocation] = useState(locationUuid);
  const [name, setName] = useState('');
  const [trigger, setTrigger] = useState<string>('PanicButtonEvent');
  const [activity, setActivity] = useState('');
  const [raisesAlert, setRaisesAlert] = useState(true);
  const [webhookUrl, setWebhookUrl] = useState('');
  const [doorUuids, setDoorUuids] = useState<readonly string[]>([]);
  const [doorState, setDoorState] = useState<AccessState>('ACCESS_CONTROLLED');
  return (
    <FormDialog
      title={t('Add lockdown rule')}
      submit={t('Add rule')}
      onSubmit={async () => {
        await createLockdownRule({
          locationUuid: location,
          ruleName: name.trim(),
          raisesAlert,
          webhookUrl: webhookUrl.trim(),
          triggerActivity: trigger === 'other' ? activity.trim() : trigger,
          doorUuids,
          doorState,
        });
        onCreated();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired maxLength={256} value={name} onValue={setName} />
      <SelectField
        label={t('Site')}
        value={location}
        options={optionsOf(locationNames)}
        onValue={(choice) => {
          setLocation(choice);
          setDoorUuids([]);
        }}
      />
      <SelectField label={t('When')} value={trigger} options={TRIGGERS} onValue={setTrigger} />
      {trigger === 'other' && (
        <TextField
          label={t('Activity')}
          isRequired
          maxLength={128}
          value={activity}
          onValue={setActivity}
          hint={t('As the program that reports it names it')}
        />
      )}
      <fieldset>
        <legend>{t('Then')}</legend>
        <Check label={t('Raise an alert')} isChecked={raisesAlert} onCheck={setRaisesAlert} />
        <DoorChoice locationUuid={location} chosen={doorUuids} onChoice={setDoorUuids} />
        {doorUuids.length > 0 && (
          <SelectField
            label={t('State of these doors')}
            value={doorState}
            options={(['ACCESS_CONTROLLED', 'UNLOCKED'] as const).map((state) => ({
              value: state,
              title: accessStateText(state),
            }))}
            onValue={setDoorState}
          />
        )}
        <TextField
          label={t('Call a webhook')}
          type="url"
          value={webhookUrl}
          onValue={setWebhookUrl}
          hint={t('Its address; empty: none')}
        />
      </fieldset>
    </FormDialog>
  );
}

function DoorChoice({
  locationUuid,
  chosen,
  onChoice,
}: {
  readonly locationUuid: string;
  readonly chosen: readonly string[];
  readonly onChoice: (doorUuids: readonly string[]) => void;
}) {
  const reading = useReading(readDoors, []);
  return (
    <ReadingView reading={reading} what={t('doors')}>
      {(doors) => {
        const here = doors.filter((door) => door.locationUuid === locationUuid);
        if (here.length === 0) return <p class="hint">{t('This site has no doors to set.')}</p>;
        return (
          <div class="check-list" role="group" aria-label={t('Set doors')}>
            {here.map(({ uuid, name }) => (
              <Check
                key={uuid}
                label={t('Set {name}', { name: name ?? uuid })}
                isChecked={chosen.includes(uuid)}
                onCheck={(isChecked) =>
                  onChoice(isChecked ? [...chosen, uuid] : chosen.filter((one) => one !== uuid))
                }
              />
            ))}
          </div>
        );
      }}
    </ReadingView>
  );
}

export function DeleteRuleDialog({
  rule,
  onDeleted,
  onClose,
}: {
  readonly rule: LockdownRule;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t('Delete this lockdown rule?')}
      submit={t('Delete rule')}
      isDanger
      onSubmit={async () => {
        await deleteLockdownRule(rule);
        onDeleted();
        onClose();
      }}
      onClose={onClose}
    >
      <p class="break">
        {tRich('<b>{ruleName}</b> no longer runs. Calls that it has already triggered are still made.', {
          ruleName: rule.ruleName,
          b: (text) => <b>{text}</b>,
        })}
      </p>
    </FormDialog>
  );
}
