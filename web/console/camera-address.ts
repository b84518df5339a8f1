/**
 * Addresses of cameras as people have them: a whole URL from a manual or another program, possibly with an
 * unescaped password, or its parts. Pure. The login is never put into a URL here: the API takes it in fields
 * of its own.
 */

import { t } from './words.ts';

export const RTSP_SCHEMES = ['rtsp', 'rtsps', 'rtsp+http', 'rtsp+https'] as const;
export type RtspScheme = (typeof RTSP_SCHEMES)[number];

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  rtsp: '554',
  rtsps: '322',
  'rtsp+http': '80',
  'rtsp+https': '443',
  http: '80',
  https: '443',
  rtmp: '1935',
  rtmps: '443',
};

export interface AddressParts {
  readonly scheme: string;
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  /** Empty: the usual one. */
  readonly port: string;
  /** With its slash and its query; empty: none. */
  readonly path: string;
}

export interface PastedAddress extends AddressParts {
  /** Null: the text has no login. */
  readonly login: { readonly username: string; readonly password: string } | null;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** A host and a port, and nothing else. */
const HOST_AND_PORT = /^(\[[0-9a-f:.%]+\]|[^\s:/?#@[\]]+)(?::(\d{0,5}))?$/i;
const MAX_PORT = 65_535;

export function defaultPort(scheme: string): string {
  return DEFAULT_PORTS[scheme] ?? '';
}

/**
 * Takes an address apart, even if its password contains unescaped `@ : / ? # %`. Null: the address has no
 * host. The default scheme is RTSP.
 */
export function takeApart(text: string): PastedAddress | null {
  const trimmed = text.trim();
  const scheme = SCHEME.exec(trimmed)?.[1]?.toLowerCase() ?? 'rtsp';
  const rest = trimmed.replace(SCHEME, '');
  const at = loginEnd(rest);
  const { authority, path } = splitPath(at === null ? rest : rest.slice(at + 1));
  const place = HOST_AND_PORT.exec(authority);
  if (place === null || Number(place[2] ?? 0) > MAX_PORT) return null;
  const [, host = '', port = ''] = place;
  return {
    scheme,
    host: host.replace(/^\[|\]$/g, ''),
    path,
    port: port === defaultPort(scheme) ? '' : port,
    login: at === null ? null : loginOf(rest.slice(0, at)),
  };
}

/**
 * Where the login ends: the last `@` that a host follows. One in the path follows a host that has no login; that a password
 * begins like a port and contains a slash is less likely.
 */
function loginEnd(rest: string): number | null {
  const { authority } = splitPath(rest);
  if (!authority.includes('@') && HOST_AND_PORT.test(authority) && !isLoginStart(authority, rest))
    return null;
  for (let at = rest.lastIndexOf('@'); at >= 0; at = rest.lastIndexOf('@', at - 1)) {
    if (HOST_AND_PORT.test(splitPath(rest.slice(at + 1)).authority) && !isPathMark(rest, at)) return at;
    if (at === 0) break;
  }
  return null;
}

/** `admin:12/3@192.0.2.10/`: no dot, and a host with one comes later. */
function isLoginStart(authority: string, rest: string): boolean {
  const later = rest.slice(rest.lastIndexOf('@') + 1);
  const next = splitPath(later).authority;
  return rest.includes('@') && /^[^.[]+:/.test(authority) && /[.:]/.test(next) && HOST_AND_PORT.test(next);
}

/** An `@` in the path of an address that has its login before: the text between both begins with a host. */
function isPathMark(rest: string, at: number): boolean {
  const earlier = rest.lastIndexOf('@', at - 1);
  if (earlier < 0) return false;
  const { authority, path } = splitPath(rest.slice(earlier + 1));
  return path.includes('@') && HOST_AND_PORT.test(authority) && /[.:]/.test(authority);
}

function splitPath(text: string): { readonly authority: string; readonly path: string } {
  const end = text.search(/[/?#]/);
  return end < 0 ? { authority: text, path: '' } : { authority: text.slice(0, end), path: text.slice(end) };
}

function loginOf(text: string): { username: string; password: string } {
  const colon = text.indexOf(':');
  if (colon < 0) return { username: unescaped(text), password: '' };
  return { username: unescaped(text.slice(0, colon)), password: unescaped(text.slice(colon + 1)) };
}

/** Decodes a text; returns a text that is not valid escaping unchanged. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The URL of its parts, without a login. */
export function joined({ scheme, host, port, path }: AddressParts): string {
  const shownHost = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const shownPort = port === '' ? '' : `:${port}`;
  const shownPath = path === '' || /^[/?]/.test(path) ? path : `/${path}`;
  return `${scheme}://${shownHost.trim()}${shownPort}${escapedPath(shownPath.trim())}`;
}

/** Escapes the characters that a path cannot contain. */
function escapedPath(path: string): string {
  return path.replace(/[#\s"<>]/g, (letter) => encodeURIComponent(letter));
}

/** Describes the fault of a host; null: none. */
export function hostFault(host: string): string | null {
  const trimmed = host.trim();
  if (trimmed === '') return t('Enter the address of the camera, such as 192.0.2.10.');
  const shown = trimmed.includes(':') && !trimmed.startsWith('[') ? `[${trimmed}]` : trimmed;
  const isHost = HOST_AND_PORT.test(shown) && !/:\d+$/.test(shown) && URL.canParse(`http://${shown}/`);
  return isHost
    ? null
    : t('Enter only an address or a name, such as 192.0.2.10; the port has its own field.');
}

/** Describes the fault of a port; null: none. */
export function portFault(port: string): string | null {
  if (port === '') return null;
  const value = Number(port);
  return /^\d{1,5}$/.test(port) && value >= 1 && value <= MAX_PORT
    ? null
    : t('A port is a number up to 65535.');
}

/** Replaces the placeholders in a vendor's path (`camera/getCameraUrlTemplates`). */
export function filledTemplate(path: string, channel: number, token: string): string {
  return path
    .replaceAll('{channel}', String(channel))
    .replaceAll('{channel0}', String(channel - 1))
    .replaceAll('{channel2}', String(channel).padStart(2, '0'))
    .replaceAll('{token}', encodeURIComponent(token));
}
