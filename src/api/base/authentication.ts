/**
 * Who asks (spec, "Authentication"): `x-auth-apikey` names the key, `x-auth-scheme` what kind it is, and, for
 * partner keys, `x-auth-org` the client organisation to act on.
 *
 * Every refusal is the same 401, so that it tells nothing about which keys or organisations exist. An address that
 * keeps failing is answered 429 without a look-up; keys that worked lately keep working from there, because one
 * address may stand for a whole office.
 */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { GatewayError } from '../../core/errors.ts';
import { isRuuid, type Ruuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey, ApiKeyScheme } from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';
import { API_ERRORS } from './errors.ts';
import type { KeyCache } from './key-cache.ts';
import type { RateLimiter } from './rate-limiter.ts';

export const API_KEY_HEADER = 'x-auth-apikey';
export const SCHEME_HEADER = 'x-auth-scheme';
export const CLIENT_ORG_HEADER = 'x-auth-org';

/** Longer header values are no key of ours and are not hashed. */
const MAX_API_KEY_LENGTH = 512;

/** The spellings of `x-auth-scheme`. */
export const SCHEME_NAMES = ['api-token', 'api', 'partner-api-token', 'partner-api'] as const;

const KEY_SCHEME_BY_NAME: ReadonlyMap<string, ApiKeyScheme> = new Map([
  ['api-token', 'api'],
  ['api', 'api'],
  ['partner-api-token', 'partner-api'],
  ['partner-api', 'partner-api'],
]);

export interface Caller {
  readonly key: ApiKey;
  /** The organisation whose data the request reads and changes. */
  readonly orgUuid: Ruuid;
}

export interface AuthenticationParts {
  readonly keys: KeyCache;
  readonly organisations: Store['organisations'];
  /** Failed attempts by address. */
  readonly failures: RateLimiter;
}

/**
 * `endpointScheme`: `api` endpoints take both kinds of key, `partner-api` endpoints only partner keys; it is also the
 * kind of key expected when the request names no scheme. Fails AUTHENTICATION_FAILED or API_RATE_LIMITED.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  remoteAddress: string,
  endpointScheme: ApiKeyScheme,
  parts: AuthenticationParts,
): Promise<Caller> {
  const source = addressKey(remoteAddress);
  const keyHash = presentedKeyHash(headers);
  if (keyHash === null || !parts.keys.knows(keyHash)) {
    const verdict = await parts.failures.peek(source);
    if (!verdict.isAllowed) throw rateLimited(verdict.retryAfterSec);
  }
  const caller = keyHash === null ? null : await findCaller(headers, keyHash, endpointScheme, parts);
  if (caller !== null) return caller;
  const verdict = await parts.failures.take(source);
  throw verdict.isAllowed
    ? new GatewayError(API_ERRORS.AUTHENTICATION_FAILED)
    : rateLimited(verdict.retryAfterSec);
}

/** The refusal of a request beyond a rate limit. */
export function rateLimited(retryAfterSec: number): GatewayError {
  return new GatewayError(API_ERRORS.API_RATE_LIMITED, { retryAfterSec });
}

function presentedKeyHash(headers: IncomingHttpHeaders): string | null {
  const presented = headers[API_KEY_HEADER];
  if (typeof presented !== 'string' || presented === '' || presented.length > MAX_API_KEY_LENGTH) return null;
  return hashApiKey(presented);
}

async function findCaller(
  headers: IncomingHttpHeaders,
  keyHash: string,
  endpointScheme: ApiKeyScheme,
  parts: AuthenticationParts,
): Promise<Caller | null> {
  const scheme = presentedScheme(headers, endpointScheme);
  if (scheme === null || (endpointScheme === 'partner-api' && scheme !== 'partner-api')) return null;
  const key = await parts.keys.find(keyHash);
  if (key === null || key.revokedAtMs !== null || key.scheme !== scheme) return null;
  if (!timingSafeEqual(Buffer.from(key.keyHash, 'hex'), Buffer.from(keyHash, 'hex'))) return null;
  const orgUuid = await actedOnOrganisation(headers, key, parts.organisations);
  return orgUuid === null ? null : { key, orgUuid };
}

function presentedScheme(headers: IncomingHttpHeaders, endpointScheme: ApiKeyScheme): ApiKeyScheme | null {
  const name = headers[SCHEME_HEADER];
  if (name === undefined || name === '') return endpointScheme;
  return typeof name === 'string' ? (KEY_SCHEME_BY_NAME.get(name) ?? null) : null;
}

async function actedOnOrganisation(
  headers: IncomingHttpHeaders,
  key: ApiKey,
  organisations: Store['organisations'],
): Promise<Ruuid | null> {
  const named = headers[CLIENT_ORG_HEADER];
  if (named === undefined || named === '' || named === key.orgUuid) return key.orgUuid;
  if (key.scheme !== 'partner-api' || !isRuuid(named)) return null;
  const client = await organisations.find(named);
  return client !== null && client.partnerUuid === key.orgUuid ? client.uuid : null;
}

/** An IPv6 network of 64 bits counts as one address: whoever has one address of it has them all. */
function addressKey(remoteAddress: string): string {
  if (!isIPv6(remoteAddress) || remoteAddress.startsWith('::ffff:')) return remoteAddress;
  const [head = '', tail] = remoteAddress.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':');
    while (groups.length < 8 - tailGroups.length) groups.push('0');
    groups.push(...tailGroups);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
