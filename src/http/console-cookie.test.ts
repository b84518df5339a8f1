import { expect, it } from 'vitest';
import { Secret } from '../core/secret.ts';
import { ssoCookie } from '../oidc/sso-cookie.ts';
import {
  consoleCookie,
  consoleCookieName,
  consoleTokenIn,
  isFromOwnPage,
  passkeyCookie,
  passkeyTokenIn,
} from './console-cookie.ts';

const token = new Secret('a-token');
const COOKIES: readonly [name: string, sameSite: string, cookieFor: (publicUrl: string) => string][] = [
  ['session', 'SameSite=Strict', (url) => consoleCookie(token, url)],
  ['end of a session', 'SameSite=Strict', (url) => consoleCookie(null, url)],
  ['passkeys', 'SameSite=Strict', (url) => passkeyCookie(token, url)],
  // The provider leads back with a navigation from another site.
  ['single sign-on', 'SameSite=Lax', (publicUrl) => ssoCookie({ ...ATTEMPT, publicUrl })],
];
const ATTEMPT = { name: 'attempt', value: 'sealed', path: '/', maxAgeSec: 600 };

it.each(COOKIES)(
  'no script reads the cookie of %s, and behind TLS it stays there',
  (_name, sameSite, cookieFor) => {
    const attributes = cookieFor('https://api.example/').split('; ');
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', 'Path=/', sameSite]));
    expect(attributes[0]).toMatch(/^__Host-/);
    expect(cookieFor('http://localhost:8080/').split('; ')).not.toContain('Secure');
  },
);

it('two sessions in one request are none: one of them was planted', () => {
  const tokenIn = (cookie: string) => consoleTokenIn({ cookie }, 'http://api.example/');
  expect(tokenIn('sluice_console=own')).toBe('own');
  expect(tokenIn('sluice_console=planted; sluice_console=own')).toBeNull();
  expect(tokenIn('other_sluice_console=own')).toBeNull();
  expect(tokenIn('__Host-sluice_console=own')).toBeNull();
});

it('behind TLS, a cookie that a sibling domain set counts as little as none', () => {
  const url = 'https://api.example/sluice/';
  const tokenIn = (cookie: string) => consoleTokenIn({ cookie }, url);
  expect(tokenIn('__Host-sluice_console=own')).toBe('own');
  expect(tokenIn('sluice_console=planted; __Host-sluice_console=own')).toBe('own');
  expect(tokenIn('__Host-sluice_console=own; sluice_console=planted; sluice_console=again')).toBe('own');
  expect(tokenIn('sluice_console=planted')).toBeNull();
  expect(tokenIn('__host-sluice_console=planted; __Host-sluice_console=own')).toBe('own');
  expect(passkeyTokenIn({ cookie: 'sluice_passkey=planted; __Host-sluice_passkey=own' }, url)).toBe('own');
  expect(consoleCookieName(url)).toBe('__Host-sluice_console');
});

it.each([
  ['https://api.example/', /^__Host-sluice_/],
  ['http://api.example/', /^sluice_/],
])('at %s, cookies are as browsers demand of their names', (url, name) => {
  for (const set of [consoleCookie(token, url), consoleCookie(null, url), passkeyCookie(token, url)]) {
    expect(set).toMatch(name);
    const attributes = set.split('; ');
    expect(attributes).toContain('Path=/');
    expect(attributes.filter((attribute) => attribute.startsWith('Domain'))).toEqual([]);
    expect(attributes.includes('Secure')).toBe(set.startsWith('__Host-'));
  }
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
