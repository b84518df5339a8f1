import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { OAuthTester, REDIRECT_URI, type TestClient, type Tokens } from '../oauth-fixture.ts';

const GET_ORG = '/api/org/getOrgV2';
const ISSUER = 'http://api.example';

let fixture: ApiFixture;
let oauth: OAuthTester;
let client: TestClient;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { failedAuthenticationsPerAddress: { burst: 200, perSec: 1 } } });
  oauth = new OAuthTester(fixture);
  client = await oauth.register();
});
afterEach(() => fixture.close());

describe('POST /api/oauth/token with a code', () => {
  it('returns tokens that act for the organization that consented', async () => {
    const response = await oauth.exchange(client, await oauth.code(client));
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const tokens = response.json<Tokens>();
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^slo_at_/),
      refresh_token: expect.stringMatching(/^slo_rt_/),
      token_type: 'Bearer',
      expires_in: 3_600,
    });
    for (const headers of [
      { 'x-auth-scheme': 'api-oauth-token', 'x-auth-access-token': tokens.access_token },
      { 'x-auth-access-token': tokens.access_token },
      { authorization: `Bearer ${tokens.access_token}` },
    ]) {
      const result = await fixture.call(GET_ORG, {}, { 'x-auth-apikey': '', ...headers });
      expect(result.org).toMatchObject({ uuid: fixture.own.organization.uuid });
    }
  });

  it('stores no secret as text', async () => {
    const code = await oauth.code(client);
    const { access_token, refresh_token } = (await oauth.exchange(client, code)).json<Tokens>();
    for (const text of [code, access_token, refresh_token, client.clientSecret]) {
      expect(await fixture.store.oauthGrants.findToken(text)).toBeNull();
    }
    const application = await fixture.store.oauthApplications.findByClientId(client.clientId);
    expect(JSON.stringify(application)).not.toContain(client.clientSecret);
  });

  it('accepts the client in the form, and a form as JSON', async () => {
    const parameters = {
      grant_type: 'authorization_code',
      code: await oauth.code(client),
      redirect_uri: REDIRECT_URI,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      resource: `${ISSUER}/`,
    };
    const headers = { 'content-type': 'application/json' };
    const url = '/api/oauth/token';
    const response = await fixture.api.inject({ method: 'POST', url, headers, payload: parameters });
    expect(response.statusCode).toBe(200);
  });

  it('can leave out the address if the authorization request did', async () => {
    const code = await oauth.code(client, { redirect_uri: undefined });
    expect((await oauth.exchange(client, code, { redirect_uri: '' })).statusCode).toBe(200);
  });

  it('works once: a code that is used again ends the tokens that it gave', async () => {
    const code = await oauth.code(client);
    const { access_token, refresh_token } = (await oauth.exchange(client, code)).json<Tokens>();
    expect(await oauth.statusWith(access_token)).toBe(200);
    const second = await oauth.exchange(client, code);
    expect([second.statusCode, second.json().error]).toEqual([400, 'invalid_grant']);
    expect(await oauth.statusWith(access_token)).toBe(401);
    expect((await oauth.refresh(client, refresh_token)).json().error).toBe('invalid_grant');
  });

  it('notices a used code long after it expired, while its tokens live', async () => {
    const code = await oauth.code(client);
    const { refresh_token } = (await oauth.exchange(client, code)).json<Tokens>();
    fixture.clock.advance(3 * 86_400_000);
    await oauth.code(client);
    const next = (await oauth.refresh(client, refresh_token)).json<Tokens>();
    expect((await oauth.exchange(client, code)).json().error).toBe('invalid_grant');
    expect(await oauth.statusWith(next.access_token)).toBe(401);
  });

  it('gives tokens once if a code is sent many times at once', async () => {
    const code = await oauth.code(client);
    const responses = await Promise.all(Array.from({ length: 8 }, () => oauth.exchange(client, code)));
    expect(responses.filter((response) => response.statusCode === 200)).toHaveLength(1);
  });

  it('refuses a code after a minute', async () => {
    const code = await oauth.code(client);
    fixture.clock.advance(59_999);
    const inTime = await oauth.code(client);
    fixture.clock.advance(1);
    expect((await oauth.exchange(client, code)).json().error).toBe('invalid_grant');
    expect((await oauth.exchange(client, inTime)).statusCode).toBe(200);
  });

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['a verifier too short', { code_verifier: 'short' }, 'invalid_request'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another address', { redirect_uri: 'https://desk.example/callback' }, 'invalid_grant'],
    ['no address', { redirect_uri: '' }, 'invalid_grant'],
    ['no code', { code: '' }, 'invalid_request'],
    ['an unknown code', { code: 'slo_ac_nothing' }, 'invalid_grant'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant type', { grant_type: '' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example' }, 'invalid_target'],
  ])('refuses %s, and the code still works', async (_name, changes, error) => {
    const code = await oauth.code(client);
    const response = await oauth.exchange(client, code, changes);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({
      error,
      error_description: expect.any(String),
      errorMsg: expect.any(String),
    });
    expect((await oauth.exchange(client, code)).statusCode).toBe(200);
  });

  it('refuses the code of another application', async () => {
    const other = await oauth.register();
    const code = await oauth.code(client);
    expect((await oauth.exchange(other, code)).json().error).toBe('invalid_grant');
    expect((await oauth.exchange(client, code)).statusCode).toBe(200);
  });

  it('refuses a code whose key was revoked in the meantime', async () => {
    const code = await oauth.code(client);
    await fixture.store.apiKeys.save({ ...fixture.own.key, revokedAtMs: fixture.clock.epochMs() });
    expect((await oauth.exchange(client, code)).json().error).toBe('invalid_grant');
  });

  it.each([
    ['a wrong secret', (known: TestClient) => ({ ...known, clientSecret: 'slo_cs_wrong' })],
    ['no secret', (known: TestClient) => ({ ...known, clientSecret: '' })],
    ['an unknown client', (known: TestClient) => ({ ...known, clientId: fixture.own.organization.uuid })],
  ])('refuses %s', async (_name, change) => {
    const response = await oauth.exchange(change(client), await oauth.code(client));
    expect([response.statusCode, response.json().error]).toEqual([401, 'invalid_client']);
    expect(response.headers['www-authenticate']).toMatch(/^Basic/);
  });

  it.each([
    ['a parameter twice', 'grant_type=refresh_token&grant_type=refresh_token', {}],
    ['broken JSON', '{"a"', { 'content-type': 'application/json' }],
    ['no object', '[]', { 'content-type': 'application/json' }],
    ['numbers', '{"code":1}', { 'content-type': 'application/json' }],
    ['an endless value', `code=${'x'.repeat(5_000)}`, {}],
  ])('refuses %s', async (_name, payload, headers) => {
    const response = await fixture.api.inject({ method: 'POST', url: '/api/oauth/token', headers, payload });
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['form', 'color=red&color=blue', {}],
    ['JSON', '{"color":1}', { 'content-type': 'application/json' }],
  ])('ignores unknown parameters in %s, repeated or not', async (_name, payload, headers) => {
    const response = await fixture.api.inject({ method: 'POST', url: '/api/oauth/token', headers, payload });
    expect([response.statusCode, response.json().error]).toEqual([401, 'invalid_client']);
  });

  it('refuses a client that authenticates in two ways', async () => {
    const parameters = { client_secret: client.clientSecret };
    expect((await oauth.exchange(client, 'code', parameters)).json().error).toBe('invalid_request');
  });

  it('refuses an address that keeps guessing secrets', async () => {
    await fixture.close();
    fixture = await openApiFixture({
      limits: { failedAuthenticationsPerAddress: { burst: 2, perSec: 0.1 } },
    });
    oauth = new OAuthTester(fixture);
    client = await oauth.register();
    const wrong = { ...client, clientSecret: 'guess' };
    expect((await oauth.refresh(wrong, 'x')).headers.ratelimit).toBe('"address";r=1;t=10');
    expect((await oauth.refresh(wrong, 'x')).statusCode).toBe(401);
    const third = await oauth.refresh(wrong, 'x');
    expect([third.statusCode, third.headers['retry-after']]).toEqual([429, '10']);
    expect((await oauth.refresh(client, 'x')).statusCode).toBe(400);
  });
});
