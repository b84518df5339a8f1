/**
 * Who asks (docs/spec/conventions.md#authentication): `x-auth-apikey` names the key, `x-auth-scheme` what kind it is,
 * and, for partner keys, `x-auth-org` the client organisation to act on. In place of a key an application brings an
 * OAuth access token, in `x-auth-access-token` or as `Authorization: Bearer`; it has the rights of the key that
 * granted it. A page brings a federated session, in `x-auth-ft` (federated-session.ts).
 *
 * Every refusal is the same 401, so that it tells nothing about which keys or organisations exist. Only failures count
 * against an address: one that keeps failing gets 429 in place of 401, and a credential that is good works from there as
 * from everywhere, because one address may stand for a whole office. Credentials are looked up by their SHA-256, so
 * that how long it takes says nothing about them; look-ups for addresses that keep failing wait for each other, so that
 * a flood of guesses holds up nobody else's requests to the store.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../accounts/caller.ts';
import type { Callers, PresentedCredential } from '../../accounts/callers.ts';
import { GatewayError } from '../../core/errors.ts';
import { FewAtOnce } from '../../core/few-at-once.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import type { RateLimiter, RateVerdict } from '../../counters/rate-limiter.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKeyScheme } from '../../store/entities.ts';
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

/**
 * What an endpoint takes: keys of a scheme; `viewing` as `api`, and federated sessions besides; `viewing-device` also those
 * for one device.
 */
export type EndpointAccess = ApiKeyScheme | 'viewing' | 'viewing-device';

const ADMITTED_KEYS: Readonly<Record<EndpointAccess, readonly ApiKeyScheme[]>> = {
  'viewing-device': ['api', 'partner-api'],
  viewing: ['api', 'partner-api'],
  api: ['api', 'partner-api'],
  'partner-api': ['partner-api'],
  device: ['device', 'api'],
};

/** Whose key it is when a request names no scheme. */
const DEFAULT_KEYS: Readonly<Record<EndpointAccess, readonly ApiKeyScheme[]>> = {
  'viewing-device': ['api'],
  viewing: ['api'],
  api: ['api'],
  'partner-api': ['partner-api'],
  device: ADMITTED_KEYS.device,
};

const SESSION_ACCESS: ReadonlySet<EndpointAccess> = new Set(['viewing', 'viewing-device']);

export interface AuthenticationParts {
  readonly callers: Callers;
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
  const caller = presented === null ? null : await lookUp(presented, remoteAddress, parts);
  if (caller !== null) return caller;
  await countFailure(remoteAddress, parts.failures, onRefused);
  throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
}

/** Looks every credential up, so that a valid one works from an address whose guesses are limited. */
async function lookUp(
  presented: PresentedCredential,
  remoteAddress: string,
  { callers, failures, suspectLookUps }: AuthenticationParts,
): Promise<Caller | null> {
  const find = () => callers.find(presented);
  if (callers.knows(presented)) return find();
  const { isAllowed } = await failures.peek(subscriberOf(remoteAddress));
  return isAllowed ? find() : suspectLookUps.run(find);
}

/** Counts one failure of the address. Fails API_RATE_LIMITED when it was one too many. */
export async function countFailure(
  remoteAddress: string,
  failures: RateLimiter,
  onRefused: (verdict: RateVerdict) => void,
): Promise<void> {
  const verdict = await failures.take(subscriberOf(remoteAddress));
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

/** The credential that the headers present; null when there is none that the endpoint takes. */
function presentedCredential(
  headers: IncomingHttpHeaders,
  endpointAccess: EndpointAccess,
): PresentedCredential | null {
  const found = credentialByScheme(headers, endpointAccess);
  if (found === null || found.text === null || found.accepted.length === 0) return null;
  const namedOrg = headers[CLIENT_ORG_HEADER];
  return {
    ...{ kind: found.kind, hash: hashApiKey(found.text), accepted: found.accepted },
    namedOrg: typeof namedOrg === 'string' && namedOrg !== '' ? namedOrg : null,
    admitsOneDevice: endpointAccess === 'viewing-device',
    origin: headers.origin ?? null,
  };
}

interface FoundCredential {
  readonly kind: PresentedCredential['kind'];
  readonly text: string | null;
  readonly accepted: readonly ApiKeyScheme[];
}

/** What the scheme says; null when it is none of ours. */
function credentialByScheme(
  headers: IncomingHttpHeaders,
  endpointAccess: EndpointAccess,
): FoundCredential | null {
  const name = headers[SCHEME_HEADER];
  const admitted = ADMITTED_KEYS[endpointAccess];
  const key = credentialText(headers[API_KEY_HEADER]);
  const token = credentialText(headers[ACCESS_TOKEN_HEADER]) ?? bearerToken(headers.authorization);
  const session: FoundCredential = {
    ...{ kind: 'session', text: credentialText(headers[SESSION_HEADER]) },
    accepted: SESSION_ACCESS.has(endpointAccess) ? ['api'] : [],
  };
  if (name === undefined || name === '') {
    if (key !== null) return { kind: 'key', text: key, accepted: DEFAULT_KEYS[endpointAccess] };
    return token === null ? session : { kind: 'token', text: token, accepted: admitted };
  }
  if (typeof name !== 'string') return null;
  if (name === SESSION_SCHEME) return session;
  const onlyAdmitted = (scheme: ApiKeyScheme) => (admitted.includes(scheme) ? [scheme] : []);
  const keyScheme = KEY_SCHEME_BY_NAME.get(name);
  if (keyScheme !== undefined) return { kind: 'key', text: key, accepted: onlyAdmitted(keyScheme) };
  const tokenScheme = TOKEN_SCHEME_BY_NAME.get(name);
  return tokenScheme === undefined
    ? null
    : { kind: 'token', text: token, accepted: onlyAdmitted(tokenScheme) };
}

function credentialText(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CREDENTIAL_LENGTH ? value : null;
}

/** RFC 6750 §2.1. */
function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER_PREFIX.test(authorization)) return null;
  return credentialText(authorization.replace(BEARER_PREFIX, ''));
}
