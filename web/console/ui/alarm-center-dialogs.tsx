/** Dialogs about one alarm center: its form, a test of it, and its end. */

import { useState } from 'preact/hooks';
import {
  ALARM_FORMATS,
  type AlarmCenter,
  type AlarmCenterDraft,
  type AlarmCenters,
  type AlarmInput,
  FORMAT_HINTS,
  freeInput,
  LEVELS,
  NEW_CENTER,
  removeAlarmCenter,
  saveAlarmCenter,
  testAlarmCenter,
} from '../alarm-center-list.ts';
import { readMailSettings } from '../mail-list.ts';
import { useReading } from '../reading.ts';
import { t, tRich } from '../words.ts';
import { Check } from './check.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';
import { SendTest } from './mail-test.tsx';
import { OptionList } from './option-list.tsx';
import { ReadingView } from './reading-view.tsx';
import { optionsOf, Select, SelectField } from './select.tsx';

const MAX_NAME_CHARS = 256;

export type OpenedAlarmCenter =
  | { readonly kind: 'edit'; readonly center: AlarmCenter | undefined }
  | { readonly kind: 'test' | 'remove'; readonly center: AlarmCenter };

export function AlarmCenterDialog({
  opened,
  known,
  changed,
  onClose,
}: {
  readonly opened: OpenedAlarmCenter;
  readonly known: AlarmCenters;
  readonly changed: () => void;
  readonly onClose: () => void;
}) {
  const done = () => {
    changed();
    onClose();
  };
  switch (opened.kind) {
    case 'edit':
      return <EditDialog center={opened.center} known={known} onSaved={done} onClose={onClose} />;
    case 'test':
      return <TestDialog center={opened.center} known={known} onTested={changed} onClose={onClose} />;
    case 'remove':
      return (
        <FormDialog
          title={t('Remove this alarm center?')}
          submit={t('Remove alarm center')}
          isDanger
          onSubmit={() => removeAlarmCenter(opened.center).then(done)}
          onClose={onClose}
        >
          <p class="break">
            {tRich('<b>{name}</b> gets no more alerts. Mails that wait are not sent.', {
              name: opened.center.name,
              b: (text) => <b>{text}</b>,
            })}
          </p>
        </FormDialog>
      );
  }
}

