/**
 * Cookies of single sign-on. They are `SameSite=Lax`, because the provider's page leads back with a navigation from
 * another site; what they hold is sealed.
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
  const isSecure = new URL(publicUrl).protocol === 'https:';
  return [
    `${name}=${value ?? ''}`,
    ...[`Path=${path}`, 'HttpOnly', 'SameSite=Lax', `Max-Age=${value === null ? 0 : maxAgeSec}`],
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** null: there is none, or more than one, which no browser of ours would send. */
export function cookieIn({ cookie }: IncomingHttpHeaders, name: string): string | null {
  const values = (cookie ?? '').split(';').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
  return values.length === 1 && values[0] !== '' ? values[0]! : null;
}
