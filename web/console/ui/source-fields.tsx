/** The fields that say how a camera is opened: the same when one is added and when it is changed. */

import { useState } from 'preact/hooks';
import type { UrlTemplate } from '../camera-adding.ts';
import { filledTemplate, RTSP_SCHEMES, takeApart } from '../camera-address.ts';
import { type DraftFaults, type SourceDraft, usualPort, withPasted } from '../camera-draft.ts';
import { t } from '../words.ts';
import { Chips } from './chips.tsx';
import { TextField } from './field.tsx';
import { LoginFields } from './login-fields.tsx';
import { SelectField } from './select.tsx';

const MAX_URL_CHARS = 2_048;
const MAX_CHANNEL = 999;

const KINDS = [
  { value: 'rtsp', title: 'RTSP' },
  { value: 'url', title: t('HLS, MPEG-TS, Motion JPEG, RTMP, SRT') },
] as const;

const TRANSPORTS = [
  { value: 'auto', title: t('Automatic') },
  { value: 'tcp', title: 'TCP' },
  { value: 'udp', title: 'UDP' },
  { value: 'multicast', title: t('Multicast') },
  { value: 'http', title: t('RTSP over HTTP') },
] as const;

interface FieldsProps {
  readonly draft: SourceDraft;
  readonly faults: DraftFaults;
  readonly onDraft: (draft: SourceDraft) => void;
}

export function SourceFields({
  templates,
  passwordHint,
  ...props
}: FieldsProps & { readonly templates: readonly UrlTemplate[]; readonly passwordHint?: string }) {
  const { draft, faults, onDraft } = props;
  return (
    <>
      <PasteField draft={draft} onDraft={onDraft} />
      <Chips
        legend={t('Kind of stream')}
        value={draft.kind}
        options={KINDS}
        onValue={(value) => onDraft({ ...draft, kind: value as SourceDraft['kind'] })}
      />
      {draft.kind === 'rtsp' ? <RtspFields {...props} templates={templates} /> : <UrlFields {...props} />}
      <LoginFields
        username={draft.username}
        password={draft.password}
        {...(passwordHint === undefined ? {} : { passwordHint })}
        error={faults.password ?? null}
        onLogin={(login) => onDraft({ ...draft, ...login })}
      />
      <MoreFields {...props} />
    </>
  );
}

/** Takes a whole address apart, on being pasted or by the button. It keeps nothing: the text can have a password. */
function PasteField({ draft, onDraft }: Pick<FieldsProps, 'draft' | 'onDraft'>) {
  const [text, setText] = useState('');
  const [said, setSaid] = useState('');
  const take = (whole: string): boolean => {
    const pasted = takeApart(whole);
    if (pasted === null) {
      setSaid(
        t('This text has no camera address. An address looks like rtsp://user:password@192.0.2.10/stream1.'),
      );
      return false;
    }
    onDraft(withPasted(draft, pasted));
    setText('');
    setSaid(t('Taken apart. Check the fields below.'));
    return true;
  };
  return (
    <div class="field">
      <label for="whole-address">{t('Whole address, if you have one')}</label>
      <div class="joined">
        <input
          id="whole-address"
          type="text"
          class="secret"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={MAX_URL_CHARS}
          placeholder={t('rtsp://user:password@192.0.2.10/stream1')}
          aria-describedby="whole-address-hint"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData('text') ?? '';
            if (text === '' && take(pasted)) event.preventDefault();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            take(text);
          }}
        />
        <button type="button" disabled={text.trim() === ''} onClick={() => take(text)}>
          {t('Take apart')}
        </button>
      </div>
      <p class="hint" id="whole-address-hint" role="status">
        {said === '' ? t('Paste it, and it fills in the fields below.') : said}
      </p>
    </div>
  );
}

function RtspFields({
  draft,
  faults,
  onDraft,
  templates,
}: FieldsProps & { readonly templates: readonly UrlTemplate[] }) {
  const set = (change: Partial<SourceDraft>) => onDraft({ ...draft, ...change });
  return (
    <>
      <div class="host-port">
        <TextField
          label={t('Address')}
          name="host"
          hint={t('An IP address or a name.')}
          error={faults.host ?? null}
          value={draft.host}
          onValue={(value) => {
            const pasted = value.includes('://') ? takeApart(value) : null;
            if (pasted === null) set({ host: value });
            else onDraft(withPasted(draft, pasted));
          }}
        />
        <TextField
          label={t('Port')}
          name="port"
          hint={t('Empty: {usualPort}', { usualPort: usualPort(draft) })}
          maxLength={5}
          error={faults.port ?? null}
          value={draft.port}
          onValue={(port) => set({ port: port.trim() })}
        />
      </div>
      <TemplateFields templates={templates} draft={draft} onDraft={onDraft} />
      <TextField
        label={t('Path of the main stream')}
        name="mainPath"
        maxLength={MAX_URL_CHARS}
        error={faults.mainPath ?? null}
        value={draft.mainPath}
        onValue={(mainPath) => set({ mainPath })}
      />
      <TextField
        label={t('Path of the substream')}
        name="subPath"
        hint={t(
          'The smaller stream, for phones and walls. Empty: there is none. A whole address if it is elsewhere.',
        )}
        maxLength={MAX_URL_CHARS}
        error={faults.subPath ?? null}
        value={draft.subPath}
        onValue={(subPath) => set({ subPath })}
      />
    </>
  );
}

