import { expect, it } from 'vitest';
import { Secret } from '../core/secret.ts';
import { ssoCookie } from '../oidc/sso-cookie.ts';
import { consoleCookie, consoleTokenIn, isFromOwnPage, passkeyCookie } from './console-cookie.ts';

const token = new Secret('a-token');
const COOKIES: readonly [name: string, sameSite: string, cookieFor: (publicUrl: string) => string][] = [
  ['session', 'SameSite=Strict', (url) => consoleCookie(token, url)],
  ['end of a session', 'SameSite=Strict', (url) => consoleCookie(null, url)],
  ['passkeys', 'SameSite=Strict', (url) => passkeyCookie(token, url)],
  // The provider leads back with a navigation from another site.
  ['single sign-on', 'SameSite=Lax', (publicUrl) => ssoCookie({ ...ATTEMPT, publicUrl })],
];
const ATTEMPT = { name: 'attempt', value: 'sealed', path: '/console/oidc/', maxAgeSec: 600 };

it.each(COOKIES)(
  'no script reads the cookie of %s, and behind TLS it stays there',
  (_name, sameSite, cookieFor) => {
    const attributes = cookieFor('https://api.example/').split('; ');
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', sameSite]));
    expect(cookieFor('http://localhost:8080/').split('; ')).not.toContain('Secure');
  },
);

it('two sessions in one request are none: one of them was planted', () => {
  expect(consoleTokenIn({ cookie: 'sluice_console=own' })).toBe('own');
  expect(consoleTokenIn({ cookie: 'sluice_console=planted; sluice_console=own' })).toBeNull();
  expect(consoleTokenIn({ cookie: 'other_sluice_console=own' })).toBeNull();
});

it.each([
  [{}, true],
  [{ origin: 'https://api.example' }, true],
  [{ origin: 'https://api.example', 'sec-fetch-site': 'same-origin' }, true],
  [{ origin: 'https://api.example', 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ origin: 'https://evil.example', host: 'api.example' }, false],
  [{ origin: 'http://api.example', host: 'api.example' }, false],
  [{ origin: 'null', host: 'api.example' }, false],
])('a request with %j is from a page of ours: %s', (headers, isOwn) => {
  expect(isFromOwnPage(headers, 'https://api.example/')).toBe(isOwn);
});
