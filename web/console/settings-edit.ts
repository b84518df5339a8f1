/** Edits of the gateway's settings: what a person typed, what it means, and what is risky about it. */

import { type Answer, call } from './api.ts';
import { readSettings, type Setting, type Settings } from './gateway-state.ts';
import type { ReadingHandle } from './reading.ts';
import type { Edit } from './setup-edits.ts';
import { t, tIn } from './words.ts';

export type SettingsChange = Answer<'console/getSettingsChanges'>['changes'][number];
export type Saved = Answer<'console/updateSettings'>;
export type Finding = Answer<'console/validateSettings'>['findings'][number];

/** `text`: what the field has. `file`: the console gives the setting up, and the file counts again. */
export type Draft = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'file' };

/** By key. */
export type Drafts = Readonly<Record<string, Draft>>;

export interface SettingGroup {
  readonly title: string;
  readonly hint: string;
  /** Beginnings of the keys. */
  readonly keys: readonly string[];
  /** They are edited on this page, with what else belongs to them; absent: on the page of settings. */
  readonly page?: string;
}

/** On the page of single sign-on, next to what else belongs to it. */
export const OIDC_SETTINGS: SettingGroup = {
  title: t('Single sign-on'),
  hint: t('People sign in with an OpenID Connect or SAML provider. It has a page of its own.'),
  keys: ['oidc'],
  page: 'sign-in-providers',
};

/** In this order; the last one has everything else. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  // What people change in daily work comes first, what engineers set once comes last.
  {
    title: tIn('heading', 'Recording'),
    hint: t('Video that the gateway records: where it is stored, and how long it stays.'),
    keys: ['recording', 's3', 'uploads'],
  },
  {
    title: t('Clips and reports'),
    hint: t('How long clips, reports, and the audit trail stay. Recordings are above.'),
    keys: ['retention', 'clips'],
  },
  {
    title: t('Cameras'),
    hint: t('Where cameras may be, and how the gateway connects to them.'),
    keys: ['sources', 'ffmpeg', 'demo'],
  },
  OIDC_SETTINGS,
  { title: t('Mail'), hint: t('The mail server that takes the gateway’s mail.'), keys: ['mail'] },
  {
    title: t('Public addresses'),
    hint: t('What links and the console begin with, and the proxies in front.'),
    keys: ['public', 'trustProxy', 'cors'],
  },
  {
    title: t('TLS certificates'),
    hint: t('Your own files, or a certificate from an ACME server such as Let’s Encrypt.'),
    keys: ['tls'],
  },
  {
    title: t('Live video'),
    hint: t('What players get, and how far behind they are.'),
    keys: ['hls', 'cdn', 'cdnRotation'],
  },
  { title: t('Street map'), hint: t('Where the tiles of the map of sites come from.'), keys: ['console'] },
  { title: t('Limits'), hint: t('What viewers and callers may do.'), keys: ['access', 'api', 'webhooks'] },
  { title: t('Viewing quality'), hint: t('Measurements of what viewers see.'), keys: ['serviceLevels'] },
  {
    title: t('Listening addresses'),
    hint: t('Where this machine accepts connections.'),
    keys: ['listen', 'h2c', 'proxyProtocol', 'rtmp'],
  },
  { title: t('Gateway'), hint: t('Log, threads, metrics, and what is set before the start.'), keys: [] },
];

export function groupOf(path: string): SettingGroup {
  const first = path.split('.')[0]!;
  return SETTING_GROUPS.find(({ keys }) => keys.includes(first)) ?? SETTING_GROUPS.at(-1)!;
}

const WORDS: Readonly<Record<string, string>> = {
  api: 'API',
  url: 'URL',
  urls: 'URLs',
  tls: 'TLS',
  acme: 'ACME',
  ca: 'CA',
  cdn: 'CDN',
  id: 'ID',
  s3: 'S3',
  h2c: t('HTTP/2 without TLS'),
  http: 'HTTP',
  lan: 'LAN',
  cors: 'CORS',
  onvif: 'ONVIF',
  oidc: t('Single sign-on'),
  rtmp: 'RTMP',
  hls: 'HLS',
};

/** `public.mediaUrl` is "Media URL"; `tls.media.cert` is "Media: cert". */
export function titleOf(path: string): string {
  const [, ...rest] = path.split('.');
  const parts = rest.length === 0 ? [path] : rest;
  return parts.map(words).join(': ');
}

