/**
 * How values are written in the configuration, in the file as well as in the environment: each type parses a text. A type
 * describes its values in words; the error message and the reference page use these words.
 */

import { isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { type HostPort, parseHostPort } from '../../core/host-port.ts';
import { isNetwork } from '../../core/ip-address.ts';
import { isRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type CredentialUrl, Secret } from '../../core/secret.ts';
import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';
import type { ProbeTarget } from '../../devices/onvif/ws-discovery.ts';
import { DISCOVERY_PORT } from '../../onvif/discovery-messages.ts';
import type { RuleSchedule } from '../../recording/recording-rule.ts';
import { parseWeeklyTimes } from '../../recording/weekly-times.ts';
import { parsePulledUrl, parseSchemeUrl } from '../../sources/network/camera-url.ts';
import { parseTlsTrust, type TlsTrust } from '../../sources/network/tls-trust.ts';
import { PUBLISH_KEY_PATTERN } from '../../sources/rtmp/publish-key.ts';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** `Unit` is the suffix of the field that holds the value: `segmentTarget` is read into `segmentTargetMs`. */
export interface ValueType<T, Unit extends string = ''> {
  /** Completes "expected …". */
  readonly expected: string;
  readonly unit: Unit;
  /** The value may contain a credential: it is never repeated in a message. */
  readonly isSecret: boolean;
  /** All texts that it accepts, if they are few; absent: they are many. */
  readonly choices?: readonly string[];
  /** In the file, it can also be a mapping of scalars: it reads like `key: value` pairs separated by commas. */
  readonly isMapping?: boolean;
  parse(text: string): Parsed<T>;
}

const WRONG = { ok: false } as const;
const MAX_TEXT_LENGTH = 1_024;
const MIN_API_KEY_LENGTH = 20;
const MIN_CLUSTER_SECRET_LENGTH = 32;

function right<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

function plainType<T>(expected: string, parse: (text: string) => Parsed<T>): ValueType<T> {
  return { expected, unit: '', isSecret: false, parse };
}

/** Any text that is not blank. */
export const text: ValueType<string> = plainType(`text of 1 to ${MAX_TEXT_LENGTH} characters`, (value) =>
  value.trim() === '' || value.length > MAX_TEXT_LENGTH ? WRONG : right(value.trim()),
);

export const flag: ValueType<boolean> = {
  ...plainType('true or false', (value) =>
    value === 'true' ? right(true) : value === 'false' ? right(false) : WRONG,
  ),
  choices: ['true', 'false'],
};

export function choice<const C extends readonly string[]>(...choices: C): ValueType<C[number]> {
  const type = plainType<C[number]>(`one of ${choices.join(', ')}`, (value) =>
    choices.includes(value) ? right(value as C[number]) : WRONG,
  );
  return { ...type, choices };
}

export function integer(min: number, max: number): ValueType<number> {
  return plainType(`a whole number from ${min} to ${max}`, (value) =>
    /^\d{1,15}$/.test(value) ? within(Number(value), min, max) : WRONG,
  );
}

export function decimal(min: number, max: number): ValueType<number> {
  return plainType(`a number from ${min} to ${max}`, (value) =>
    /^[-+]?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? within(Number(value), min, max) : WRONG,
  );
}

const MS_OF_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds, written with a unit. Bounds are written like values. */
export function duration(min: string, max: string): ValueType<number, 'Ms'> {
  const [minMs, maxMs] = [durationMs(min), durationMs(max)];
  return {
    expected: `a duration with a unit (ms, s, m, h, d) from ${min} to ${max}, such as "2s"`,
    unit: 'Ms',
    isSecret: false,
    parse: (value) => within(durationMs(value), minMs, maxMs),
  };
}

function durationMs(value: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(value);
  return match === null ? Number.NaN : Math.round(Number(match[1]) * MS_OF_UNIT[match[2]!]!);
}

/** How long each recorded stream is kept. */
export interface KeptTimes {
  readonly mainMs: number;
  readonly subMs: number;
  /** How long key frames are, after everything else of their time was deleted; null: they are deleted with it. */
  readonly keyFramesMs: number | null;
}

/** One duration for both streams, or one for each, and perhaps one for key frames. Bounds are written like values. */
export function keptTimes(min: string, max: string): ValueType<KeptTimes> {
  const one = duration(min, max);
  return {
    ...plainType(`${one.expected}, or several { main: 14d, sub: 90d, keyFrames: 365d }`, (value) => {
      const texts = value.includes(':') ? textsOf(value) : { main: value };
      const { main, sub = main, keyFrames, ...others } = texts;
      const isAlone = Object.keys(texts).length === 1 && value.includes(':');
      if (main === undefined || isAlone || Object.keys(others).length > 0) return WRONG;
      const [mainTime, subTime] = [one.parse(main), one.parse(sub!)];
      const keyFramesTime = keyFrames === undefined ? right(null) : one.parse(keyFrames);
      if (!mainTime.ok || !subTime.ok || !keyFramesTime.ok) return WRONG;
      const times = { mainMs: mainTime.value, subMs: subTime.value, keyFramesMs: keyFramesTime.value };
      return right(Object.freeze(times));
    }),
    isMapping: true,
  };
}

/** Of `key: value, key: value`. */
function textsOf(pairs: string): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.split(/, */).map((pair) => pair.split(/: */, 2)));
}

