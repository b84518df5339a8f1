/**
 * Who asks (spec, "Authentication"): `x-auth-apikey` names the key, `x-auth-scheme` what kind it is, and, for
 * partner keys, `x-auth-org` the client organisation to act on. In place of a key an application brings an OAuth access
 * token, in `x-auth-access-token` or as `Authorization: Bearer`; it has the rights of the key that granted it. A page
 * brings a federated session, in `x-auth-ft` (federated-session.ts).
 *
 * Every refusal is the same 401, so that it tells nothing about which keys or organisations exist. Only failures count
 * against an address: one that keeps failing gets 429 in place of 401, and a credential that is good works from there as
 * from everywhere, because one address may stand for a whole office. Credentials are looked up by their SHA-256, so
 * that how long it takes says nothing about them; look-ups for addresses that keep failing wait for each other, so that
 * a flood of guesses holds up nobody else's requests to the store.
 */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import type { AccessTokenCache, GrantedAccess } from '../../accounts/access-tokens.ts';
import type { Caller } from '../../accounts/caller.ts';
import {
  type FederatedSessionCache,
  isFromDomain,
  type SessionAccess,
} from '../../accounts/federated-session.ts';
import type { KeyCache } from '../../accounts/key-cache.ts';
import { GatewayError } from '../../core/errors.ts';
import { FewAtOnce } from '../../core/few-at-once.ts';
import { isRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { RateLimiter, RateVerdict } from '../../counters/rate-limiter.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKeyScheme } from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';
import { API_ERRORS } from './errors.ts';

export const API_KEY_HEADER = 'x-auth-apikey';
export const SCHEME_HEADER = 'x-auth-scheme';
export const CLIENT_ORG_HEADER = 'x-auth-org';
export const ACCESS_TOKEN_HEADER = 'x-auth-access-token';
export const SESSION_HEADER = 'x-auth-ft';

export const SESSION_SCHEME = 'federated-token';

/** Longer header values are no key or token of ours and are not hashed. */
const MAX_CREDENTIAL_LENGTH = 512;

const BEARER_PREFIX = /^bearer +/i;

/** The spellings of `x-auth-scheme`. */
export const SCHEME_NAMES = [
  'api-token',
  'api',
  'partner-api-token',
  'partner-api',
  'device',
  'api-oauth-token',
  'partner-api-oauth-token',
  SESSION_SCHEME,
] as const;

const KEY_SCHEME_BY_NAME: ReadonlyMap<string, ApiKeyScheme> = new Map([
  ['api-token', 'api'],
  ['api', 'api'],
  ['partner-api-token', 'partner-api'],
  ['partner-api', 'partner-api'],
  ['device', 'device'],
]);

const TOKEN_SCHEME_BY_NAME: ReadonlyMap<string, ApiKeyScheme> = new Map([
  ['api-oauth-token', 'api'],
  ['partner-api-oauth-token', 'partner-api'],
]);

/** What an endpoint takes: keys of a scheme; `viewing` as `api`, and federated sessions besides. */
export type EndpointAccess = ApiKeyScheme | 'viewing';

const ADMITTED_KEYS: Readonly<Record<EndpointAccess, readonly ApiKeyScheme[]>> = {
  viewing: ['api', 'partner-api'],
  api: ['api', 'partner-api'],
  'partner-api': ['partner-api'],
  device: ['device', 'api'],
};

/** Whose key it is when a request names no scheme. */
const DEFAULT_KEYS: Readonly<Record<EndpointAccess, readonly ApiKeyScheme[]>> = {
  viewing: ['api'],
  api: ['api'],
  'partner-api': ['partner-api'],
  device: ADMITTED_KEYS.device,
};

export interface AuthenticationParts {
  readonly keys: KeyCache;
  readonly tokens: AccessTokenCache;
  readonly sessions: FederatedSessionCache;
  readonly organisations: Store['organisations'];
  /** Failed attempts by address. */
  readonly failures: RateLimiter;
  /** Look-ups of unknown credentials from addresses that keep failing. */
  readonly suspectLookUps: FewAtOnce;
}

/** Beside these, the store has room for everybody else's requests. */
const SUSPECT_LOOK_UPS_AT_ONCE = 4;
/** As many as there are connections (limits.ts), and some that a client sends without waiting for answers. */
const MAX_WAITING_SUSPECTS = 4_096;

export function createSuspectLookUps(): FewAtOnce {
  return new FewAtOnce(
    SUSPECT_LOOK_UPS_AT_ONCE,
    MAX_WAITING_SUSPECTS,
    () => new GatewayError(API_ERRORS.OVERLOADED),
  );
}

/** What a request brings: the hash of one credential, and the schemes it may turn out to have. */
interface Presented {
  readonly kind: 'key' | 'token' | 'session';
  readonly hash: string;
  readonly accepted: readonly ApiKeyScheme[];
}

/**
 * `endpointAccess`: `api` endpoints take the keys of organisations and of partners, `partner-api` endpoints only
 * partners' and `device` endpoints those of devices and of organisations. A request that names no scheme comes with a
 * key of the endpoint's own scheme, or at `device` endpoints with either; a token needs no scheme. Fails
 * AUTHENTICATION_FAILED, or API_RATE_LIMITED when the address failed too often, after telling `onRefused` what is left of
 * its attempts.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  remoteAddress: string,
  endpointAccess: EndpointAccess,
  parts: AuthenticationParts,
  onRefused: (verdict: RateVerdict) => void,
): Promise<Caller> {
  const presented = presentedCredential(headers, endpointAccess);
  const caller = presented === null ? null : await lookUp(headers, presented, remoteAddress, parts);
  if (caller !== null) return caller;
  await countFailure(remoteAddress, parts.failures, onRefused);
  throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
}

async function lookUp(
  headers: IncomingHttpHeaders,
  presented: Presented,
  remoteAddress: string,
  parts: AuthenticationParts,
): Promise<Caller | null> {
  const find = () => findCaller(headers, presented, parts);
  if (isKnown(presented, parts)) return find();
  const { isAllowed } = await parts.failures.peek(addressKey(remoteAddress));
  return isAllowed ? find() : parts.suspectLookUps.run(find);
}

/** Counts one failure of the address. Fails API_RATE_LIMITED when it was one too many. */
export async function countFailure(
  remoteAddress: string,
  failures: RateLimiter,
  onRefused: (verdict: RateVerdict) => void,
): Promise<void> {
  const verdict = await failures.take(addressKey(remoteAddress));
  onRefused(verdict);
  refuseBeyondLimit(verdict, onRefused);
}

/** The refusal of a request beyond a rate limit. */
export function rateLimited(retryAfterSec: number): GatewayError {
  return new GatewayError(API_ERRORS.API_RATE_LIMITED, { retryAfterSec });
}

function refuseBeyondLimit(verdict: RateVerdict, onRefused: (verdict: RateVerdict) => void): void {
  if (verdict.isAllowed) return;
  onRefused(verdict);
  throw rateLimited(verdict.retryAfterSec);
}

/** What the scheme says; null when there is none of that kind or the endpoint takes none of it. */
function presentedCredential(headers: IncomingHttpHeaders, endpointAccess: EndpointAccess): Presented | null {
  const name = headers[SCHEME_HEADER];
  const admitted = ADMITTED_KEYS[endpointAccess];
  const forSessions: readonly ApiKeyScheme[] = endpointAccess === 'viewing' ? ['api'] : [];
  const key = credentialText(headers[API_KEY_HEADER]);
  const token = credentialText(headers[ACCESS_TOKEN_HEADER]) ?? bearerToken(headers.authorization);
  const session = credentialText(headers[SESSION_HEADER]);
  if (name === undefined || name === '') {
    if (key !== null) return presentedAs('key', key, DEFAULT_KEYS[endpointAccess]);
    if (token !== null) return presentedAs('token', token, admitted);
    return presentedAs('session', session, forSessions);
  }
  if (typeof name !== 'string') return null;
  if (name === SESSION_SCHEME) return presentedAs('session', session, forSessions);
  const keyScheme = KEY_SCHEME_BY_NAME.get(name);
  if (keyScheme !== undefined)
    return presentedAs('key', key, admitted.includes(keyScheme) ? [keyScheme] : []);
  const tokenScheme = TOKEN_SCHEME_BY_NAME.get(name);
  if (tokenScheme === undefined) return null;
  return presentedAs('token', token, admitted.includes(tokenScheme) ? [tokenScheme] : []);
}

function presentedAs(
  kind: Presented['kind'],
  credential: string | null,
  accepted: readonly ApiKeyScheme[],
): Presented | null {
  if (credential === null || accepted.length === 0) return null;
  return { kind, hash: hashApiKey(credential), accepted };
}

function credentialText(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CREDENTIAL_LENGTH ? value : null;
}

/** RFC 6750 §2.1. */
function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER_PREFIX.test(authorization)) return null;
  return credentialText(authorization.replace(BEARER_PREFIX, ''));
}

