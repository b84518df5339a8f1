/** Rules that open cameras to a partner when an alert is reported, for administrators. */

import { useState } from 'preact/hooks';
import { triggerText } from '../alert-list.ts';
import { listCameras, listLocations } from '../camera-state.ts';
import {
  deleteRule,
  type EmergencyPartner,
  type EmergencyRule,
  MAX_EMERGENCY_CAMERAS,
  MINUTES,
  minutesText,
  saveRule,
} from '../emergency-list.ts';
import { USUAL_KINDS } from '../notice-choice.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { cameraCount } from './emergency-bar.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { optionsOf, SelectField } from './select.tsx';

type Partners = readonly EmergencyPartner[];
type Opened =
  | { readonly kind: 'edit'; readonly rule: EmergencyRule | null }
  | { readonly kind: 'delete'; readonly rule: EmergencyRule };

const OPENS: Readonly<Record<EmergencyRule['opens'], string>> = {
  camera: t('The camera of the alert'),
  site: t('All cameras of its site, up to 16'),
  chosen: t('Chosen cameras'),
};
const PANIC_BUTTON = 'PANIC_BUTTON';
/** What rules are mostly about. */
const KINDS = [PANIC_BUTTON, ...USUAL_KINDS];
const DEFAULT_MINUTES = 30;

export function EmergencyRules({
  reading,
  partners,
}: {
  readonly reading: ReadingHandle<readonly EmergencyRule[]>;
  readonly partners: ReadingHandle<Partners>;
}) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const known = partners.state.value.kind === 'read' ? partners.state.value.value : [];
  const close = () => setOpened(null);
  const nameOf = (uuid: string) => known.find((each) => each.emergencyPartnerUuid === uuid)?.name ?? '';
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Rules')}</h2>
        {known.length > 0 && (
          <button type="button" onClick={() => setOpened({ kind: 'edit', rule: null })}>
            <Icon name="plus" /> {t('Add rule')}
          </button>
        )}
      </div>
      <ReadingView reading={reading} what={t('rules')}>
        {(rules) =>
          rules.length === 0 ? (
            <Notice title={t('No rule opens cameras')}>
              <p>
                {known.length === 0
                  ? t('Add a partner first.')
                  : t(
                      'A rule opens cameras to a partner when an alert is reported, such as by a panic button.',
                    )}
              </p>
            </Notice>
          ) : (
            <RecordTable
              name="emergency-rules"
              label={t('Rules')}
              items={rules}
              keyOf={({ emergencyRuleUuid }) => emergencyRuleUuid}
              columns={[
                { title: t('Name'), cell: ({ name }) => <b>{name}</b> },
                { title: t('When'), cell: whenText },
                {
                  title: t('Opens'),
                  cell: ({ opens, cameraUuids }) =>
                    opens === 'chosen' ? cameraCount(cameraUuids.length) : OPENS[opens],
                },
                { title: t('To whom'), cell: ({ emergencyPartnerUuid }) => nameOf(emergencyPartnerUuid) },
                {
                  title: t('For how long'),
                  cell: ({ minutes, disabled }) => (disabled ? t('Off') : minutesText(minutes)),
                },
              ]}
              actions={(rule) => (
                <>
                  <button type="button" class="quiet" onClick={() => setOpened({ kind: 'edit', rule })}>
                    {t('Change')}
                  </button>
                  <button
                    type="button"
                    class="quiet danger"
                    onClick={() => setOpened({ kind: 'delete', rule })}
                  >
                    {t('Delete')}
                  </button>
                </>
              )}
            />
          )
        }
      </ReadingView>
      {opened?.kind === 'edit' && (
        <RuleDialog
          rule={opened.rule}
          partners={known}
          onSaved={() => {
            reading.refresh();
            close();
          }}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && (
        <FormDialog
          title={t('Delete {name}?', { name: opened.rule.name })}
          submit={t('Delete')}
          isDanger
          onSubmit={async () => {
            await deleteRule(opened.rule.emergencyRuleUuid);
            reading.refresh();
            close();
          }}
          onClose={close}
        >
          <p>{t('What it opened stays open until its time is over.')}</p>
        </FormDialog>
      )}
    </section>
  );
}

function whenText({ triggers, locationUuids }: EmergencyRule): string {
  const what = triggers.length === 0 ? t('Any alert') : triggers.map(triggerText).join(', ');
  if (locationUuids.length === 0) return what;
  return `${what}, ${t('{count, plural, one {at # site} other {at # sites}}', { count: locationUuids.length })}`;
}

