/** Adds a video recorder with its cameras in one act: found or by its address, one login, all channels with pictures. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Choices, type FoundCamera, scanNetwork } from '../camera-adding.ts';
import { place } from '../places.ts';
import { EMPTY_RECORDER, isAddable, MAX_CHANNELS, type RecorderDraft } from '../recorder-channels.ts';
import { t } from '../words.ts';
import { countText } from './bulk-dialogs.tsx';
import { ChannelCard } from './channel-card.tsx';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { LoginFields } from './login-fields.tsx';
import { SelectField } from './select.tsx';
import { SiteDialog } from './site-dialogs.tsx';
import { useAction } from './use-action.ts';
import { useRecorder } from './use-recorder.ts';

type RecorderWork = ReturnType<typeof useRecorder>;

const MAX_NAME_CHARS = 256;
/** What recorders call themselves. They come first in the list. */
const RECORDER_WORDS = /\b[nxd]vr|recorder|\bds-[79]\d|dhi-/i;

export function RecorderFinder({ choices }: { readonly choices: Choices }) {
  const work = useRecorder(choices.templates);
  const { query } = useLocation();
  const [draft, setDraft] = useState<RecorderDraft>({ ...EMPTY_RECORDER, address: query.address ?? '' });
  return work.recorder === null ? (
    <DeviceForm work={work} choices={choices} draft={draft} onDraft={setDraft} />
  ) : (
    <ChannelForm work={work} choices={choices} address={draft.address} />
  );
}