function isKnown(presented: Presented, parts: AuthenticationParts): boolean {
  switch (presented.kind) {
    case 'key':
      return parts.keys.knows(presented.hash);
    case 'token':
      return parts.tokens.knows(presented.hash);
    case 'session':
      return parts.sessions.knows(presented.hash);
  }
}

async function findCaller(
  headers: IncomingHttpHeaders,
  presented: Presented,
  parts: AuthenticationParts,
): Promise<Caller | null> {
  if (presented.kind === 'token') {
    const access = await parts.tokens.find(presented.hash);
    return access === null ? null : callerOfToken(headers, presented, access, parts);
  }
  if (presented.kind === 'session') {
    const access = await parts.sessions.find(presented.hash);
    return access === null ? null : callerOfSession(headers, access, parts);
  }
  const key = await parts.keys.find(presented.hash);
  if (key === null || key.revokedAtMs !== null || !presented.accepted.includes(key.scheme)) return null;
  if (!timingSafeEqual(Buffer.from(key.keyHash, 'hex'), Buffer.from(presented.hash, 'hex'))) return null;
  const orgUuid = await actedOnOrganisation(headers, key.scheme, key.orgUuid, parts.organisations);
  return orgUuid === null ? null : { key, scheme: key.scheme, orgUuid, grant: null };
}

