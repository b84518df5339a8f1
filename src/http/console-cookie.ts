/**
 * The console's session cookie, and the requests that may use it. Browsers send cookies with every request to a host, so a cookie alone
 * does not prove which page sent the request. It counts only together with a header that no form and no other site's script can send, and
 * only if the browser reports that the request comes from a page of the API itself.
 *
 * Behind TLS the names begin with `__Host-` (RFC 6265bis §4.1.3.2): browsers accept such a cookie only from this host, over TLS, for all
 * paths. Other hosts, such as a sibling domain, cannot set a second one.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../core/secret.ts';

const CONSOLE_COOKIE = 'sluice_console';
/** Ties a browser to the challenges of passkeys that it requested. */
const PASSKEY_COOKIE = 'sluice_passkey';
/** Shows that someone has signed in there before. It opens nothing. */
const KNOWN_BROWSER_COOKIE = 'sluice_known';
/** As long as a session can last: the gateway decides when it ends. */
const MAX_AGE_SEC = 30 * 86_400;
const PASSKEY_MAX_AGE_SEC = 10 * 60;
const KNOWN_BROWSER_MAX_AGE_SEC = 365 * 86_400;
const MAX_TOKEN_LENGTH = 128;
const MAX_PROOF_LENGTH = 512;

/** The name of the session's cookie. */
export function consoleCookieName(publicApiUrl: string): string {
  return nameAt(CONSOLE_COOKIE, publicApiUrl);
}

/**
 * The token in the `Cookie` header; null: there is none, or more than one, which no browser of ours would send. Behind TLS,
 * a cookie without the prefix is not looked at: anyone may have set it.
 */
export function consoleTokenIn(headers: IncomingHttpHeaders, publicApiUrl: string): string | null {
  return tokenIn(headers, nameAt(CONSOLE_COOKIE, publicApiUrl));
}

/** The same for passkeys. */
export function passkeyTokenIn(headers: IncomingHttpHeaders, publicApiUrl: string): string | null {
  return tokenIn(headers, nameAt(PASSKEY_COOKIE, publicApiUrl));
}

/** The same for a known browser. */
export function browserProofIn(headers: IncomingHttpHeaders, publicApiUrl: string): string | null {
  return tokenIn(headers, nameAt(KNOWN_BROWSER_COOKIE, publicApiUrl), MAX_PROOF_LENGTH);
}

function tokenIn({ cookie }: IncomingHttpHeaders, name: string, maxLength = MAX_TOKEN_LENGTH): string | null {
  if (cookie === undefined || !cookie.includes(name)) return null;
  const tokens = cookie.split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
  const [token = ''] = tokens;
  return tokens.length === 1 && token !== '' && token.length <= maxLength ? token : null;
}

/** A `Set-Cookie` header. `token`: null removes the cookie. */
export function consoleCookie(token: Secret | null, publicApiUrl: string): string {
  const maxAgeSec = token === null ? 0 : MAX_AGE_SEC;
  return setCookie(CONSOLE_COOKIE, token?.reveal() ?? '', maxAgeSec, publicApiUrl);
}

/** The same for passkeys. */
export function passkeyCookie(token: Secret, publicApiUrl: string): string {
  return setCookie(PASSKEY_COOKIE, token.reveal(), PASSKEY_MAX_AGE_SEC, publicApiUrl);
}

/** The same for a known browser. */
export function knownBrowserCookie(proof: Secret, publicApiUrl: string): string {
  return setCookie(KNOWN_BROWSER_COOKIE, proof.reveal(), KNOWN_BROWSER_MAX_AGE_SEC, publicApiUrl);
}

function setCookie(name: string, value: string, maxAgeSec: number, publicApiUrl: string): string {
  const pair = `${nameAt(name, publicApiUrl)}=${value}`;
  const parts = [pair, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSec}`];
  return [...parts, ...(isBehindTls(publicApiUrl) ? ['Secure'] : [])].join('; ');
}

function nameAt(name: string, publicApiUrl: string): string {
  return isBehindTls(publicApiUrl) ? `__Host-${name}` : name;
}

function isBehindTls(publicApiUrl: string): boolean {
  return URL.parse(publicApiUrl)?.protocol === 'https:';
}

/**
 * Whether a page of the API, or a program, sent a request: `Origin` is absent, the public API URL's or the request's own
 * host, and `Sec-Fetch-Site` (W3C Fetch Metadata) is absent or `same-origin`. Pages of the host over plain HTTP do not
 * count if the public API URL is https.
 */
export function isFromOwnPage(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  publicApiUrl: string,
): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return true;
  const own = new URL(publicApiUrl);
  if (origin === own.origin || origin === `https://${host}`) return true;
  return own.protocol === 'http:' && origin === `http://${host}`;
}