/** The paths that a vendor's cameras usually have. */
function TemplateFields({
  templates,
  draft,
  onDraft,
}: Pick<FieldsProps, 'draft' | 'onDraft'> & { readonly templates: readonly UrlTemplate[] }) {
  const [vendor, setVendor] = useState('');
  const [channel, setChannel] = useState('1');
  const [token, setToken] = useState('');
  const template = templates.find((each) => each.vendor === vendor);
  const paths = template === undefined ? '' : `${template.mainPath} ${template.substreamPath ?? ''}`;
  const fill = (chosen: UrlTemplate | undefined, number: string, text: string) => {
    if (chosen === undefined) return;
    const input = Math.min(MAX_CHANNEL, Math.max(1, Math.floor(Number(number)) || 1));
    const path = (of: string | null | undefined) => filledTemplate(of ?? '', input, text);
    const isUsual = String(chosen.port) === usualPort({ ...draft, scheme: chosen.scheme });
    onDraft({
      ...draft,
      scheme: chosen.scheme,
      port: isUsual ? '' : String(chosen.port),
      mainPath: path(chosen.mainPath),
      subPath: path(chosen.substreamPath),
    });
  };
  return (
    <div class="pair">
      <SelectField
        label={t('Vendor')}
        value={vendor}
        options={[
          { value: '', title: t('Choose to fill in the paths') },
          ...templates.map(({ vendor: value, name }) => ({ value, title: name })),
        ]}
        {...(template?.note == null ? {} : { hint: template.note })}
        onValue={(value) => {
          setVendor(value);
          fill(
            templates.find((each) => each.vendor === value),
            channel,
            token,
          );
        }}
      />
      {paths.includes('{channel') && (
        <TextField
          label={t('Channel')}
          hint={t('The input of a recorder; otherwise 1.')}
          maxLength={3}
          value={channel}
          onValue={(value) => {
            setChannel(value);
            fill(template, value, token);
          }}
        />
      )}
      {paths.includes('{token}') && (
        <TextField
          label={t('Token')}
          hint={t('The last part of the address that its app shows.')}
          value={token}
          onValue={(value) => {
            setToken(value);
            fill(template, channel, value);
          }}
        />
      )}
    </div>
  );
}

function UrlFields({ draft, faults, onDraft }: FieldsProps) {
  const set = (change: Partial<SourceDraft>) => {
    const login = change.mainUrl === undefined ? null : takeApart(change.mainUrl);
    onDraft(login?.login == null ? { ...draft, ...change } : withPasted(draft, login));
  };
  return (
    <>
      <TextField
        label={t('Address of the main stream')}
        name="mainUrl"
        hint={t(
          'https://…/index.m3u8 (HLS), http://…/video.ts (MPEG-TS), http://…/video.mjpg (Motion JPEG), rtmp://…, srt://host:port',
        )}
        maxLength={MAX_URL_CHARS}
        error={faults.mainUrl ?? null}
        value={draft.mainUrl}
        onValue={(mainUrl) => set({ mainUrl })}
      />
      <TextField
        label={t('Address of the substream')}
        name="subUrl"
        hint={t('The smaller stream. Empty: there is none.')}
        maxLength={MAX_URL_CHARS}
        error={faults.subUrl ?? null}
        value={draft.subUrl}
        onValue={(subUrl) => set({ subUrl })}
      />
    </>
  );
}

/** Fields that few cameras need. The section is open if any of them has an unusual value. */
function MoreFields({ draft, faults, onDraft }: FieldsProps) {
  const set = (change: Partial<SourceDraft>) => onDraft({ ...draft, ...change });
  const isUnusual =
    draft.transport !== 'auto' || draft.tls !== 'any' || draft.onvifUrl !== '' || draft.audio !== 'auto';
  return (
    <details class="more" open={isUnusual || faults.tls !== undefined}>
      <summary>{t('Sound, ONVIF, transport and certificate')}</summary>
      <div class="form">
        <SelectField
          label={t('Sound')}
          value={draft.audio}
          options={[
            { value: 'auto', title: t('As browsers play it best') },
            { value: 'aac', title: t('Always AAC, converted by the gateway') },
            { value: 'off', title: t('None') },
          ]}
          onValue={(audio) => set({ audio })}
        />
        <TextField
          label={t('ONVIF address')}
          name="onvifUrl"
          hint={t(
            'For motion events, PTZ and the camera’s clock, with the same login. Such as 192.0.2.10:8000. Empty: none.',
          )}
          maxLength={MAX_URL_CHARS}
          value={draft.onvifUrl}
          onValue={(onvifUrl) => set({ onvifUrl })}
        />
        {draft.kind === 'rtsp' && (
          <div class="pair">
            <SelectField
              label={t('Scheme')}
              value={draft.scheme}
              options={RTSP_SCHEMES.map((scheme) => ({ value: scheme, title: scheme }))}
              onValue={(scheme) => set({ scheme })}
            />
            <SelectField
              label={t('Transport')}
              value={draft.transport}
              options={TRANSPORTS}
              onValue={(transport) => set({ transport })}
            />
          </div>
        )}
        <TextField
          label={t('Certificate')}
          name="tls"
          hint={t(
            'any accepts every certificate, verify one that is valid for the address, sha256:… exactly that one.',
          )}
          error={faults.tls ?? null}
          value={draft.tls}
          onValue={(tls) => set({ tls: tls.trim() })}
        />
      </div>
    </details>
  );
}