function RuleDialog({
  rule,
  partners,
  onSaved,
  onClose,
}: {
  readonly rule: EmergencyRule | null;
  readonly partners: Partners;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(rule?.name ?? '');
  const [partnerUuid, setPartnerUuid] = useState(
    rule?.emergencyPartnerUuid ?? partners[0]!.emergencyPartnerUuid,
  );
  const [minutes, setMinutes] = useState(String(rule?.minutes ?? DEFAULT_MINUTES));
  const [triggers, setTriggers] = useState<readonly string[]>(rule?.triggers ?? [PANIC_BUTTON]);
  const [others, setOthers] = useState('');
  const [locationUuid, setLocationUuid] = useState(rule?.locationUuids[0] ?? '');
  const [opens, setOpens] = useState<EmergencyRule['opens']>(rule?.opens ?? 'camera');
  const [cameraUuids, setCameraUuids] = useState<readonly string[]>(rule?.cameraUuids ?? []);
  const [isOn, setIsOn] = useState(rule?.disabled !== true);
  const reading = useReading(async (signal) => {
    const [cameras, locations] = await Promise.all([listCameras(signal), listLocations(signal)]);
    return { cameras, locations };
  }, []);
  const otherSites = rule?.locationUuids.slice(1) ?? [];
  return (
    <FormDialog
      title={rule === null ? t('Add rule') : t('Change rule')}
      submit={t('Save')}
      isReady={opens !== 'chosen' || cameraUuids.length > 0}
      onSubmit={async () => {
        await saveRule({
          ...(rule === null ? {} : { emergencyRuleUuid: rule.emergencyRuleUuid }),
          ...(rule?.minValidationLevel === undefined ? {} : { minValidationLevel: rule.minValidationLevel }),
          name: name.trim(),
          emergencyPartnerUuid: partnerUuid,
          minutes: Number(minutes),
          triggers: [...new Set([...triggers, ...others.split(/[\s,;]+/).filter((each) => each !== '')])],
          locationUuids: locationUuid === '' ? [] : [locationUuid, ...otherSites],
          opens,
          cameraUuids: [...cameraUuids],
          disabled: !isOn,
        });
        onSaved();
      }}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired maxLength={256} value={name} onValue={setName} />
      <fieldset>
        <legend>{t('When one of these is reported')}</legend>
        <div class="check-list">
          {[...new Set([...KINDS, ...(rule?.triggers ?? [])])].map((kind) => (
            <Check
              key={kind}
              label={triggerText(kind)}
              isChecked={triggers.includes(kind)}
              onCheck={(isChecked) =>
                setTriggers(isChecked ? [...triggers, kind] : triggers.filter((each) => each !== kind))
              }
            />
          ))}
        </div>
        <TextField
          label={t('Other kinds')}
          value={others}
          onValue={setOthers}
          hint={t('As the program that reports them names them. If nothing is chosen, every alert counts.')}
        />
      </fieldset>
      <ReadingView reading={reading} what={t('cameras')}>
        {({ cameras, locations }) => (
          <>
            <SelectField
              label={t('Site')}
              value={locationUuid}
              options={[{ value: '', title: t('All sites') }, ...optionsOf(locations)]}
              onValue={setLocationUuid}
            />
            <SelectField
              label={t('Opens')}
              value={opens}
              options={optionsOf(Object.entries(OPENS) as [EmergencyRule['opens'], string][])}
              onValue={setOpens}
            />
            {opens === 'chosen' && (
              <div class="check-list" role="group" aria-label={t('Cameras')}>
                {cameras.map(({ uuid, name: camera }) => (
                  <Check
                    key={uuid}
                    label={camera}
                    isChecked={cameraUuids.includes(uuid)}
                    onCheck={(isChecked) => {
                      if (!isChecked) setCameraUuids(cameraUuids.filter((each) => each !== uuid));
                      else if (cameraUuids.length < MAX_EMERGENCY_CAMERAS)
                        setCameraUuids([...cameraUuids, uuid]);
                    }}
                  />
                ))}
              </div>
            )}
          </>
        )}
      </ReadingView>
      <SelectField
        label={t('To whom')}
        value={partnerUuid}
        options={partners.map(({ emergencyPartnerUuid: value, name: title }) => ({ value, title }))}
        onValue={setPartnerUuid}
      />
      <SelectField
        label={t('For how long')}
        value={minutes}
        options={[...new Set([...MINUTES.map(String), minutes])].map((each) => ({
          value: each,
          title: minutesText(Number(each)),
        }))}
        onValue={setMinutes}
        hint={t('Further alerts extend it.')}
      />
      <Check label={t('The rule is on')} isChecked={isOn} onCheck={setIsOn} />
    </FormDialog>
  );
}
