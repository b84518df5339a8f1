import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { pipedConnection } from '../http/piped-connection-fixture.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, type FixtureOptions, openApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';

const VALIDATE = '/api/integrations/validateToken';
const GET_ORG = '/api/org/getOrgV2';
const SUCCESS = { error: false };

let fixture: ApiFixture;
const start = async (options: FixtureOptions = {}) => {
  await fixture.close();
  fixture = await openApiFixture(options);
};
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('authentication', () => {
  const refused = { authenticationFailed: true, error: true, errorMsg: expect.any(String) };

  it('accepts a key under both names of its scheme, and without a scheme', async () => {
    for (const headers of [
      {},
      { 'x-auth-scheme': 'api' },
      { 'x-auth-scheme': 'api-token' },
      { 'x-auth-scheme': '' },
    ]) {
      expect(await fixture.call(VALIDATE, {}, headers)).toEqual(SUCCESS);
    }
  });

  it.each([
    ['no key', { 'x-auth-apikey': '' }],
    ['an unknown key', { 'x-auth-apikey': 'nobody' }],
    ['an endless key', { 'x-auth-apikey': 'k'.repeat(10_000) }],
    ['an unknown scheme', { 'x-auth-scheme': 'basic' }],
    ['the scheme of another kind of key', { 'x-auth-scheme': 'partner-api-token' }],
    ['an organization that is not the key’s', { 'x-auth-org': 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('refuses %s', async (_name, headers) => {
    const response = await fixture.post(VALIDATE, {}, headers);
    expect(response.statusCode).toBe(401);
    expect(response.json()).toEqual(refused);
  });

  it('checks the key at every endpoint that needs one, before reading the body', async () => {
    await start({ limits: { failedAuthenticationsPerAddress: { burst: 1_000, perSec: 1 } } });
    const statuses = new Map<string, number>();
    for (const { path } of ENDPOINTS) {
      const response = await fixture.post(path, '{not json', { 'x-auth-apikey': 'nobody' });
      statuses.set(path, response.statusCode);
    }
    const open = [...statuses].filter(([, status]) => status !== 401);
    expect(Object.fromEntries(open)).toEqual({
      '/api/console/acceptInvite': 400,
      '/api/console/beginInvitePasskey': 400,
      '/api/console/beginPasskeySignIn': 400,
      '/api/console/findSignInProvider': 400,
      '/api/console/getSession': 400,
      '/api/console/signIn': 400,
      '/api/console/signInWithPasskey': 400,
      '/api/console/signOut': 400,
    });
  });

  it('refuses a key from the moment it is revoked', async () => {
    expect(await fixture.call(VALIDATE)).toEqual(SUCCESS);
    await fixture.store.apiKeys.save({ ...fixture.own.key, revokedAtMs: fixture.clock.epochMs() });
    expect((await fixture.post(VALIDATE)).statusCode).toBe(401);
  });

  it('refuses a removed key', async () => {
    expect(await fixture.call(VALIDATE)).toEqual(SUCCESS);
    await fixture.store.apiKeys.remove(fixture.own.organization.uuid, fixture.own.key.uuid);
    expect((await fixture.post(VALIDATE)).statusCode).toBe(401);
  });

  it('lets a partner key act for its clients and for no one else', async () => {
    const partner = sampleOrganization({ name: 'Partner' });
    const client = sampleOrganization({ name: 'Client', partnerUuid: partner.uuid });
    await fixture.store.organizations.save(partner);
    await fixture.store.organizations.save(client);
    const apiKey = await addApiKey(fixture.store, partner.uuid, { scheme: 'partner-api' });
    const headers = { 'x-auth-apikey': apiKey, 'x-auth-scheme': 'partner-api-token' };
    const nameOf = async (org?: string) => {
      const response = await fixture.call(
        GET_ORG,
        {},
        org === undefined ? headers : { ...headers, 'x-auth-org': org },
      );
      return (response.org as { name: string }).name;
    };
    expect(await nameOf()).toBe('Partner');
    expect(await nameOf(client.uuid)).toBe('Client');
    expect(await nameOf(partner.uuid)).toBe('Partner');
    for (const org of [fixture.own.organization.uuid, newRuuid(), 'no uuid']) {
      expect((await fixture.post(GET_ORG, {}, { ...headers, 'x-auth-org': org })).statusCode).toBe(401);
    }
    expect((await fixture.post(GET_ORG, {}, { ...headers, 'x-auth-scheme': 'api' })).statusCode).toBe(401);
    await fixture.store.organizations.save({ ...client, partnerUuid: null });
    expect((await fixture.post(GET_ORG, {}, { ...headers, 'x-auth-org': client.uuid })).statusCode).toBe(401);
  });

  it('refuses an address that keeps failing, but not the valid keys that it sends', async () => {
    await start({ limits: { failedAuthenticationsPerAddress: { burst: 3, perSec: 0.1 } } });
    await fixture.call(VALIDATE);
    const guess = () => fixture.post(VALIDATE, {}, { 'x-auth-apikey': newRuuid() });
    for (let i = 0; i < 3; i++) expect((await guess()).statusCode).toBe(401);
    const response = await guess();
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '10']);
    expect(response.json()).toMatchObject({ error: true });
    fixture.clock.advance(5_000);
    expect(await fixture.call(VALIDATE)).toEqual(SUCCESS);
    fixture.clock.advance(5_000);
    expect((await guess()).statusCode).toBe(401);
  });
});

describe('rate limit', () => {
  it('is one for the whole organization, below it one for each key, and says how much is left', async () => {
    await start({ limits: { requestsPerOrg: { burst: 2, perSec: 0.5 } } });
    const otherKey = await addApiKey(fixture.store, fixture.own.organization.uuid);
    const first = await fixture.post(VALIDATE);
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '2',
    });
    expect((await fixture.post(VALIDATE, {}, { 'x-auth-apikey': otherKey })).statusCode).toBe(200);
    const refused = await fixture.post(VALIDATE);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({ 'retry-after': '2', 'ratelimit-remaining': '0' });
    expect(refused.json()).toEqual({ error: true, errorMsg: expect.any(String) });
    expect((await fixture.post(VALIDATE, {}, { 'x-auth-apikey': fixture.foreign.apiKey })).statusCode).toBe(
      200,
    );
    fixture.clock.advance(4_000);
    expect((await fixture.post(VALIDATE)).statusCode).toBe(200);
  });
});

