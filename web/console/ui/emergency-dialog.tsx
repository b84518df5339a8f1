/** Opens cameras to a partner: everything is chosen, so that one press opens them. Then it has the link to pass on. */

import { useState } from 'preact/hooks';
import { type CameraItem, listCameras } from '../camera-state.ts';
import {
  EMERGENCIES_PLACE,
  type EmergencyLink,
  type EmergencyPartner,
  emergencyPlace,
  isNotified,
  MAX_EMERGENCY_CAMERAS,
  MINUTES,
  minutesText,
  openEmergency,
  readPartners,
} from '../emergency-list.ts';
import { MAIL_SETTINGS_PLACE } from '../mail-list.ts';
import { useReading } from '../reading.ts';
import { may, session } from '../session.ts';
import { t, tRich } from '../words.ts';
import { Check } from './check.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { ReadingView } from './reading-view.tsx';
import { SelectField } from './select.tsx';
import { useAction } from './use-action.ts';

const MAX_REASON_CHARS = 1_024;
const DEFAULT_MINUTES = 30;
/** Of the same site, next to those that are chosen. */
const MAX_OFFERED = 40;

interface Given {
  readonly cameraUuids: readonly string[];
  /** The alert that is the reason. */
  readonly alert?: { readonly uuid: string; readonly title: string };
}

interface Opened {
  readonly emergencyUuid: string;
  readonly links: readonly EmergencyLink[];
  readonly warning: string | null;
}

export function EmergencyDialog({
  onClose,
  ...given
}: Given & {
  readonly onClose: () => void;
}) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const reading = useReading(async (signal) => {
    const [cameras, partners] = await Promise.all([listCameras(signal), readPartners(signal)]);
    return { cameras, partners };
  }, []);
  if (opened !== null) return <OpenedDialog opened={opened} onClose={onClose} />;
  return (
    <Dialog title={t('Open cameras in an emergency')} onClose={onClose}>
      <ReadingView reading={reading} what={t('partners')}>
        {({ cameras, partners }) =>
          partners.length === 0 ? (
            <WithoutPartner onClose={onClose} />
          ) : (
            <OpeningForm {...given} {...{ cameras, partners, onClose }} onOpened={setOpened} />
          )
        }
      </ReadingView>
    </Dialog>
  );
}

function WithoutPartner({ onClose }: { readonly onClose: () => void }) {
  return (
    <>
      <div class="dialog-body">
        <p>
          {t('A partner, such as emergency dispatch or an alarm center, gets the link. None is set up yet.')}
        </p>
        {!may('admin') && <p>{t('Ask an administrator to add one.')}</p>}
      </div>
      <DialogFooter onBack={onClose}>
        {may('admin') && (
          <a class="primary button" href={EMERGENCIES_PLACE} onClick={onClose}>
            {t('Add a partner')}
          </a>
        )}
      </DialogFooter>
    </>
  );
}

/** Those of the same site can be added with one press. */
function offeredOf(cameras: readonly CameraItem[], cameraUuids: readonly string[]): readonly CameraItem[] {
  const isChosen = ({ uuid }: CameraItem) => cameraUuids.includes(uuid);
  const sites = new Set(cameras.filter(isChosen).map(({ locationUuid }) => locationUuid));
  sites.delete(undefined);
  const chosen = cameras.filter(isChosen);
  const there = cameras.filter((camera) => !isChosen(camera) && sites.has(camera.locationUuid));
  const offered = chosen.length === 0 ? cameras : [...chosen, ...there];
  return offered.slice(0, Math.max(MAX_OFFERED, chosen.length));
}

