/** Converts a form's description of how to open a camera to the API's fields. Pure. */

import type { KnownSource, NewSource, SourceFields } from './camera-adding.ts';
import {
  type AddressParts,
  defaultPort,
  hostFault,
  joined,
  type PastedAddress,
  portFault,
  RTSP_SCHEMES,
} from './camera-address.ts';
import { t } from './words.ts';

export interface SourceDraft {
  /** `rtsp`: the address in parts. `url`: whole URLs of other kinds. */
  readonly kind: 'rtsp' | 'url';
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  readonly mainPath: string;
  /** A path, or a whole URL. Empty: there is none. */
  readonly subPath: string;
  readonly mainUrl: string;
  readonly subUrl: string;
  readonly username: string;
  readonly password: string;
  readonly onvifUrl: string;
  readonly transport: KnownSource['source']['transport'];
  readonly tls: string;
  readonly audio: KnownSource['source']['audio'];
}

export const EMPTY_DRAFT: SourceDraft = {
  kind: 'rtsp',
  scheme: 'rtsp',
  host: '',
  port: '',
  mainPath: '',
  subPath: '',
  mainUrl: '',
  subUrl: '',
  username: '',
  password: '',
  onvifUrl: '',
  transport: 'auto',
  tls: 'any',
  audio: 'auto',
};

/** The names of fields that can have a fault, in the order of the form. */
const DRAFT_FIELDS = [
  'host',
  'port',
  'mainPath',
  'subPath',
  'mainUrl',
  'subUrl',
  'username',
  'password',
  'tls',
] as const;
export type DraftField = (typeof DRAFT_FIELDS)[number];

export function isDraftField(name: string | undefined): name is DraftField {
  return DRAFT_FIELDS.some((field) => field === name);
}

export type DraftFaults = Partial<Readonly<Record<DraftField, string>>>;

const URL_SCHEME = /^(?:https?|rtmps?|srt):\/\/[^/]/i;

/** Faults that the gateway would refuse, found before the request. */
export function draftFaults(draft: SourceDraft): DraftFaults {
  if (draft.kind === 'url') {
    return {
      ...(URL_SCHEME.test(draft.mainUrl.trim())
        ? {}
        : { mainUrl: t('Enter a whole address that begins with http, https, rtmp, rtmps or srt.') }),
    };
  }
  const host = hostFault(draft.host);
  const port = portFault(draft.port);
  return { ...(host === null ? {} : { host }), ...(port === null ? {} : { port }) };
}

/** Call only without faults. */
export function sourceOf(draft: SourceDraft): NewSource {
  const { username, password, transport, tls, audio } = draft;
  return {
    ...addressesOf(draft),
    ...(draft.onvifUrl.trim() === '' ? {} : { onvifUrl: onvifUrlOf(draft.onvifUrl) }),
    ...(username === '' && password === '' ? {} : { username, password }),
    transport,
    tls,
    audio,
  };
}

interface Addresses {
  readonly mainUrl: string;
  readonly substreamUrl: string;
}

function addressesOf(draft: SourceDraft): Addresses {
  if (draft.kind === 'url') return { mainUrl: draft.mainUrl.trim(), substreamUrl: draft.subUrl.trim() };
  const { scheme, host, port, mainPath, subPath } = draft;
  const sub = subPath.trim();
  const urlOf = (path: string) => joined({ scheme, host: host.trim(), port, path });
  return {
    mainUrl: urlOf(mainPath.trim()),
    substreamUrl: sub === '' || sub.includes('://') ? sub : urlOf(sub),
  };
}

/** People leave the scheme out; the gateway knows the usual path. */
function onvifUrlOf(text: string): string {
  const trimmed = text.trim();
  return trimmed.includes('://') ? trimmed : `http://${trimmed}`;
}

/** Fills in the main stream from a pasted address. */
export function withPasted(draft: SourceDraft, pasted: PastedAddress): SourceDraft {
  const login = pasted.login ?? {};
  if (!(RTSP_SCHEMES as readonly string[]).includes(pasted.scheme)) {
    return { ...draft, ...login, kind: 'url', mainUrl: joined(pasted) };
  }
  const { scheme, host, port, path } = pasted;
  return { ...draft, ...login, kind: 'rtsp', scheme, host, port, mainPath: path };
}

/** The field in which the reason of a failure most likely is. */
export function fieldOfFault(
  reason: string | null | undefined,
  kind: SourceDraft['kind'],
): DraftField | null {
  switch (reason) {
    case 'wrong-password':
      return 'password';
    case 'wrong-path':
      return kind === 'rtsp' ? 'mainPath' : 'mainUrl';
    case 'unreachable':
      return kind === 'rtsp' ? 'host' : 'mainUrl';
    case 'tls-failed':
      return 'tls';
    default:
      return null;
  }
}

/** The form for a camera that is stored. The password stays empty: the gateway does not tell it. */
export function draftOf({ source }: KnownSource): SourceDraft {
  const { mainUrl, substreamUrl, username, onvifUrl, transport, tls, audio } = source;
  const main = partsOf(mainUrl ?? '');
  const sub = substreamUrl ?? '';
  const common = {
    ...EMPTY_DRAFT,
    username: username ?? '',
    onvifUrl: onvifUrl ?? '',
    transport,
    tls,
    audio,
  };
  if (main === null) return { ...common, kind: 'url', mainUrl: mainUrl ?? '', subUrl: sub };
  const { scheme, host, port, path } = main;
  const subPath = pathOnSame(main, sub);
  return { ...common, kind: 'rtsp', scheme, host, port, mainPath: path, subPath };
}

/** The same place has a path alone; another one, a whole URL. */
function pathOnSame(main: AddressParts, sub: string): string {
  const parts = partsOf(sub);
  if (parts === null) return sub;
  const { scheme, host, port, path } = parts;
  const isSame = scheme === main.scheme && host === main.host && port === main.port;
  return isSame && path !== '' ? path : sub;
}

/** Exact, so that the parts make the same text again. Null: no RTSP. */
function partsOf(url: string): AddressParts | null {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^([a-z+]+):\/\/(\[[^\]]*\]|[^:/?#[\]]+)(?::(\d+))?(.*)$/.exec(url) ?? [];
  if (!(RTSP_SCHEMES as readonly string[]).includes(scheme)) return null;
  return { scheme, host: host.replace(/^\[|\]$/g, ''), port, path };
}

/** Only the fields that differ, because absent fields stay. `before`: the draft of the same camera. */
export function changesOf(before: SourceDraft, after: SourceDraft): SourceFields {
  const old = addressesOf(before);
  const now = addressesOf(after);
  const isLoginNew = after.username !== before.username || after.password !== '';
  return {
    ...(now.mainUrl === old.mainUrl ? {} : { mainUrl: now.mainUrl }),
    ...(now.substreamUrl === old.substreamUrl ? {} : { substreamUrl: now.substreamUrl }),
    ...(after.onvifUrl.trim() === before.onvifUrl.trim()
      ? {}
      : { onvifUrl: after.onvifUrl.trim() === '' ? '' : onvifUrlOf(after.onvifUrl) }),
    ...(isLoginNew ? { username: after.username } : {}),
    ...(isLoginNew && (after.password !== '' || after.username === '') ? { password: after.password } : {}),
    ...(after.transport === before.transport ? {} : { transport: after.transport }),
    ...(after.tls === before.tls ? {} : { tls: after.tls }),
    ...(after.audio === before.audio ? {} : { audio: after.audio }),
  };
}

/** As a placeholder of the port. */
export function usualPort({ scheme }: SourceDraft): string {
  return defaultPort(scheme);
}