const BYTES_OF_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Bytes, written with a unit. Bounds are written like values. */
export function size(min: string, max: string): ValueType<number, 'Bytes'> {
  const [minBytes, maxBytes] = [sizeBytes(min), sizeBytes(max)];
  return {
    expected: `a size with a unit (B, KB, MB, GB, KiB, MiB, GiB) from ${min} to ${max}, such as "50MiB"`,
    unit: 'Bytes',
    isSecret: false,
    parse: (value) => within(sizeBytes(value), minBytes, maxBytes),
  };
}

function sizeBytes(value: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(B|[KMG]i?B)$/.exec(value);
  return match === null ? Number.NaN : Math.round(Number(match[1]) * BYTES_OF_UNIT[match[2]!]!);
}

/** NaN is outside every range. */
function within(value: number, min: number, max: number): Parsed<number> {
  return value >= min && value <= max ? right(value) : WRONG;
}

export const listenAddress: ValueType<HostPort> = plainType(
  'host:port, such as 127.0.0.1:8080 or [::1]:8080',
  (value) => {
    const address = parseHostPort(value);
    return address === null ? WRONG : right(address);
  },
);

/** Where to connect to: a listen address with a port that others can know. */
export const peerAddress: ValueType<HostPort> = plainType(
  'host:port, such as node-1.internal:7700 or [2001:db8::1]:7700',
  (value) => {
    const parsed = listenAddress.parse(value);
    return parsed.ok && parsed.value.port > 0 ? parsed : WRONG;
  },
);

/** The name of a cluster or of one of its nodes. */
export const clusterName: ValueType<string> = plainType(
  '1 to 64 letters, digits, hyphens and underscores',
  (value) => (/^[A-Za-z0-9_-]{1,64}$/.test(value) ? right(value) : WRONG),
);

/** Nodes of a cluster prove this secret to each other: it must not be guessable. */
export const clusterSecret: ValueType<Secret> = {
  expected: `a random secret of ${MIN_CLUSTER_SECRET_LENGTH} to 512 characters without spaces`,
  unit: '',
  isSecret: true,
  parse: (value) =>
    new RegExp(`^[!-~]{${MIN_CLUSTER_SECRET_LENGTH},512}$`).test(value) ? right(new Secret(value)) : WRONG,
};

/** Where a probe for ONVIF cameras goes. No host names: each probe would look them up. */
export const probeTarget: ValueType<ProbeTarget> = plainType(
  'an IPv4 address with or without a port, such as 192.0.2.255 or 192.0.2.10:3702',
  (value) => {
    const [, address = '', port = String(DISCOVERY_PORT)] = /^([\d.]+)(?::(\d{1,5}))?$/.exec(value) ?? [];
    if (!isIPv4(address) || address === '0.0.0.0' || Number(port) < 1 || Number(port) > 65_535) return WRONG;
    return right(Object.freeze({ address, port: Number(port) }));
  },
);

