import { beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { CLIENT_ID, FakeProvider } from './fake-provider-fixture.ts';
import { OidcClient } from './oidc-client.ts';
import { ownPath } from './own-path.ts';
import { type ProviderLogout, subjectUuid } from './provider-logout.ts';
import { ATTEMPT_MS } from './sign-in-attempt.ts';

const SECRET = 'a-secret-that-no-log-has';
const REDIRECT_URI = 'http://api.example/console/oidc/callback';

const FROM = '192.0.2.1';
let provider: FakeProvider;
let client: OidcClient;
let logged: string[];
let laterMs: number;

beforeEach(() => {
  provider = FakeProvider.inMemory();
  logged = [];
  laterMs = 0;
  client = newClient();
});

function newClient({ purpose = 'console', key = 1, issuer = provider.issuer } = {}): OidcClient {
  const clock: Clock = {
    ...systemClock,
    monoMs: () => systemClock.monoMs(),
    epochMs: () => systemClock.epochMs() + laterMs,
  };
  const settings = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    scopes: ['openid', 'email'],
    allowedDomains: [],
    roles: null,
    label: 'Login',
  };
  const log = { ...silentLog, warn: (fields: object) => void logged.push(JSON.stringify(fields)) };
  return new OidcClient({
    settings,
    purpose,
    clock,
    log,
    sealingKey: Buffer.alloc(32, key),
    redirectUri: REDIRECT_URI,
    fetch: provider.fetch,
  });
}

async function begun(by = client) {
  const { location, sealed } = await by.begin('/console/shares');
  const { searchParams } = new URL(location);
  provider.nonce = searchParams.get('nonce')!;
  const query = new URLSearchParams({ code: 'the-code', state: searchParams.get('state')! });
  return { query, sealed, searchParams };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (thrown: { code: string }) => thrown.code,
  );
}

async function failure(): Promise<string> {
  const { query, sealed } = await begun();
  return codeOf(client.finish(query, sealed, FROM));
}

