/** Logout tokens: valid ones of the provider, and those of strangers. */

import { beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { CLIENT_ID, FakeProvider, LOGOUT_EVENT } from './fake-provider-fixture.ts';
import { OidcClient } from './oidc-client.ts';
import { type ProviderLogout, sessionAtProvider } from './provider-logout.ts';

let provider: FakeProvider;
let client: OidcClient;
let ended: ProviderLogout[];
let laterMs: number;

beforeEach(() => {
  provider = FakeProvider.inMemory();
  [ended, laterMs] = [[], 0];
  const clock: Clock = {
    ...systemClock,
    monoMs: () => systemClock.monoMs(),
    epochMs: () => Date.now() + laterMs,
  };
  client = new OidcClient({
    settings: {
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      clientSecret: 'secret',
      scopes: ['openid'],
      allowedDomains: [],
      roles: null,
      label: 'Login',
    },
    purpose: 'console',
    clock,
    log: silentLog,
    sealingKey: Buffer.alloc(32, 1),
    redirectUri: 'http://api.example/console/oidc/callback',
    fetch: provider.fetch,
  });
});

async function send(token: string, address = '192.0.2.1'): Promise<string> {
  return client
    .logOut(token, address, async (logout) => void ended.push(logout))
    .then(
      () => 'ended',
      (thrown: { code: string }) => thrown.code,
    );
}
const session = (sub: string, sid?: string) => sessionAtProvider({ iss: provider.issuer, sub, sid, iat: 1 });

describe('a logout token', () => {
  it('names a session and its subject, or one of them', async () => {
    expect(await send(provider.logoutToken())).toBe('ended');
    expect(await send(provider.logoutToken({ sid: undefined }))).toBe('ended');
    expect(await send(provider.logoutToken({ sub: undefined }, { typ: undefined }))).toBe('ended');
    const [one, unnamed] = [session('ada', 'one'), session('ada')];
    expect(ended.map((logout) => logout.ended)).toEqual([
      [one.session, unnamed.session],
      [one.subject],
      [one.session],
    ]);
    expect(session('eve', 'one').subject).not.toBe(one.subject);
  });

  const NOW_SEC = Math.floor(Date.now() / 1_000);
  it.each<[string, object, object?]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'other' }],
    ['without an audience', { aud: undefined }],
    ['that has expired', { exp: NOW_SEC - 60 }],
    ['that never expires', { exp: undefined }],
    ['of the future', { iat: NOW_SEC + 3_600 }],
    ['of an hour ago', { iat: NOW_SEC - 3_600 }],
    ['without a time', { iat: undefined }],
    ['with a nonce: an ID token', { nonce: 'x' }],
    ['with a nonce that is null', { nonce: null }],
    ['without an event', { events: undefined }],
    ['about another event', { events: { 'http://schemas.openid.net/event/other': {} } }],
    ['whose event is no object', { events: { [LOGOUT_EVENT]: true } }],
    ['whose events are a list', { events: [LOGOUT_EVENT] }],
    ['about no one', { sub: undefined, sid: undefined }],
    ['about someone without a name', { sub: '' }],
    ['with a subject that is a number', { sub: 5 }],
    ['with a session that is a list', { sid: ['one'] }],
    ['with a subject that is too long', { sub: 'x'.repeat(300) }],
    ['without an ID', { jti: undefined }],
    ['of another kind', {}, { typ: 'at+jwt' }],
    ['without a signature', {}, { alg: 'none' }],
    ['signed with the client secret', {}, { alg: 'HS256' }],
    ['of an unknown key', {}, { kid: 'unknown' }],
    ['with a condition that we do not know', {}, { crit: ['x'], x: 1 }],
  ])('%s ends nothing', async (_name, claims, header = {}) => {
    expect(await send(provider.logoutToken({ ...claims }, { ...header }))).toBe('OIDC_LOGOUT_INVALID');
    expect(ended).toEqual([]);
  });

  it('that another key signed, or that is none at all, ends nothing', async () => {
    const token = provider.logoutToken();
    const [header, , signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ sub: 'eve' })).toString('base64url');
    for (const text of [`${header}.${forged}.${signature}`, `${header}.${forged}.`, 'a.b.c', '', 'x']) {
      expect(await send(text)).toBe('OIDC_LOGOUT_INVALID');
    }
    expect(ended).toEqual([]);
  });

  it('that someone else signed with a key of the same name ends nothing', async () => {
    provider.isForged = true;
    expect(await send(provider.logoutToken())).toBe('OIDC_LOGOUT_INVALID');
    expect(ended).toEqual([]);
  });

  it('works once, and again if nothing could be ended', async () => {
    const token = provider.logoutToken();
    const failing = client.logOut(token, '192.0.2.1', () => Promise.reject(new Error('the store is full')));
    await expect(failing).rejects.toThrow('the store is full');
    expect(await send(token)).toBe('ended');
    expect(await send(token)).toBe('OIDC_LOGOUT_INVALID');
    laterMs = 200_000;
    expect(await send(token)).toBe('OIDC_LOGOUT_INVALID');
  });

  it('of strangers has the keys read at most once in a while', async () => {
    for (let i = 0; i < 20; i++) await send(provider.logoutToken({}, { kid: `unknown ${i}` }));
    expect(provider.keyReads).toBe(1);
    expect(await send(provider.logoutToken())).toBe('ended');
  });

  it('waits in no queue: beyond those of its address that are being verified, it is refused', async () => {
    const most = LIMITS.providerLogouts.total * LIMITS.providerLogouts.levels.address.share;
    const strangers = Array.from({ length: most + 4 }, () => send(provider.logoutToken(), '198.51.100.1'));
    const own = send(provider.logoutToken());
    const outcomes = await Promise.all(strangers);
    expect(outcomes.filter((outcome) => outcome === 'ended')).toHaveLength(most);
    expect(outcomes.filter((outcome) => outcome === 'OIDC_BUSY')).toHaveLength(4);
    expect([await own, await send(provider.logoutToken())]).toEqual(['ended', 'ended']);
  });
});