function words(key: string): string {
  const text = key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a field shows before someone edits it: the value after the restart, if one waits. */
export function shownText({ isSecret, isPending, value, nextValue }: Setting): string {
  if (isSecret) return '';
  return (isPending ? nextValue : value) ?? '';
}

/** Null: it changes nothing. */
export function editOf(setting: Setting, draft: Draft): Edit | null {
  const { path, isSecret, isInConsole, defaultValue, source } = setting;
  if (draft.kind === 'file') return isInConsole ? { path, action: 'RESET' } : null;
  const text = draft.text.trim();
  if (text === shownText(setting)) return null;
  if (text !== '' || isList(setting)) return { path, action: 'SET', value: text };
  if (isSecret) return null;
  // Empty: no value at all, also if the file has one.
  if (defaultValue !== undefined || source === 'file') return { path, action: 'UNSET' };
  return { path, action: isInConsole ? 'RESET' : 'UNSET' };
}

export function isList({ expected }: Setting): boolean {
  return expected.startsWith('a list;');
}

export function editsOf(settings: readonly Setting[], drafts: Drafts): readonly Edit[] {
  return settings.flatMap((setting) => {
    const draft = drafts[setting.path];
    const edit = draft === undefined ? null : editOf(setting, draft);
    return edit === null ? [] : [edit];
  });
}

const RISKY = /^(?:listen|tls|h2c|proxyProtocol|public|trustProxy|oidc)(?:\.|$)/;

/** Whether a wrong value could keep people out. */
export function isRisky(path: string): boolean {
  return RISKY.test(path);
}

/** A warning if this page's own address is among what changes; null: it is not. */
export function ownAddressWarning(edits: readonly Edit[]): string | null {
  const isOwn = edits.some(({ path }) =>
    /^(?:listen\.api|public\.apiUrl|tls\.api|h2c\.api|proxyProtocol\.api)/.test(path),
  );
  return isOwn
    ? t(
        'This changes the address you are using now. If the new one does not work, start the gateway with --ignore-console-settings.',
      )
    : null;
}

/** What the setting would be: for people to compare. */
export function valueAfter(setting: Setting, edit: Edit): string {
  if (setting.isSecret) return edit.action === 'SET' ? t('a new secret') : t('not set here');
  if (edit.action === 'RESET') return t('what the file has');
  if (edit.action === 'UNSET' || edit.value === '')
    return setting.defaultValue || setting.whenAbsent || 'nothing';
  return edit.value ?? '';
}

export function checkSettings(changes: readonly Edit[]): Promise<Answer<'console/validateSettings'>> {
  return call('console/validateSettings', { changes: [...changes] });
}

export function saveSettings(revision: number, changes: readonly Edit[]): Promise<Saved> {
  return call('console/updateSettings', { revision, changes: [...changes] });
}

export function readSettingsChanges(signal: AbortSignal): Promise<Answer<'console/getSettingsChanges'>> {
  return call('console/getSettingsChanges', {}, signal);
}

export function revertSettings(revision: number, changeRevision: number): Promise<Saved> {
  return call('console/revertSettings', { revision, changeRevision });
}

/** Resolves when the settings are read again, or cannot be; then the reading says so. */
export async function settingsReadAgain(reading: ReadingHandle<Settings>): Promise<void> {
  try {
    const settings = await readSettings(new AbortController().signal);
    reading.put(() => settings);
  } catch {
    reading.refresh();
  }
}