function EditDialog({
  center,
  known: { cameras, siteNames },
  onSaved,
  onClose,
}: {
  readonly center: AlarmCenter | undefined;
  readonly known: AlarmCenters;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState<AlarmCenterDraft>(() => {
    if (center === undefined) return NEW_CENTER;
    const { alarmReceiverUuid: _, ...rest } = center;
    return rest;
  });
  const set = (change: Partial<AlarmCenterDraft>) => setDraft((old) => ({ ...old, ...change }));
  const isEverywhere = draft.locationUuids.length === 0;
  const [isChoosing, setIsChoosing] = useState(!isEverywhere);
  const chosen = new Set(draft.locationUuids);
  const setLevel = (level: string) =>
    setDraft(({ minValidationLevel: _, ...rest }) =>
      level === '' ? rest : { ...rest, minValidationLevel: Number(level) },
    );
  return (
    <FormDialog
      title={center === undefined ? t('New alarm center') : t('Edit alarm center')}
      submit={center === undefined ? t('Add alarm center') : t('Save')}
      onSubmit={() => saveAlarmCenter(center?.alarmReceiverUuid, draft).then(onSaved)}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        isRequired
        maxLength={MAX_NAME_CHARS}
        value={draft.name}
        onValue={(name) => set({ name })}
      />
      <SelectField
        label={t('Its software')}
        hint={FORMAT_HINTS[draft.format]}
        value={draft.format}
        options={ALARM_FORMATS}
        onValue={(format) => set({ format })}
      />
      <TextField
        label={t('Email address')}
        type="email"
        hint={t('Empty: only cameras with an address of their own send alerts.')}
        value={draft.address ?? ''}
        onValue={(address) => set({ address })}
      />
      <SelectField
        label={t('Which alerts')}
        hint={t(
          'Levels of AVS-01, which your analytics report with an alert. Alerts without one count as none.',
        )}
        value={String(draft.minValidationLevel || '')}
        options={LEVELS}
        onValue={setLevel}
      />
      <fieldset class="rights">
        <legend>{t('From')}</legend>
        <Check
          label={t('All sites')}
          isChecked={!isChoosing}
          onCheck={(isAll) => {
            setIsChoosing(!isAll);
            if (isAll) set({ locationUuids: [] });
          }}
        />
        {isChoosing && (
          <>
            {isEverywhere && (
              <p class="hint">{t('Choose a site. Without one, alerts of all sites count.')}</p>
            )}
            <div class="option-box">
              <OptionList
                label={t('sites')}
                options={optionsOf(siteNames)}
                chosen={chosen}
                isMultiple
                onPick={(uuid) =>
                  set({
                    locationUuids: chosen.has(uuid)
                      ? draft.locationUuids.filter((each) => each !== uuid)
                      : [...draft.locationUuids, uuid],
                  })
                }
              />
            </div>
          </>
        )}
      </fieldset>
      <Inputs
        inputs={draft.inputs}
        cameraNames={new Map(cameras.map(({ uuid, name }) => [uuid, name]))}
        onInputs={(inputs) => set({ inputs })}
      />
      <Check
        label={t('Gets alerts')}
        hint={t('Turn it off for a while without losing its settings.')}
        isChecked={!draft.disabled}
        onCheck={(isOn) => set({ disabled: !isOn })}
      />
    </FormDialog>
  );
}

/** Cameras with a number or an address of their own. */
function Inputs({
  inputs,
  cameraNames,
  onInputs,
}: {
  readonly inputs: readonly AlarmInput[];
  readonly cameraNames: ReadonlyMap<string, string>;
  readonly onInputs: (inputs: readonly AlarmInput[]) => void;
}) {
  const used = new Set(inputs.map(({ deviceUuid }) => deviceUuid));
  const free = [...cameraNames].filter(([uuid]) => !used.has(uuid));
  const change = (at: number, input: AlarmInput | null) =>
    onInputs(inputs.flatMap((each, index) => (index === at ? (input === null ? [] : [input]) : [each])));
  return (
    <fieldset class="alarm-inputs">
      <legend>{t('Cameras with a number of their own')}</legend>
      {inputs.map((input, at) => {
        const name = cameraNames.get(input.deviceUuid) ?? t('Removed camera');
        return (
          <div class="alarm-input" key={input.deviceUuid} role="group" aria-label={name}>
            <b class="break">{name}</b>
            <button
              type="button"
              class="quiet square"
              aria-label={t('Remove {name}', { name })}
              onClick={() => change(at, null)}
            >
              <Icon name="close" />
            </button>
            <div class="field">
              <label for={`input-${at}`}>{t('Number')}</label>
              <input
                id={`input-${at}`}
                type="number"
                min={1}
                max={99_999}
                required
                value={input.input}
                onInput={({ currentTarget }) =>
                  change(at, { ...input, input: currentTarget.valueAsNumber || 1 })
                }
              />
            </div>
            <TextField
              label={t('Own address')}
              type="email"
              value={input.address ?? ''}
              onValue={(address) => change(at, { ...input, address })}
            />
          </div>
        );
      })}
      {free.length > 0 && (
        <Select
          label={t('Add a camera')}
          value=""
          options={[{ value: '', title: t('Add a camera…') }, ...optionsOf(free)]}
          onValue={(deviceUuid) => {
            if (deviceUuid !== '') onInputs([...inputs, { deviceUuid, input: freeInput(inputs) }]);
          }}
        />
      )}
    </fieldset>
  );
}

function TestDialog({
  center,
  known: { cameras },
  onTested,
  onClose,
}: {
  readonly center: AlarmCenter;
  readonly known: AlarmCenters;
  readonly onTested: () => void;
  readonly onClose: () => void;
}) {
  const [cameraUuid, setCameraUuid] = useState('');
  const settings = useReading(readMailSettings, []);
  return (
    <Dialog title={t('Test {name}', { name: center.name })} onClose={onClose}>
      <div class="dialog-body">
        <ReadingView reading={settings} what={t('the mail settings')}>
          {({ isSetUp }) =>
            isSetUp ? (
              <SendTest
                send={() => testAlarmCenter(center.alarmReceiverUuid, cameraUuid)}
                onTested={onTested}
              >
                <p>
                  {t(
                    'One mail goes to the alarm center now, with “TEST, no alarm” as its text. Tell the people there before.',
                  )}
                </p>
                <SelectField
                  label={t('As the camera')}
                  value={cameraUuid}
                  options={[
                    { value: '', title: t('The first one that it gets alerts of') },
                    ...optionsOf(cameras.map(({ uuid, name }) => [uuid, name] as const)),
                  ]}
                  onValue={setCameraUuid}
                />
              </SendTest>
            ) : (
              <p>{t('The gateway sends no mail yet.')}</p>
            )
          }
        </ReadingView>
      </div>
      <DialogFooter back={t('Close')} onBack={onClose} />
    </Dialog>
  );
}
