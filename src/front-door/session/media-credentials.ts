/**
 * The credentials with which a request asks for a device: an API key, a federated session or an OAuth access token in
 * headers, or a federated session in the path, the query or the `RSESSIONID` cookie. An API key is accepted in headers only, because URLs and
 * cookies end up in places where a key that lasts for years must not be.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { accessTokenUuid } from '../../accounts/access-tokens.ts';
import { federatedSessionUuid } from '../../accounts/federated-session.ts';
import {
  ACCESS_TOKEN_HEADER,
  API_KEY_HEADER,
  accessTokenIn,
  CLIENT_ORG_HEADER,
  SCHEME_HEADER,
  SESSION_HEADER,
  SESSION_SCHEME,
  sessionInQuery,
} from '../../http/authentication.ts';
import type { Principal } from '../../sharing/device-grant.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';

/** One credential, as `authenticate` reads it. */
export interface MediaCredential {
  readonly kind: Principal['kind'];
  /** Names the session or token; null: a key, whose record names the holder. */
  readonly principalUuid: Principal['uuid'] | null;
  /** The hash of an access token; null: another credential. */
  readonly tokenHash: string | null;
  readonly headers: IncomingHttpHeaders;
  /** Browsers send cookies automatically, whichever page makes the request. */
  readonly isFromCookie: boolean;
}

const TOKEN_SCHEMES: ReadonlySet<string> = new Set(['api-oauth-token', 'partner-api-oauth-token']);
const COOKIE_NAME = 'RSESSIONID';
/** Some clients encode the colon. */
const COOKIE_TOKEN = /^"?RFT(?::|%3A)([^"]+)"?$/i;

/**
 * The first one found in the path, the headers, the query and the cookie; null: none. Programs send a key in headers
 * together with the cookie, so only one of them is looked at.
 */
export function mediaCredential(
  headers: IncomingHttpHeaders,
  query: string,
  pathToken: string | null,
): MediaCredential | null {
  if (pathToken !== null) return session(pathToken, headers);
  const fromHeaders = headerCredential(headers);
  if (fromHeaders !== null) return fromHeaders;
  const inQuery = sessionInQuery(query);
  if (inQuery !== null) return session(inQuery, headers);
  const inCookie = cookieToken(headers.cookie);
  return inCookie === null ? null : { ...session(inCookie, headers), isFromCookie: true };
}

function headerCredential(headers: IncomingHttpHeaders): MediaCredential | null {
  const scheme = headers[SCHEME_HEADER] ?? '';
  const key = headers[API_KEY_HEADER] ?? '';
  const token = headers[SESSION_HEADER] ?? '';
  if (token !== '' && (scheme === SESSION_SCHEME || (scheme === '' && key === ''))) {
    return session(String(token), headers);
  }
  if (scheme === SESSION_SCHEME) return null;
  const { [CLIENT_ORG_HEADER]: org = '', origin } = headers;
  const accessToken = accessTokenIn(headers);
  if (accessToken !== null && (TOKEN_SCHEMES.has(String(scheme)) || (scheme === '' && key === ''))) {
    const tokenHash = hashApiKey(accessToken);
    return {
      kind: 'token',
      isFromCookie: false,
      principalUuid: accessTokenUuid(tokenHash),
      tokenHash,
      headers: withOrigin(origin, {
        [SCHEME_HEADER]: scheme,
        [ACCESS_TOKEN_HEADER]: accessToken,
        [CLIENT_ORG_HEADER]: org,
      }),
    };
  }
  if (key === '') return null;
  return {
    kind: 'key',
    principalUuid: null,
    tokenHash: null,
    isFromCookie: false,
    headers: withOrigin(origin, { [SCHEME_HEADER]: scheme, [API_KEY_HEADER]: key, [CLIENT_ORG_HEADER]: org }),
  };
}

function session(token: string, { origin }: IncomingHttpHeaders): MediaCredential {
  return {
    kind: 'session',
    isFromCookie: false,
    tokenHash: null,
    principalUuid: federatedSessionUuid(hashApiKey(token)),
    headers: withOrigin(origin, { [SCHEME_HEADER]: SESSION_SCHEME, [SESSION_HEADER]: token }),
  };
}

/** Whether a session is in the cookie, as scripts send it, even if other credentials come first. */
export function hasSessionCookie({ cookie }: IncomingHttpHeaders): boolean {
  return cookieToken(cookie) !== null;
}

function cookieToken(cookie: string | undefined): string | null {
  for (const pair of cookie?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== COOKIE_NAME) continue;
    const token = COOKIE_TOKEN.exec(pair.slice(equals + 1).trim())?.[1];
    if (token !== undefined) return token;
  }
  return null;
}

/** Which page it is: a session may be limited to the pages of one host. */
function withOrigin(origin: string | undefined, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return origin === undefined ? headers : { ...headers, origin };
}