/** An absolute path; relative ones start at the working directory. */
export const path: ValueType<string> = plainType('a path', (value) =>
  value.trim() === '' || value.includes('\0') ? WRONG : right(resolve(value.trim())),
);

/** An http or https URL without trailing slash, query or credentials. */
/** A path of a reverse proxy that clients cannot reach. */
export const internalLocation: ValueType<string> = plainType('a path such as /sluice-files/', (value) =>
  /^\/[A-Za-z0-9._~/-]*\/$/.test(value) && !value.includes('..') ? right(value) : WRONG,
);

export const webUrl: ValueType<string> = plainType('a URL that starts with http:// or https://', (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return WRONG;
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return WRONG;
  return right(withoutTrailingSlashes(url.href));
});

/** Without a path and a login. */
export const rtspBase: ValueType<string> = plainType(
  'a URL that starts with rtsp:// or rtsps:// and has a host, perhaps with a port',
  (value) => {
    const base = withoutTrailingSlashes(value.trim()).toLowerCase();
    return /^rtsps?:\/\/[a-z\d.-]+(?::\d{1,5})?$/.test(base) && URL.canParse(base) ? right(base) : WRONG;
  },
);

const HOST = /^[a-z\d.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/;

/** A host as pages' policies name it, and a path with each of {z}, {x}, and {y}. */
export const tileTemplate: ValueType<string> = plainType(
  'a URL that starts with https:// or http:// and has {z}, {x}, and {y} after the host',
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || !HOST.test(url.host)) return WRONG;
    if (url.hash !== '' || url.username !== '' || url.password !== '') return WRONG;
    const rest = value.slice(value.indexOf('//') + 2).replace(/^[^/?]*/, '');
    return ['{z}', '{x}', '{y}'].every((name) => rest.includes(name)) ? right(value) : WRONG;
  },
);

/** As it is: servers tell URLs with and without a slash at the end apart. */
export const secureUrl: ValueType<string> = plainType('a URL that starts with https://', (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol !== 'https:' || url.hash !== '' || url.username !== '' || url.password !== '')
    return WRONG;
  return right(url.href);
});

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const MAX_DOMAIN_LENGTH = 253;

/** Where people can be reached, as a URI (RFC 9116 §2.5.3). */
export const contactUri: ValueType<string> = plainType(
  'a URI that starts with https://, mailto: or tel:',
  (value) =>
    /^(?:https:\/\/|mailto:|tel:)[!-~]{3,512}$/.test(value) && URL.canParse(value) ? right(value) : WRONG,
);

/** A day, at its beginning in UTC. */
export const date: ValueType<number, 'EpochMs'> = {
  ...plainType('a date such as 2027-06-30', (value) => {
    const epochMs = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
    // 2027-02-30 would be March 2.
    const isDay = !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(value);
    return isDay ? right(epochMs) : WRONG;
  }),
  unit: 'EpochMs',
};

/** A name in a certificate (RFC 1123 §2.1). No wildcards: they cannot be proven over HTTP. */
export const domainName: ValueType<string> = plainType('a domain name such as video.example.com', (value) => {
  const name = value.toLowerCase();
  if (name.length > MAX_DOMAIN_LENGTH || isIP(name) !== 0) return WRONG;
  return name.split('.').every((label) => LABEL.test(label)) ? right(name) : WRONG;
});

export const email: ValueType<string> = plainType('an email address', (value) =>
  /^[^\s@<>,;:]{1,64}@[^\s@<>,;:]{1,253}$/.test(value) ? right(value) : WRONG,
);

/** A web origin, or `*` for all. */
export const origin: ValueType<string> = plainType('an origin such as https://example.com, or *', (value) =>
  value === '*' || (URL.canParse(value) && new URL(value).origin === value) ? right(value) : WRONG,
);

/** An IP address or a network in CIDR notation (RFC 4632). */
export const network: ValueType<string> = plainType('an IP address or network such as 10.0.0.0/8', (value) =>
  isNetwork(value) ? right(value) : WRONG,
);

