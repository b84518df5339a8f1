/**
 * The sender of a request (docs/spec/conventions.md#authentication): `x-auth-apikey` names the key, `x-auth-scheme` its kind, and, for
 * partner keys, `x-auth-org` the client organization to act for. Instead of a key, an application sends an OAuth access token, in
 * `x-auth-access-token` or as `Authorization: Bearer`; the token has the rights of the key that granted it. A page sends a federated
 * session, in `x-auth-ft` (federated-session.ts) or, if it sends no credentials in headers, in the query. The console sends
 * `x-auth-scheme: console` and its cookie (console-cookie.ts).
 *
 * Every refusal is the same 401, so it reveals nothing about which keys or organizations exist; a key that has expired says so to those
 * who have it. Only failures count against an address: an
 * address that keeps failing gets 429 instead of 401. A valid credential still works from there, because a whole office can share one
 * address. Credentials are looked up by their SHA-256, so the time of the lookup reveals nothing about them. Lookups for addresses that
 * keep failing wait for each other, so a flood of guesses does not delay other requests to the store.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../accounts/caller.ts';
import type { Callers, PresentedCredential } from '../accounts/callers.ts';
import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { GatewayError } from '../core/errors.ts';
import { FewAtOnce } from '../core/few-at-once.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { RateLimiter, RateVerdict } from '../counters/rate-limiter.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import { consoleTokenIn, isFromOwnPage } from './console-cookie.ts';
import { API_ERRORS } from './errors.ts';

export const API_KEY_HEADER = 'x-auth-apikey';
export const SCHEME_HEADER = 'x-auth-scheme';
export const CLIENT_ORG_HEADER = 'x-auth-org';
export const ACCESS_TOKEN_HEADER = 'x-auth-access-token';
export const SESSION_HEADER = 'x-auth-ft';

export const SESSION_SCHEME = 'federated-token';
export const CONSOLE_SCHEME = 'console';

const CREDENTIAL_HEADERS = [
  API_KEY_HEADER,
  SCHEME_HEADER,
  SESSION_HEADER,
  ACCESS_TOKEN_HEADER,
  'authorization',
] as const;

/** Longer header values cannot be our keys or tokens and are not hashed. */
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
  CONSOLE_SCHEME,
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
 * The credentials that an endpoint accepts: keys of a scheme; `viewing`: those of `api`, and federated sessions; `viewing-device`: also
 * sessions for one device.
 */
export type EndpointAccess = ApiKeyScheme | 'viewing' | 'viewing-device';

const ADMITTED_KEYS: Readonly<Record<EndpointAccess, readonly ApiKeyScheme[]>> = {
  'viewing-device': ['api', 'partner-api'],
  viewing: ['api', 'partner-api'],
  api: ['api', 'partner-api'],
  'partner-api': ['partner-api'],
  device: ['device', 'api'],
};

/** The kind of key if a request does not name a scheme. */
const DEFAULT_KEYS: Readonly<Record<EndpointAccess, readonly ApiKeyScheme[]>> = {
  'viewing-device': ['api'],
  viewing: ['api'],
  api: ['api'],
  'partner-api': ['partner-api'],
  device: ADMITTED_KEYS.device,
};

const SESSION_ACCESS: ReadonlySet<EndpointAccess> = new Set(['viewing', 'viewing-device']);
/** People act as an organization's own keys do. */
const CONSOLE_ACCESS: ReadonlySet<EndpointAccess> = new Set(['api', 'viewing', 'viewing-device']);

export interface AuthenticationParts {
  readonly callers: Callers;
  /** Failed attempts by address. */
  readonly failures: RateLimiter;
  /** Lookups of unknown credentials from addresses that keep failing. */
  readonly suspectLookUps: FewAtOnce;
  /** The base address whose pages can use the console's cookie; null: the cookie is not accepted. */
  readonly consoleUrl: string | null;
  /** The caller was admitted before and does nothing: see PresentedCredential. */
  readonly isRecheck?: boolean;
  /** See PresentedCredential. Default false. */
  readonly endsAccess?: boolean;
}

/** Apart from these, the store has room for other requests. */
const SUSPECT_LOOK_UPS_AT_ONCE = 4;
/**
 * As many as there can be connections (limits.ts), plus some for clients that send requests without waiting for
 * responses.
 */
const MAX_WAITING_SUSPECTS = 4_096;

export function createSuspectLookUps(): FewAtOnce {
  return new FewAtOnce(
    SUSPECT_LOOK_UPS_AT_ONCE,
    MAX_WAITING_SUSPECTS,
    () => new GatewayError(API_ERRORS.OVERLOADED),
  );
}

/**
 * `endpointAccess`: `api` endpoints accept keys of organizations and partners, `partner-api` endpoints only partner keys,
 * and `device` endpoints keys of devices and organizations. If a request names no scheme, its key is one of the
 * endpoint's own scheme, or either kind at `device` endpoints; a token needs no scheme. Fails AUTHENTICATION_FAILED, API_TOKEN_EXPIRED, or
 * API_RATE_LIMITED if the address failed too often, after passing to `onRefused` how many attempts are left.
 */
export async function authenticate(
  headers: IncomingHttpHeaders,
  remoteAddress: string,
  endpointAccess: EndpointAccess,
  parts: AuthenticationParts,
  onRefused: (verdict: RateVerdict) => void,
): Promise<Caller> {
  const found = await callerIfAny(headers, remoteAddress, endpointAccess, parts).catch(expiredKey);
  if (found !== null && !(found instanceof GatewayError)) return found;
  await countFailure(remoteAddress, parts.failures, onRefused);
  throw found ?? new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
}

/** A program that does not stop counts like one that guesses. */
function expiredKey(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.code === ACCOUNT_ERRORS.API_TOKEN_EXPIRED.code) return thrown;
  throw thrown;
}