describe('requests', () => {
  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'no media type;;', ''])(
    'are read as JSON with the content type %j',
    async (contentType) => {
      const body = { location: { name: 'Pier' } };
      const response = await fixture.call('/api/location/createLocation', body, {
        'content-type': contentType,
      });
      expect(response.error).toBe(false);
    },
  );

  it('can have no body and no content type', async () => {
    const headers = { 'x-auth-apikey': fixture.own.apiKey };
    const response = await fixture.api.inject({ method: 'POST', url: VALIDATE, headers });
    expect([response.statusCode, response.json()]).toEqual([200, SUCCESS]);
  });

  it('can end in a slash', async () => {
    expect(await fixture.call(`${VALIDATE}/`)).toEqual(SUCCESS);
  });

  it.each([
    ['broken JSON', '{"a"', {}, 400],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415],
    ['a huge body', `{"a":"${'x'.repeat(1024 * 1024)}"}`, {}, 413],
  ])('with %s are refused with the envelope', async (_name, body, headers, status) => {
    const response = await fixture.post(VALIDATE, body, headers);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({
      error: true,
      errorMsg: expect.stringMatching(/body/),
    });
  });

  it('with GET are told to use POST', async () => {
    const response = await fixture.api.inject({ method: 'GET', url: `${VALIDATE}?a=1` });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST']);
    expect(response.json()).toMatchObject({ error: true, errorMsg: expect.stringContaining('POST') });
  });

  it.each([
    ['/', 405],
    ['/api/camera/nothing', 404],
    ['/api/camera/%zz', 400],
    ['/api/camera/..%2f..', 404],
  ])('to %s get %i', async (url, status) => {
    const response = await fixture.api.inject({ method: 'POST', url });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ error: true, errorMsg: expect.any(String) });
  });
});

describe('internal failures', () => {
  it('give the caller an ID and the log the cause', async () => {
    const errors: Record<string, unknown>[] = [];
    const log: Log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => void errors.push(fields as Record<string, unknown>),
      child: () => log,
    };
    await start({ log });
    fixture.store.organizations.find = () => Promise.reject(new Error('disk /secret/path is gone'));
    const response = await fixture.post(GET_ORG);
    const { errorMsg } = response.json<{ errorMsg: string }>();
    expect([response.statusCode, errorMsg]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(errors).toHaveLength(1);
    expect(errorMsg).toContain(String(errors[0]!.requestId));
    expect(response.headers['x-request-id']).toBe(errors[0]!.requestId);
    expect(errors[0]!.cause).toMatchObject({ message: 'disk /secret/path is gone' });
  });
});

