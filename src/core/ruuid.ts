/**
 * RUUID: a UUID written as 22 characters of URL-safe Base64 without padding (docs/spec/conventions.md#common-types).
 * A DeviceFacetUuid is an RUUID with an optional facet after a dot: `….v0` (video), `….a0` (audio).
 */

import { createHash, randomUUID } from 'node:crypto';

declare const ruuidBrand: unique symbol;
export type Ruuid = string & { readonly [ruuidBrand]: true };

/** 16 bytes are 21 full characters and one that carries four bits; its low two bits are zero. */
const RUUID_PATTERN = /^[A-Za-z0-9_-]{21}[AQgw]$/;
const FACET_PATTERN = /^(?:[va](?:[0-9]|[1-4][0-9]|5[01]))?$/;

export function isRuuid(text: unknown): text is Ruuid {
  return typeof text === 'string' && RUUID_PATTERN.test(text);
}

/** A random (version 4) RUUID. It never begins with `-`, so that a command line does not mistake it for an option. */
export function newRuuid(): Ruuid {
  const text = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
  return text.startsWith('-') ? newRuuid() : (text as Ruuid);
}

/** The same RUUID for the same name, on every machine (UUID version 5, RFC 9562 §5.5). */
export function deriveRuuid(namespace: string, name: string): Ruuid {
  const digest = createHash('sha1').update(`sluice:${namespace}\0${name}`).digest().subarray(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('base64url') as Ruuid;
}

/** The first video of a camera: the camera itself, as long as it has no other. */
const FIRST_VIDEO_FACET = 'v0';

/** Whether a question about `wanted` is about `facet`: '' asks about all, and a camera without a facet shows `v0`. */
export function isFacetWanted(wanted: string, facet: string): boolean {
  return wanted === '' || wanted === facet || (wanted === FIRST_VIDEO_FACET && facet === '');
}

/** Splits `uuid` or `uuid.facet`; null when it is neither. `facet` is '' when absent. */
export function parseDeviceFacetUuid(text: unknown): { uuid: Ruuid; facet: string } | null {
  if (typeof text !== 'string') return null;
  const dot = text.indexOf('.');
  const uuid = dot < 0 ? text : text.slice(0, dot);
  const facet = dot < 0 ? '' : text.slice(dot + 1);
  return isRuuid(uuid) && FACET_PATTERN.test(facet) ? { uuid, facet } : null;
}
