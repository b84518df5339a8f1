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
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ReadingView } from './reading-view.tsx';
import { optionsOf, SelectField } from './select.tsx';

/** Those that most access control systems report. `other`: typed. */
const TRIGGERS = [
  { value: 'PanicButtonEvent', title: 'A panic button is pressed' },
  { value: 'ButtonEvent', title: 'A button is pressed' },
  { value: 'AccessControlUnitTamperEvent', title: 'A controller is tampered with' },
  { value: '', title: 'Anything is reported' },
  { value: 'other', title: 'Another activity…' },
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
      title="Add lockdown rule"
      submit="Add rule"
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
      <TextField label="Name" isRequired maxLength={256} value={name} onValue={setName} />
      <SelectField
        label="Location"
        value={location}
        options={optionsOf(locationNames)}
        onValue={(choice) => {
          setLocation(choice);
          setDoorUuids([]);
        }}
      />
      <SelectField label="When" value={trigger} options={TRIGGERS} onValue={setTrigger} />
      {trigger === 'other' && (
        <TextField
          label="Activity"
          isRequired
          maxLength={128}
          value={activity}
          onValue={setActivity}
          hint="As it is reported, such as MOTION_HUMAN"
        />
      )}
      <fieldset>
        <legend>Then</legend>
        <Check label="Raise an alert" isChecked={raisesAlert} onCheck={setRaisesAlert} />
        <DoorChoice locationUuid={location} chosen={doorUuids} onChoice={setDoorUuids} />
        {doorUuids.length > 0 && (
          <SelectField
            label="State of these doors"
            value={doorState}
            options={(['ACCESS_CONTROLLED', 'UNLOCKED'] as const).map((state) => ({
              value: state,
              title: accessStateText(state),
            }))}
            onValue={setDoorState}
          />
        )}
        <TextField
          label="Call a webhook"
          type="url"
          value={webhookUrl}
          onValue={setWebhookUrl}
          hint="Its address; empty: none"
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
    <ReadingView reading={reading} what="doors">
      {(doors) => {
        const here = doors.filter((door) => door.locationUuid === locationUuid);
        if (here.length === 0) return <p class="hint">This location has no doors to set.</p>;
        return (
          <div class="check-list" role="group" aria-label="Set doors">
            {here.map(({ uuid, name }) => (
              <Check
                key={uuid}
                label={`Set ${name ?? uuid}`}
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
      title="Delete this lockdown rule?"
      submit="Delete rule"
      isDanger
      onSubmit={async () => {
        await deleteLockdownRule(rule);
        onDeleted();
        onClose();
      }}
      onClose={onClose}
    >
      <p class="break">
        <b>{rule.ruleName}</b> no longer runs. Calls that it has already triggered are still made.
      </p>
    </FormDialog>
  );
}