describe('log', () => {
  it('contains no key, no password and no text of the caller’s path', async () => {
    const lines: string[] = [];
    const write = (fields: object, message: string) => void lines.push(message + JSON.stringify(fields));
    const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
    await start({ log });
    const { own } = fixture;
    await fixture.post('/api/camera/createSharedLiveVideoStream?token=query-secret', {
      cameraUuid: own.camera.uuid,
      streamType: 'USER',
      vodEnabled: false,
      password: 'pass-secret',
    });
    await fixture.post('/api/unknown/path-secret', {}, { 'x-auth-apikey': 'key-secret' });
    await fixture.post(VALIDATE, '{"a":"body-secret"', {});
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.join('\n')).not.toMatch(/secret/);
    expect(lines.join('\n')).not.toContain(own.apiKey);
  });
});

describe('operations', () => {
  it('respond without a key', async () => {
    const get = async (url: string) => fixture.api.inject({ method: 'GET', url });
    expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await get('/readyz')).json()).toEqual({ ready: true, checks: { store: 'ok' } });
    const metrics = await get('/metrics');
    expect([metrics.body, metrics.headers['content-type']]).toEqual([
      'sluice_up 1\n',
      'text/plain; version=0.0.4',
    ]);
  });

  it.each(['/metrics/', '/%6Detrics', '/metric%73?x', '//metrics', '/METRICS', '/readyz/'])(
    'have one spelling each, which proxies can block: %s is another',
    async (url) => {
      await start({});
      expect((await fixture.api.inject({ method: 'GET', url })).statusCode).toBe(404);
    },
  );

  it('show metrics only to readers with the token, if one is set', async () => {
    await start({ overrides: { metricsToken: new Secret('metrics-token') } });
    const get = (headers: Record<string, string>) =>
      fixture.api.inject({ method: 'GET', url: '/metrics', headers });
    const refused = [
      '',
      'metrics-token',
      'Bearer metrics-toke',
      'Bearer metrics-token2',
      'Basic metrics-token',
    ];
    for (const authorization of refused) {
      const response = await get(authorization === '' ? {} : { authorization });
      expect([authorization, response.statusCode]).toEqual([authorization, 401]);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="metrics"');
      expect(response.body).not.toContain('sluice_up');
    }
    expect((await get({ authorization: 'Bearer metrics-token' })).body).toBe('sluice_up 1\n');
    expect((await fixture.api.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(200);
  });

  it('name the contact for vulnerabilities, if one is set (RFC 9116)', async () => {
    const get = () => fixture.api.inject({ method: 'GET', url: '/.well-known/security.txt' });
    expect((await get()).statusCode).toBe(404);
    const expiresEpochMs = Date.parse('2100-01-01T00:00:00Z');
    await start({
      overrides: { securityText: { contact: ['tel:+1-201-555-0123'], expiresEpochMs, policy: null } },
    });
    expect((await get()).body).toBe('Contact: tel:+1-201-555-0123\nExpires: 2100-01-01T00:00:00Z\n');
  });

  it('say 503 while not ready', async () => {
    const readiness = async () => ({ ready: false, checks: { store: 'locked' } });
    await start({ overrides: { readiness } });
    const response = await fixture.api.inject({ method: 'GET', url: '/readyz' });
    expect([response.statusCode, response.json()]).toEqual([
      503,
      { ready: false, checks: { store: 'locked' } },
    ]);
  });
});

describe('overload', () => {
  it('abandons a call that takes too long', async () => {
    await start({ limits: { responseTimeoutMs: 20 } });
    fixture.store.organizations.find = () => new Promise(() => undefined);
    const response = await fixture.post(GET_ORG);
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
    expect(response.json()).toEqual({
      error: true,
      errorMsg: expect.stringMatching(/too long/),
    });
  });
});

describe('connections', () => {
  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', '400'],
    ['endless headers', `POST ${VALIDATE} HTTP/1.1\r\nhost: a\r\nx-filler: ${'x'.repeat(70_000)}`, '431'],
  ])('that send %s get the envelope and are closed', async (_name, bytes, status) => {
    await fixture.api.ready();
    const socket = pipedConnection(fixture.api.server);
    socket.write(bytes);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body!)).toEqual({ error: true, errorMsg: expect.any(String) });
  });
});

describe('security headers', () => {
  it('forbid everything on responses, and everything but the page itself on the page', async () => {
    const response = await fixture.post(VALIDATE);
    expect(response.headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const page = await fixture.api.inject({ method: 'GET', url: '/api/openapi/' });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(page.body).not.toMatch(/<script>|https?:\/\//);
  });
});
