/** Addresses that authorization codes can be sent to (RFC 6749 §3.1.2, RFC 8252 §7). */

import { GatewayError } from '../core/errors.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

/** Longer ones are not stored. */
export const MAX_REDIRECT_URI_LENGTH = 2_000;

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** An address of LOOPBACK_HOSTS; the port may be absent. */
const LOOPBACK_URI = /^http:\/\/(?<host>127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?<rest>[/?].*)?$/;

/** RFC 8252 §7.1: the reverse of a domain name. Excludes `javascript:`, `data:` and the like. */
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/** Spaces, control characters, and characters that a URI cannot contain unescaped; a browser would quietly read them as something else. */
const NOT_IN_A_URI = /[^\u0021-\u007e]|[<>"\\^`{|}]/;

/** The rules for a redirect URI; the `rule` in the context of OAUTH_REDIRECT_URI_INVALID. */
export type RedirectUriRule = 'absolute' | 'no-fragment' | 'no-user-info' | 'scheme';

/** Fails OAUTH_REDIRECT_URI_INVALID. */
export function checkRedirectUri(redirectUri: string): void {
  if (NOT_IN_A_URI.test(redirectUri) || !URL.canParse(redirectUri)) {
    throw breaking('absolute');
  }
  const url = new URL(redirectUri);
  if (redirectUri.includes('#')) throw breaking('no-fragment');
  if (url.username !== '' || url.password !== '') throw breaking('no-user-info');
  const isLoopback = url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname);
  if (url.protocol !== 'https:' && !isLoopback && !PRIVATE_USE_SCHEME.test(url.protocol)) {
    throw breaking('scheme');
  }
}

/**
 * Whether codes for an application that registered one address may be sent to the other: both are the same, character by
 * character, but for the port of a loopback address, which installed apps learn only when they start (RFC 8252 §7.3).
 */
export function isSameRedirectUri(registered: string, named: string): boolean {
  if (named === registered) return true;
  const parts = [registered, named].map((uri) => LOOPBACK_URI.exec(uri)?.groups);
  const [ofRegistered, ofNamed] = parts;
  if (ofRegistered === undefined || ofNamed === undefined) return false;
  return ofRegistered.host === ofNamed.host && ofRegistered.rest === ofNamed.rest && URL.canParse(named);
}

function breaking(rule: RedirectUriRule): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.OAUTH_REDIRECT_URI_INVALID, { rule });
}

/** The address with parameters added to its query, otherwise as registered. */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}