function OpeningForm({
  cameras,
  partners,
  cameraUuids,
  alert,
  onOpened,
  onClose,
}: Given & {
  readonly cameras: readonly CameraItem[];
  readonly partners: readonly EmergencyPartner[];
  readonly onOpened: (opened: Opened) => void;
  readonly onClose: () => void;
}) {
  const [offered] = useState(() => offeredOf(cameras, cameraUuids));
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    offered
      .map(({ uuid }) => uuid)
      .filter((uuid) => cameraUuids.includes(uuid))
      .slice(0, MAX_EMERGENCY_CAMERAS),
  );
  const [partnerUuid, setPartnerUuid] = useState(partners[0]!.emergencyPartnerUuid);
  const [minutes, setMinutes] = useState(String(DEFAULT_MINUTES));
  const [reason, setReason] = useState(alert?.title ?? '');
  const { isBusy, error, run } = useAction();
  const partner = partners.find(({ emergencyPartnerUuid }) => emergencyPartnerUuid === partnerUuid);
  const sendsMail = session.value?.sendsMail === true;
  const isFull = chosen.length >= MAX_EMERGENCY_CAMERAS;
  const open = async (): Promise<void> => {
    const { emergency, links, warningMsg } = await openEmergency({
      emergencyPartnerUuid: partnerUuid,
      cameraUuids: [...chosen],
      reason: reason.trim(),
      minutes: Number(minutes),
      ...(alert === undefined ? {} : { alertUuid: alert.uuid }),
    });
    onOpened({ emergencyUuid: emergency.emergencyUuid, links, warning: warningMsg ?? null });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(open);
      }}
    >
      <div class="dialog-body">
        <p class="hint">
          {t(
            'The partner can watch live with a link. It closes automatically; you can close it at any time.',
          )}
        </p>
        <SelectField
          label={t('To whom')}
          value={partnerUuid}
          options={partners.map(({ emergencyPartnerUuid: value, name }) => ({ value, title: name }))}
          onValue={setPartnerUuid}
        />
        {partner !== undefined && !isNotified(partner, sendsMail) && (
          <NotNotified name={partner.name} sendsMail={sendsMail} onClose={onClose} />
        )}
        <TextField
          label={t('Reason')}
          isRequired
          maxLength={MAX_REASON_CHARS}
          value={reason}
          onValue={setReason}
          hint={t('The partner reads it.')}
        />
        <SelectField
          label={t('For how long')}
          value={minutes}
          options={MINUTES.map((each) => ({ value: String(each), title: minutesText(each) }))}
          onValue={setMinutes}
        />
        <fieldset>
          <legend>
            {t('Cameras: {count} of at most {max}', { count: chosen.length, max: MAX_EMERGENCY_CAMERAS })}
          </legend>
          <div class="check-list">
            {offered.map(({ uuid, name }) => (
              <Check
                key={uuid}
                label={name}
                isChecked={chosen.includes(uuid)}
                onCheck={(isChecked) => {
                  if (!isChecked) setChosen(chosen.filter((each) => each !== uuid));
                  else if (!isFull) setChosen([...chosen, uuid]);
                }}
              />
            ))}
          </div>
        </fieldset>
        <FormError error={error} />
      </div>
      <DialogFooter onBack={onClose}>
        <SubmitButton
          text={t('Open now')}
          isBusy={isBusy}
          isDanger
          isReady={chosen.length > 0 && reason.trim() !== ''}
        />
      </DialogFooter>
    </form>
  );
}

/** In an emergency, no one waits for a partner who knows nothing. */
function NotNotified({
  name,
  sendsMail,
  onClose,
}: {
  readonly name: string;
  readonly sendsMail: boolean;
  readonly onClose: () => void;
}) {
  return (
    <div class="outdated" role="alert">
      <p>
        <b>{t('{name} is not notified.', { name })}</b>{' '}
        {sendsMail
          ? t('It has no address. You get a link to copy, and pass it on yourself.')
          : t('The gateway has no mail server. You get a link to copy, and pass it on yourself.')}
      </p>
      {may('admin') && !sendsMail && (
        <a href={MAIL_SETTINGS_PLACE} onClick={onClose}>
          {t('Set up the mail server')}
        </a>
      )}
    </div>
  );
}

function OpenedDialog({ opened, onClose }: { readonly opened: Opened; readonly onClose: () => void }) {
  const { emergencyUuid, links, warning } = opened;
  const sent = links.filter(
    ({ address, sentBy }) => address !== '' && (warning === null || sentBy !== 'mail'),
  );
  const copy = links.find(({ sentBy }) => sentBy === 'copy');
  return (
    <Dialog title={t('The cameras are open')} onClose={onClose}>
      <div class="dialog-body">
        {warning !== null && (
          <p class="outdated" role="alert">
            {t('No mail was sent: the gateway has no mail server. Copy the link, and pass it on yourself.')}
          </p>
        )}
        {sent.length > 0 && (
          <>
            <p>{t('The link is on its way to:')}</p>
            <ul>
              {sent.map(({ recipientUuid, address }) => (
                <li key={recipientUuid} class="break">
                  {address}
                </li>
              ))}
            </ul>
          </>
        )}
        {copy !== undefined && (
          <CopyField label={t('A link to pass on, such as by phone')} value={copy.pageUrl} />
        )}
        <p class="hint">
          {tRich('Every page shows what is open. <a>The report</a> says who watches.', {
            a: (text) => (
              <a href={emergencyPlace(emergencyUuid)} onClick={onClose}>
                {text}
              </a>
            ),
          })}
        </p>
      </div>
      <DialogFooter back={t('Close')} onBack={onClose} />
    </Dialog>
  );
}