/** The same without a refusal: null if the request has no credential that works. Nothing counts as a guess. Fails API_TOKEN_EXPIRED. */
export async function callerIfAny(
  headers: IncomingHttpHeaders,
  remoteAddress: string,
  endpointAccess: EndpointAccess,
  parts: AuthenticationParts,
): Promise<Caller | null> {
  const presented = presentedCredential(headers, endpointAccess, parts);
  return presented === null ? null : lookUp(presented, remoteAddress, parts);
}

/** A misspelled kind of credentials is not ignored, even where none are needed. Fails AUTHENTICATION_FAILED. */
export function expectKnownScheme({ [SCHEME_HEADER]: name }: IncomingHttpHeaders): void {
  const names: readonly unknown[] = SCHEME_NAMES;
  if (name !== undefined && !names.includes(name)) throw new GatewayError(API_ERRORS.AUTHENTICATION_FAILED);
}

/** Looks up every credential, so that a valid one works from an address whose guesses are limited. */
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

/** Counts a failure of the address. Fails API_RATE_LIMITED if that was one too many. */
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

/** The credential in the headers; null if there is none that the endpoint accepts. */
function presentedCredential(
  headers: IncomingHttpHeaders,
  endpointAccess: EndpointAccess,
  { consoleUrl, isRecheck = false, endsAccess = false }: AuthenticationParts,
): PresentedCredential | null {
  const found = credentialByScheme(headers, endpointAccess, consoleUrl);
  if (found === null || found.text === null || found.accepted.length === 0) return null;
  const namedOrg = headers[CLIENT_ORG_HEADER];
  return {
    kind: found.kind,
    hash: hashApiKey(found.text),
    accepted: found.accepted,
    namedOrg: typeof namedOrg === 'string' && namedOrg !== '' ? namedOrg : null,
    admitsOneDevice: endpointAccess === 'viewing-device',
    origin: headers.origin ?? null,
    isRecheck,
    endsAccess,
  };
}

interface FoundCredential {
  readonly kind: PresentedCredential['kind'];
  readonly text: string | null;
  readonly accepted: readonly ApiKeyScheme[];
}

/** The credential of the scheme; null if the scheme is unknown. */
function credentialByScheme(
  headers: IncomingHttpHeaders,
  endpointAccess: EndpointAccess,
  consoleUrl: string | null,
): FoundCredential | null {
  const name = headers[SCHEME_HEADER];
  const admitted = ADMITTED_KEYS[endpointAccess];
  const key = credentialText(headers[API_KEY_HEADER]);
  const token = accessTokenIn(headers);
  const session: FoundCredential = {
    kind: 'session',
    text: credentialText(headers[SESSION_HEADER]),
    accepted: SESSION_ACCESS.has(endpointAccess) ? ['api'] : [],
  };
  if (name === undefined || name === '') {
    if (key !== null) return { kind: 'key', text: key, accepted: DEFAULT_KEYS[endpointAccess] };
    return token === null ? session : { kind: 'token', text: token, accepted: admitted };
  }
  if (typeof name !== 'string') return null;
  if (name === SESSION_SCHEME) return session;
  if (name === CONSOLE_SCHEME) return consoleCredential(headers, endpointAccess, consoleUrl);
  const onlyAdmitted = (scheme: ApiKeyScheme) => (admitted.includes(scheme) ? [scheme] : []);
  const keyScheme = KEY_SCHEME_BY_NAME.get(name);
  if (keyScheme !== undefined) return { kind: 'key', text: key, accepted: onlyAdmitted(keyScheme) };
  const tokenScheme = TOKEN_SCHEME_BY_NAME.get(name);
  return tokenScheme === undefined
    ? null
    : { kind: 'token', text: token, accepted: onlyAdmitted(tokenScheme) };
}

function consoleCredential(
  headers: IncomingHttpHeaders,
  endpointAccess: EndpointAccess,
  consoleUrl: string | null,
): FoundCredential | null {
  if (consoleUrl === null || !isFromOwnPage(headers, consoleUrl)) return null;
  return {
    kind: 'console',
    text: consoleTokenIn(headers, consoleUrl),
    accepted: CONSOLE_ACCESS.has(endpointAccess) ? ['api'] : [],
  };
}

function credentialText(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CREDENTIAL_LENGTH ? value : null;
}

/** An OAuth access token in `x-auth-access-token` or `Authorization`; null: none. */
export function accessTokenIn(headers: IncomingHttpHeaders): string | null {
  return credentialText(headers[ACCESS_TOKEN_HEADER]) ?? bearerToken(headers.authorization);
}

/** The federated session in a query, which is given without its `?`; null: none. Keys are accepted in headers only. */
export function sessionInQuery(query: string): string | null {
  if (!query.includes(SESSION_HEADER)) return null;
  const parameters = new URLSearchParams(query);
  const scheme = parameters.get(SCHEME_HEADER) ?? SESSION_SCHEME;
  return scheme === SESSION_SCHEME ? parameters.get(SESSION_HEADER) || null : null;
}

/** The headers of a request; a session in its query counts as one in headers if these have no credentials. */
export function headersWithSession(headers: IncomingHttpHeaders, query: string): IncomingHttpHeaders {
  if (CREDENTIAL_HEADERS.some((name) => (headers[name] ?? '') !== '')) return headers;
  const token = sessionInQuery(query);
  if (token === null) return headers;
  return { ...headers, [SCHEME_HEADER]: SESSION_SCHEME, [SESSION_HEADER]: token };
}

/** The token of `Authorization: Bearer` (RFC 6750 §2.1); null: none. */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER_PREFIX.test(authorization)) return null;
  return credentialText(authorization.replace(BEARER_PREFIX, ''));
}