async function callerOfToken(
  headers: IncomingHttpHeaders,
  presented: Presented,
  access: GrantedAccess,
  parts: AuthenticationParts,
): Promise<Caller | null> {
  const { key, grant } = access;
  const isForClient = grant.orgUuid !== key.orgUuid;
  const scheme = isForClient ? 'api' : key.scheme;
  if (!presented.accepted.includes(scheme)) return null;
  // A partner that lost the client lost what it granted there.
  if (isForClient && !(await isClientOf(key.orgUuid, grant.orgUuid, parts.organisations))) return null;
  const orgUuid = await actedOnOrganisation(headers, scheme, grant.orgUuid, parts.organisations);
  return orgUuid === null ? null : { key, scheme, orgUuid, grant };
}

async function callerOfSession(
  headers: IncomingHttpHeaders,
  { key, orgUuid, domain }: SessionAccess,
  { organisations }: AuthenticationParts,
): Promise<Caller | null> {
  if (!isFromDomain(headers.origin, domain)) return null;
  if (key.orgUuid !== orgUuid && !(await isClientOf(key.orgUuid, orgUuid, organisations))) return null;
  const actedOn = await actedOnOrganisation(headers, 'api', orgUuid, organisations);
  return actedOn === null ? null : { key, scheme: 'api', orgUuid, grant: null };
}

async function actedOnOrganisation(
  headers: IncomingHttpHeaders,
  scheme: ApiKeyScheme,
  homeOrgUuid: Ruuid,
  organisations: Store['organisations'],
): Promise<Ruuid | null> {
  const named = headers[CLIENT_ORG_HEADER];
  if (named === undefined || named === '' || named === homeOrgUuid) return homeOrgUuid;
  if (scheme !== 'partner-api' || !isRuuid(named)) return null;
  return (await isClientOf(homeOrgUuid, named, organisations)) ? named : null;
}

async function isClientOf(
  partnerUuid: Ruuid,
  orgUuid: Ruuid,
  organisations: Store['organisations'],
): Promise<boolean> {
  return (await organisations.find(orgUuid))?.partnerUuid === partnerUuid;
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
