import { describe, expect, it } from 'vitest';
import { accessTokenUuid } from '../../accounts/access-tokens.ts';
import { federatedSessionUuid } from '../../accounts/federated-session.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import { mediaCredential } from './media-credentials.ts';

const KEY = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': 'k' };
const ofSession = (token: string) => ({
  kind: 'session',
  principalUuid: federatedSessionUuid(hashApiKey(token)),
  tokenHash: null,
  headers: { 'x-auth-scheme': 'federated-token', 'x-auth-ft': token },
  isFromCookie: false,
});
const inCookie = (token: string) => ({ ...ofSession(token), isFromCookie: true });
const ofKey = (scheme = 'api-token', org = '') => ({
  kind: 'key',
  principalUuid: null,
  tokenHash: null,
  headers: { 'x-auth-scheme': scheme, 'x-auth-apikey': 'k', 'x-auth-org': org },
  isFromCookie: false,
});

const ofToken = (scheme: string, token = 't', org = '') => ({
  kind: 'token',
  principalUuid: accessTokenUuid(hashApiKey(token)),
  tokenHash: hashApiKey(token),
  headers: { 'x-auth-scheme': scheme, 'x-auth-access-token': token, 'x-auth-org': org },
  isFromCookie: false,
});

describe('mediaCredential', () => {
  it.each([
    ['a key', KEY, ofKey()],
    ['a key without its scheme', { 'x-auth-apikey': 'k' }, ofKey('')],
    ['a key for a client', { ...KEY, 'x-auth-org': 'o' }, ofKey('api-token', 'o')],
    ['a session', { 'x-auth-scheme': 'federated-token', 'x-auth-ft': 't' }, ofSession('t')],
    ['a session without its scheme', { 'x-auth-ft': 't' }, ofSession('t')],
    ['the key that the scheme names', { ...KEY, 'x-auth-ft': 't' }, ofKey()],
    ['a key next to a cookie', { ...KEY, cookie: 'RSESSIONID=RFT:t' }, ofKey()],
    ['a cookie', { cookie: 'a=b; RSESSIONID=RFT:t; c=d' }, inCookie('t')],
    ['an encoded cookie', { cookie: 'RSESSIONID=RFT%3At' }, inCookie('t')],
    ['a quoted cookie', { cookie: 'RSESSIONID="RFT:t"' }, inCookie('t')],
    ['a cookie next to an empty key', { 'x-auth-apikey': '', cookie: 'RSESSIONID=RFT:t' }, inCookie('t')],
    ['nothing', {}, null],
    ['a scheme alone', { 'x-auth-scheme': 'federated-token' }, null],
    ['a key as a federated token', { 'x-auth-scheme': 'federated-token', 'x-auth-apikey': 'k' }, null],
    ["another program's cookie", { cookie: 'RSESSIONID=t; XRSESSIONID=RFT:t; RSESSIONIDX=RFT:t' }, null],
    [
      'an OAuth token',
      { 'x-auth-scheme': 'api-oauth-token', 'x-auth-access-token': 't' },
      ofToken('api-oauth-token'),
    ],
    ['a bearer token', { authorization: 'Bearer t' }, ofToken('')],
    [
      'a bearer token for a client',
      { 'x-auth-scheme': 'partner-api-oauth-token', authorization: 'bearer  t', 'x-auth-org': 'o' },
      ofToken('partner-api-oauth-token', 't', 'o'),
    ],
    ['a key next to a bearer token', { ...KEY, authorization: 'Bearer t' }, ofKey()],
    ['a bearer token as a key', { 'x-auth-scheme': 'api-token', authorization: 'Bearer t' }, null],
    ['Basic', { authorization: 'Basic dTpw' }, null],
  ])('reads %s from headers', (_name, headers, credential) => {
    expect(mediaCredential(headers, '', null)).toEqual(credential);
  });

  it.each([
    ['x-auth-scheme=federated-token&x-auth-ft=t', ofSession('t')],
    ['_HLS_msn=3&x-auth-ft=t%2B', ofSession('t+')],
    ['x-auth-scheme=api-token&x-auth-ft=t', null],
    ['x-auth-scheme=api-token&x-auth-apikey=k', null],
    ['x-auth-apikey=k', null],
    ['x-auth-ft=', null],
    ['', null],
  ])('reads a session, but no key, from the query %s', (query, credential) => {
    expect(mediaCredential({}, query, null)).toEqual(credential);
  });

  it('prefers the path, then headers, then the query', () => {
    const headers = { cookie: 'RSESSIONID=RFT:c' };
    expect(mediaCredential({ ...KEY, ...headers }, 'x-auth-ft=q', 'p')).toEqual(ofSession('p'));
    expect(mediaCredential({ ...KEY, ...headers }, 'x-auth-ft=q', null)).toEqual(ofKey());
    expect(mediaCredential(headers, 'x-auth-ft=q', null)).toEqual(ofSession('q'));
  });

  it('says which page asks', () => {
    const origin = 'https://panel.example';
    expect(mediaCredential({ ...KEY, origin }, '', null)?.headers.origin).toBe(origin);
    expect(mediaCredential({ origin }, 'x-auth-ft=t', null)?.headers.origin).toBe(origin);
  });
});