/** A URL that can carry a user name and password. */
export function credentialUrl(...schemes: readonly string[]): ValueType<CredentialUrl> {
  const starts = schemes.map((scheme) => `${scheme}://`).join(' or ');
  return {
    expected: `a URL that starts with ${starts} (write # / ? @ in a password as %23 %2F %3F %40)`,
    unit: '',
    isSecret: true,
    parse: (value) => {
      const url = parseSchemeUrl(value, schemes);
      return url === null ? WRONG : right(url);
    },
  };
}

/** Where a camera is. An SRT URL needs a port, and it is the gateway that calls. */
export const cameraUrl: ValueType<CredentialUrl> = {
  expected:
    'an rtsp://, rtsps://, rtsp+http://, rtsp+https://, http://, https://, rtmp://, rtmps:// or srt://host:port URL (write # / ? @ in a password as %23 %2F %3F %40)',
  unit: '',
  isSecret: true,
  parse: (text) => {
    const url = parsePulledUrl(text);
    return url === null ? WRONG : right(url);
  },
};

/** An API key as its users send it: it must not be guessable. */
export const apiKey: ValueType<Secret> = {
  expected: `a random key of at least ${MIN_API_KEY_LENGTH} characters without spaces`,
  unit: '',
  isSecret: true,
  parse: (value) =>
    new RegExp(`^[!-~]{${MIN_API_KEY_LENGTH},512}$`).test(value) ? right(new Secret(value)) : WRONG,
};

/** Key with which a device pushes the video of a camera. */
export const publishKey: ValueType<Secret> = {
  expected: 'a random key of 20 to 128 letters, digits, hyphens and underscores',
  unit: '',
  isSecret: true,
  parse: (value) => (PUBLISH_KEY_PATTERN.test(value) ? right(new Secret(value)) : WRONG),
};

/** A secret that someone else chose. */
export const secretText: ValueType<Secret> = {
  expected: 'a secret of 1 to 512 characters without spaces',
  unit: '',
  isSecret: true,
  parse: (value) => (/^[!-~]{1,512}$/.test(value) ? right(new Secret(value)) : WRONG),
};

/** A token that a server made: those of some have more than 1,000 characters. */
export const longSecret: ValueType<Secret> = {
  expected: 'a secret of 1 to 4096 characters without spaces',
  unit: '',
  isSecret: true,
  parse: (value) => (/^[!-~]{1,4096}$/.test(value) ? right(new Secret(value)) : WRONG),
};

export const ruuid: ValueType<Ruuid> = plainType(
  'a UUID written as 22 characters of URL-safe Base64',
  (value) => (isRuuid(value) ? right(value) : WRONG),
);

/** An IANA time zone that this machine knows. */
export const timeZone: ValueType<string> = plainType(
  'an IANA time zone such as America/New_York',
  (value) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: value });
      return right(value);
    } catch {
      // RangeError is how Intl reports an unknown zone.
      return WRONG;
    }
  },
);

/** Required proof of a camera's certificate. */
export const tlsTrust: ValueType<TlsTrust> = plainType(
  'any, verify, or sha256: followed by the fingerprint as 64 hexadecimal digits',
  (value) => {
    const trust = parseTlsTrust(value);
    return trust === null ? WRONG : right(trust);
  },
);

/** When a camera is recorded: a schedule of the store, or times of the week. */
export const recordingSchedule: ValueType<RuleSchedule> = plainType(
  'the UUID of a schedule, or times of the week such as "Mon-Fri 08:00-18:00, Sat 22:00-06:00"',
  (value): Parsed<RuleSchedule> => {
    if (isRuuid(value)) return right({ kind: 'stored', uuid: value });
    const intervals = parseWeeklyTimes(value);
    return intervals === null ? WRONG : right({ kind: 'weekly', intervals });
  },
);

const MAX_LIST_ITEMS = 256;

/** Several values: a YAML list, or separated by commas. */
export function listOf<T>(item: ValueType<T>): ValueType<readonly T[]> {
  return plainType(`a list; each item is ${item.expected}`, (value) => {
    const values: T[] = [];
    const items = value.split(',').filter((piece) => piece.trim() !== '');
    if (items.length > MAX_LIST_ITEMS) return WRONG;
    for (const piece of items) {
      const parsed = item.parse(piece.trim());
      if (!parsed.ok) return WRONG;
      values.push(parsed.value);
    }
    return right(Object.freeze(values));
  });
}