describe('OidcClient', () => {
  it('asks with PKCE, state and nonce, and says who signed in', async () => {
    const { query, sealed, searchParams } = await begun();
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      code_challenge_method: 'S256',
      redirect_uri: REDIRECT_URI,
      scope: 'openid email',
    });
    const { identity, returnTo } = await client.finish(query, sealed, FROM);
    expect(identity).toMatchObject({ issuer: provider.issuer, subject: 'ada', email: 'ada@example.com' });
    expect(identity.session.subject).toBe(subjectUuid(provider.issuer, 'ada'));
    expect(returnTo).toBe('/console/shares');
    expect(provider.tokenRequests[0]!.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    expect(sealed).not.toContain(searchParams.get('state')!);
  });

  it.each([
    ['https://provider.example/realms/dock', 'https://provider.example/realms/dock/'],
    ['https://provider.example/realms/dock/', 'https://provider.example/realms/dock'],
    ['https://provider.example', 'https://provider.example/'],
    ['https://provider.example/', 'https://provider.example'],
  ])('takes the issuer %s for %s, as which the provider signs', async (issuer, named) => {
    provider = FakeProvider.inMemory(named);
    client = newClient({ issuer });
    const { query, sealed } = await begun();
    const { identity } = await client.finish(query, sealed, FROM);
    expect(identity.issuer).toBe(named);
    const ended: ProviderLogout[] = [];
    await client.logOut(provider.logoutToken(), FROM, async (logout) => void ended.push(logout));
    expect(ended).toHaveLength(1);
  });

  it.each([
    'https://provider.example/realms',
    'https://provider.example/realms/dock/other',
    'https://evil.example/realms/dock/',
  ])('refuses a provider that calls itself %s', async (named) => {
    provider = FakeProvider.inMemory('https://provider.example/realms/dock');
    provider.namedIssuer = named;
    client = newClient();
    expect(await codeOf(client.begin('/console/'))).toMatch(/^OIDC_(UNAVAILABLE|RESPONSE_INVALID)$/);
  });

  it('takes no email address that the provider has not verified', async () => {
    for (const claims of [{ email_verified: false }, { email_verified: 'true' }, { email: 5 }]) {
      provider.claims = claims;
      const { query, sealed } = await begun();
      expect((await client.finish(query, sealed, FROM)).identity.email).toBeNull();
    }
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }, 'OIDC_RESPONSE_INVALID'],
    ['a token for another client', { aud: 'other' }, 'OIDC_RESPONSE_INVALID'],
    ['a nonce of another attempt', { nonce: 'other' }, 'OIDC_RESPONSE_INVALID'],
    ['a token that has expired', { exp: 1_000_000_000 }, 'OIDC_CLOCK'],
    ['a token of the future', { nbf: 9_000_000_000 }, 'OIDC_CLOCK'],
  ])('refuses %s', async (_name, claims, code) => {
    provider.claims = claims;
    expect(await failure()).toBe(code);
  });

  it('refuses a token without a signature, and one that another key signed', async () => {
    provider.algorithm = 'none';
    expect(await failure()).toBe('OIDC_RESPONSE_INVALID');
    provider.algorithm = 'RS256';
    provider.isForged = true;
    expect(await failure()).toBe('OIDC_RESPONSE_INVALID');
  });

  it.each([
    ['a new name', undefined],
    ['the name of the old one', 'first'],
  ])('knows a new key of the provider, with %s, at the first sign-in', async (_name, keyId) => {
    expect(await failure()).toBe('none');
    provider.rotate(keyId);
    expect(await failure()).toBe('none');
    expect(provider.keyReads).toBe(2);
    expect(await failure()).toBe('none');
    expect(provider.keyReads).toBe(2);
  });

  it('leads to where one signs out at the provider, if there is such a page', async () => {
    const there = new URL((await client.endSessionUrl('https://api.example/console/'))!);
    expect(there.origin + there.pathname).toBe(`${provider.issuer}/end`);
    expect(Object.fromEntries(there.searchParams)).toEqual({
      theme: 'dark',
      client_id: CLIENT_ID,
      post_logout_redirect_uri: 'https://api.example/console/',
    });
    provider.hasEndSessionPage = false;
    expect(await newClient().endSessionUrl('https://api.example/console/')).toBeNull();
  });

  it('says that the provider refused, without its text in the log', async () => {
    provider.tokenError = 'invalid_grant';
    expect(await failure()).toBe('OIDC_REFUSED');
    expect(logged.join()).toContain('invalid_grant');
    expect(logged.join()).not.toMatch(/secret-text|the-code|a-secret/);
  });

  it('tells a person who canceled from other errors', async () => {
    for (const [error, code] of [
      ['access_denied', 'OIDC_CANCELED'],
      ['server_error', 'OIDC_REFUSED'],
    ] as const) {
      const { query, sealed } = await begun();
      const response = new URLSearchParams({ error, state: query.get('state')! });
      expect(await codeOf(client.finish(response, sealed, FROM))).toBe(code);
    }
  });

  it('says that the provider cannot be reached, and reaches it later', async () => {
    provider.namedIssuer = 'https://evil.example';
    expect(await codeOf(client.begin('/console/'))).toMatch(/^OIDC_(UNAVAILABLE|RESPONSE_INVALID)$/);
    provider.namedIssuer = null;
    expect(await failure()).toBe('none');
    provider.isReachable = false;
    const fresh = newClient();
    expect(await codeOf(fresh.begin('/console/'))).toBe('OIDC_UNAVAILABLE');
  });

  it('finishes an attempt once, in the browser that began it, for its purpose, within ten minutes', async () => {
    const { query, sealed } = await begun();
    const other = await begun();
    expect(await codeOf(client.finish(query, null, FROM))).toBe('OIDC_ATTEMPT_INVALID');
    expect(await codeOf(client.finish(query, other.sealed, FROM))).toBe('OIDC_ATTEMPT_INVALID');
    expect(await codeOf(newClient({ purpose: 'other' }).finish(query, sealed, FROM))).toBe(
      'OIDC_ATTEMPT_INVALID',
    );
    expect(await codeOf(newClient({ key: 2 }).finish(query, sealed, FROM))).toBe('OIDC_ATTEMPT_INVALID');
    const twice = new URLSearchParams([...query, ['state', query.get('state')!]]);
    expect(await codeOf(client.finish(twice, sealed, FROM))).toBe('OIDC_ATTEMPT_INVALID');
    laterMs = ATTEMPT_MS;
    expect(await codeOf(client.finish(query, sealed, FROM))).toBe('OIDC_ATTEMPT_INVALID');
    laterMs = 0;
    expect(provider.tokenRequests).toEqual([]);
    const last = await begun();
    expect(await codeOf(client.finish(last.query, last.sealed, FROM))).toBe('none');
    expect(await codeOf(client.finish(last.query, last.sealed, FROM))).toBe('OIDC_ATTEMPT_INVALID');
  });
});

describe('ownPath', () => {
  it.each([
    'https://evil.example/console/',
    '//evil.example/console/',
    '/\\evil.example/console/',
    '/console/../oauth/authorize',
    '/console/%2e%2e/oauth',
    '/elsewhere',
    'javascript:alert(1)',
    `/console/${'x'.repeat(2_000)}`,
    ['/console/shares'],
    undefined,
  ])('leads home instead of to %s', (wanted) => {
    expect(ownPath(wanted, '/console/')).toBe('/console/');
  });

  it('keeps a path of the console', () => {
    expect(ownPath('/console/shares?of=a#b', '/console/')).toBe('/console/shares?of=a');
  });

  it('waits for a provider that is slow, without keeping others from it', async () => {
    const { max } = LIMITS.providerExchanges.levels.address;
    const attempts = await Promise.all(Array.from({ length: max + 2 }, () => begun()));
    const outcomes = attempts.map(({ query, sealed }) => codeOf(client.finish(query, sealed, FROM)));
    const last = await begun();
    const other = codeOf(client.finish(last.query, last.sealed, '192.0.2.2'));
    expect((await Promise.all(outcomes)).filter((code) => code === 'OIDC_BUSY')).toHaveLength(2);
    expect(await other).toBe('none');
  });
});
