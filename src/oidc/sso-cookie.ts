/**
 * Cookies of single sign-on. They are `SameSite=Lax`, because the provider's page leads back with a navigation from another site; their
 * contents are sealed.
 *
 * The cookie of an attempt is for all paths, so that behind TLS its name can begin with `__Host-` (RFC 6265bis §4.1.3.2): no page of a
 * sibling domain can plant another one. A proof is for the path of one link, which that prefix does not allow, and is worth nothing for
 * another.
 */

import type { IncomingHttpHeaders } from 'node:http';

export interface SsoCookie {
  readonly name: string;
  /** null removes the cookie. */
  readonly value: string | null;
  readonly path: string;
  readonly maxAgeSec: number;
  /** Decides whether it is for https alone. */
  readonly publicUrl: string;
}

export function ssoCookie({ name, value, path, maxAgeSec, publicUrl }: SsoCookie): string {
  const isSecure = isBehindTls(publicUrl);
  return [
    `${ssoCookieName(name, path, publicUrl)}=${value ?? ''}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${value === null ? 0 : maxAgeSec}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** The cookie's name with its prefix. */
export function ssoCookieName(name: string, path: string, publicUrl: string): string {
  return path === '/' && isBehindTls(publicUrl) ? `__Host-${name}` : name;
}

function isBehindTls(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === 'https:';
}

/** null: there is none, or more than one, which no browser of ours would send. */
export function cookieIn({ cookie }: IncomingHttpHeaders, name: string): string | null {
  const values = (cookie ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
  return values.length === 1 && values[0] !== '' ? values[0]! : null;
}