function DeviceForm({
  work,
  choices,
  draft,
  onDraft,
}: DraftProps & { readonly work: RecorderWork; readonly choices: Choices }) {
  const { isBusy: isLooking, error: scanError, found } = useScanned();
  const form = useRef<HTMLFormElement>(null);
  const { refusal, asking } = work;
  const calledName = found.find(({ address }) => address === draft.address)?.name ?? null;
  const focus = (name: string) => {
    const field = form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`);
    field?.focus();
    field?.select();
  };
  const submit = async () => {
    if (draft.address.trim() === '') return focus('address');
    await work.ask(draft, calledName);
  };
  useEffect(() => {
    if (refusal !== null) focus(refusal.isLogin ? 'password' : 'address');
  }, [refusal]);
  return (
    <form
      class="form sheet narrow"
      noValidate
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <DeviceList found={found} isLooking={isLooking} draft={draft} onDraft={onDraft} />
      <FormError error={scanError} />
      <TextField
        label={t('Address')}
        name="address"
        hint={t('An IP address, with its port if that is not the usual one: 192.0.2.10:8000')}
        maxLength={64}
        error={refusal !== null && !refusal.isLogin ? refusal.message : null}
        value={draft.address}
        onValue={(address) => onDraft({ ...draft, address, https: false })}
      />
      <LoginFields
        {...draft.login}
        passwordHint={t('The recorder gets it once. It is stored, encrypted, with the cameras that you add.')}
        error={refusal?.isLogin === true ? refusal.message : null}
        onLogin={(login) => onDraft({ ...draft, login })}
      />
      <VendorFields choices={choices} draft={draft} onDraft={onDraft} />
      <FormError error={asking.error} />
      <footer>
        <button type="submit" class="primary" disabled={asking.isBusy}>
          {asking.isBusy ? t('Asking the recorder…') : t('Show its channels')}
        </button>
      </footer>
    </form>
  );
}

interface DraftProps {
  readonly draft: RecorderDraft;
  readonly onDraft: (draft: RecorderDraft) => void;
}

function DeviceList({
  found,
  isLooking,
  draft,
  onDraft,
}: DraftProps & { readonly found: readonly FoundCamera[]; readonly isLooking: boolean }) {
  return (
    <fieldset class="devices">
      <legend aria-live="polite">{isLooking ? t('Looking for recorders…') : t('On the network')}</legend>
      {found.map((device) => (
        <label key={device.address} class="check">
          <input
            type="radio"
            name="device"
            checked={device.address === draft.address}
            onChange={() => onDraft({ ...draft, address: device.address, https: device.https, vendor: '' })}
          />
          <span class="break">
            <b>{device.name ?? device.address}</b>{' '}
            <span class="hint">
              {[device.address, device.hardware].filter(Boolean).join(' · ')}
              {device.known && ` ${t('· has cameras here')}`}
            </span>
          </span>
        </label>
      ))}
      {found.length === 0 && !isLooking && (
        <p class="hint">{t('None answered. Enter its address: the gateway then asks it directly.')}</p>
      )}
    </fieldset>
  );
}

function VendorFields({ choices, draft, onDraft }: DraftProps & { readonly choices: Choices }) {
  const templates = choices.templates.filter(({ mainPath }) => mainPath.includes('{channel'));
  return (
    <details class="more" open={draft.vendor !== ''}>
      <summary>{t('Without ONVIF')}</summary>
      <div class="pair">
        <SelectField
          label={t('Vendor')}
          value={draft.vendor}
          options={[
            { value: '', title: t('Ask it over ONVIF') },
            ...templates.map(({ vendor, name }) => ({ value: vendor, title: name })),
          ]}
          hint={t('With a vendor, the gateway tries the addresses that its recorders usually have.')}
          onValue={(vendor) => onDraft({ ...draft, vendor })}
        />
        {draft.vendor !== '' && (
          <TextField
            label={t('Channels')}
            hint={t('At most {maxChannels}.', { maxChannels: MAX_CHANNELS })}
            maxLength={2}
            value={draft.count}
            onValue={(count) => onDraft({ ...draft, count })}
          />
        )}
      </div>
    </details>
  );
}

/** Looks once. Recorders come first, the others stay: what a device calls itself proves nothing. */
function useScanned() {
  const [found, setFound] = useState<readonly FoundCamera[]>([]);
  const { isBusy, error, run } = useAction();
  useEffect(() => {
    const left = new AbortController();
    void run(async () => {
      const all = await scanNetwork(left.signal).catch((thrown: unknown) => {
        if (left.signal.aborted) return [];
        throw thrown;
      });
      const isRecorder = ({ name, hardware }: FoundCamera) =>
        RECORDER_WORDS.test(`${name ?? ''} ${hardware ?? ''}`);
      if (!left.signal.aborted) {
        setFound(all.toSorted((a, b) => Number(isRecorder(b)) - Number(isRecorder(a))));
      }
    });
    return () => left.abort();
  }, []);
  return { found, isBusy, error };
}

function ChannelForm({
  work,
  choices,
  address,
}: {
  readonly work: RecorderWork;
  readonly choices: Choices;
  readonly address: string;
}) {
  const { isAdding, change } = work;
  const recorder = work.recorder!;
  const { channels } = recorder;
  const [where, setWhere] = useState<NvrDraft>({ name: recorder.name, site: '' });
  const [sites, setSites] = useState(choices.locations);
  const [isNewSite, setIsNewSite] = useState(false);
  const chosen = channels.filter(isAddable);
  const addable = channels.filter((channel) => isAddable({ ...channel, isChosen: true }));
  return (
    <>
      <form
        class="form recorder"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void work.add(where.name.trim() === '' ? recorder.name : where.name.trim(), where.site);
        }}
      >
        <div class="section-head">
          <h2 class="break" aria-live="polite">
            {t('{channels} at {address}', { channels: channelsText(channels.length), address })}
          </h2>
          <button type="button" class="quiet" disabled={isAdding} onClick={work.forget}>
            {t('Another recorder')}
          </button>
        </div>
        {addable.length > 1 && (
          <Check
            label={t('Choose all that are new')}
            isChecked={chosen.length === addable.length}
            onCheck={work.choose}
          />
        )}
        <ul class="channels" aria-label={t('Channels')}>
          {channels.map((channel) => (
            <ChannelCard
              key={channel.number}
              channel={channel}
              isAdding={isAdding}
              onChoose={(isChosen) => change(channel.number, { isChosen })}
              onName={(text) => change(channel.number, { name: text })}
              onRetry={() => work.retry(channel)}
            />
          ))}
        </ul>
        <EndSheet
          work={work}
          where={where}
          chosenCount={chosen.length}
          onWhere={setWhere}
          onNewSite={() => setIsNewSite(true)}
          sites={sites}
        />
      </form>
      {isNewSite && (
        <SiteDialog
          onCreated={(created) => {
            setSites((old) => [...old, created]);
            setWhere((old) => ({ ...old, site: created.uuid }));
          }}
          onClose={() => setIsNewSite(false)}
        />
      )}
    </>
  );
}

/** The NVR that will be created. */
interface NvrDraft {
  readonly name: string;
  /** Empty: none. */
  readonly site: string;
}

function EndSheet({
  work: { isAdding, making, recorder },
  where,
  sites,
  chosenCount,
  onWhere,
  onNewSite,
}: {
  readonly work: RecorderWork;
  readonly where: NvrDraft;
  readonly sites: Choices['locations'];
  readonly chosenCount: number;
  readonly onWhere: (where: NvrDraft) => void;
  readonly onNewSite: () => void;
}) {
  const { channels, nvrUuid } = recorder!;
  const { name, site } = where;
  const added = channels.filter(({ step }) => step.kind === 'added').length;
  const hasNvr = channels.length > 1;
  const isKnown = nvrUuid !== '';
  return (
    <div class="sheet recorder-end">
      {hasNvr && !isKnown && (
        <TextField
          label={t('Name of the NVR')}
          maxLength={MAX_NAME_CHARS}
          value={name}
          onValue={(text) => onWhere({ ...where, name: text })}
        />
      )}
      {!isKnown && (
        <div class="joined">
          <SelectField
            label={t('Site')}
            value={site}
            options={[
              { value: '', title: t('None') },
              ...sites.map(({ uuid, name: title }) => ({ value: uuid, title })),
            ]}
            {...(site === '' ? { hint: t('Without a site, schedules run in UTC.') } : {})}
            onValue={(uuid) => onWhere({ ...where, site: uuid })}
          />
          <button type="button" disabled={isAdding} onClick={onNewSite}>
            {t('New site…')}
          </button>
        </div>
      )}
      <FormError error={making.error} />
      <p role="status">{addedText(added, channels.length)}</p>
      <footer>
        {added > 0 && chosenCount === 0 ? (
          <a class="button primary" href={place('')}>
            <Icon name="check" /> {t('Done')}
          </a>
        ) : (
          <button type="submit" class="primary" disabled={chosenCount === 0 || isAdding || making.isBusy}>
            {isAdding ? t('Adding…') : t('Add {count}', { count: countText(chosenCount) })}
          </button>
        )}
      </footer>
    </div>
  );
}

function channelsText(count: number): string {
  return t('{count, plural, one {# channel} other {# channels}}', { count });
}

function addedText(added: number, all: number): string {
  return added === 0 ? '' : t('{added} of {channels} added.', { added, channels: channelsText(all) });
}
