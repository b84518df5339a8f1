import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { CODE_VERIFIER, OAuthTester, REDIRECT_URI } from '../oauth-fixture.ts';

const REGISTER = '/oauth/register';

let fixture: ApiFixture;
let oauth: OAuthTester;
beforeEach(async () => {
  const plenty = { burst: 1_000, perSec: 1_000 };
  fixture = await openApiFixture({ limits: { registrationsPerOrg: plenty, requestsPerOrg: plenty } });
  oauth = new OAuthTester(fixture);
});
afterEach(() => fixture.close());

const METADATA = { client_name: ' Visitor desk ', redirect_uris: [REDIRECT_URI] };

/** Sends a request without the key that the fixture adds everywhere else. */
function register(metadata: unknown, headers: Record<string, string> = bearer(fixture.own.apiKey)) {
  return fixture.api.inject({
    method: 'POST',
    url: REGISTER,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  });
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const applications = () => fixture.store.oauthApplications.list(fixture.own.organization.uuid);

describe(REGISTER, () => {
  it('registers a client for the organization whose key is the initial access token', async () => {
    const response = await register({
      ...METADATA,
      contacts: ['desk@example.com'],
      tos_uri: 'https://x.example',
    });
    expect(response.statusCode).toBe(201);
    expect(response.headers['cache-control']).toBe('no-store');
    const client = response.json();
    expect(client).toEqual({
      client_id: expect.stringMatching(/^[\w-]{22}$/),
      client_secret: expect.stringMatching(/^slo_cs_/),
      client_id_issued_at: Math.floor(fixture.clock.epochMs() / 1_000),
      client_secret_expires_at: 0,
      client_name: 'Visitor desk',
      contacts: ['desk@example.com'],
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
    expect(await applications()).toMatchObject([
      { uuid: client.client_id, name: 'Visitor desk', redirectUri: REDIRECT_URI },
    ]);
    expect(JSON.stringify(await applications())).not.toContain(client.client_secret);
    const tokens = await oauth.tokens({
      clientId: client.client_id as Ruuid,
      clientSecret: client.client_secret as string,
    });
    expect(await oauth.statusWith(tokens.access_token)).toBe(200);
    const byApplication = await register(METADATA, bearer(tokens.access_token));
    expect(byApplication.statusCode).toBe(201);
  });

  it('names a client without a name after the host that receives its codes', async () => {
    for (const [redirectUri, name] of [
      ['https://desk.example/callback', 'desk.example'],
      ['com.example.app:/callback', 'com.example.app'],
    ]) {
      expect((await register({ redirect_uris: [redirectUri] })).json()).toMatchObject({ client_name: name });
    }
  });

  it('registers nothing without a key of an organization', async () => {
    const deviceKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'device' });
    for (const headers of [{}, bearer('guess'), bearer('slo_at_guess'), bearer(deviceKey)]) {
      const response = await register(METADATA, headers);
      expect([headers, response.statusCode]).toEqual([headers, 401]);
      expect(response.headers['www-authenticate']).toMatch(/^Bearer resource_metadata=/);
    }
    const session = await fixture.call('/api/org/generateFederatedSessionToken', { durationSec: 60 });
    const sessionHeaders = {
      'x-auth-scheme': 'federated-token',
      'x-auth-ft': session.federatedSessionToken as string,
    };
    expect((await register(METADATA, sessionHeaders)).statusCode).toBe(401);
    expect(await applications()).toEqual([]);
  });

  it.each([
    ['invalid_redirect_uri', {}, /^redirect_uris must be a list of exactly one URI/],
    ['invalid_redirect_uri', { redirect_uris: [] }, /^redirect_uris must be/],
    ['invalid_redirect_uri', { redirect_uris: [REDIRECT_URI, REDIRECT_URI] }, /^redirect_uris must be/],
    [
      'invalid_redirect_uri',
      { redirect_uris: ['https://a.example/#x'] },
      /^redirect_uris\[0\] must not have a f/,
    ],
    ['invalid_redirect_uri', { redirect_uris: ['http://a.example/'] }, /^redirect_uris\[0\] must use https/],
    [
      'invalid_redirect_uri',
      { redirect_uris: ['javascript:alert(1)'] },
      /^redirect_uris\[0\] must use https/,
    ],
    [
      'invalid_redirect_uri',
      { redirect_uris: [`https://a.example/${'x'.repeat(2_000)}`] },
      /2000 characters/,
    ],
    [
      'invalid_client_metadata',
      { ...METADATA, token_endpoint_auth_method: 'private_key_jwt' },
      /^token_endpoint_auth_method must be client_secret_basic or client_secret_post or none/,
    ],
    ['invalid_client_metadata', { ...METADATA, grant_types: ['implicit'] }, /^grant_types must list/],
    ['invalid_client_metadata', { ...METADATA, grant_types: ['refresh_token'] }, /^grant_types must list/],
    ['invalid_client_metadata', { ...METADATA, response_types: ['token'] }, /^response_types must list/],
    ['invalid_client_metadata', { ...METADATA, client_name: 7 }, /^client_name must be a string/],
    [
      'invalid_client_metadata',
      { ...METADATA, client_name: 'x'.repeat(257) },
      /^client_name must be a string/,
    ],
    ['invalid_client_metadata', { ...METADATA, contacts: 'me' }, /^contacts must be a list/],
    ['invalid_client_metadata', { ...METADATA, contacts: [{}] }, /^contacts\[0\] must be a string/],
    ['invalid_client_metadata', { ...METADATA, contacts: ['a@example.com', 7] }, /^contacts\[1\] must be/],
    ['invalid_client_metadata', '[]', /must be a JSON object/],
    ['invalid_client_metadata', '{', /must be a JSON object/],
    ['invalid_client_metadata', '', /must be a JSON object/],
  ])('answers %s to %j', async (error, metadata, sentence) => {
    const response = await register(metadata);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error, error_description: expect.stringMatching(sentence) });
    expect(await applications()).toEqual([]);
  });

  it('has room for a hundred applications, no matter who registers them', async () => {
    await oauth.register();
    for (let index = 0; index < 100; index++) {
      expect((await register(METADATA)).statusCode).toBe(201);
    }
    const refused = await register(METADATA);
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ error: 'access_denied' });
    expect(await applications()).toHaveLength(100);
    expect((await register(METADATA, bearer(fixture.foreign.apiKey))).statusCode).toBe(201);
  });

  it('has no room for more, even if they register at once', async () => {
    const before = (await applications()).length;
    const submit = '/api/oauth/submitApplication';
    const details = { name: 'Desk', redirectUri: 'https://desk.example/cb' };
    const responses = await Promise.all(
      Array.from({ length: 120 }, async (_, index) => {
        if (index % 2 === 0) return (await register(METADATA)).statusCode === 201;
        return !(await fixture.call(submit, details)).error;
      }),
    );
    expect(responses.filter(Boolean)).toHaveLength(100 - before);
    expect(await applications()).toHaveLength(100);
  });
});

describe('a public client, as the command line of the API family and MCP clients register', () => {
  const LOOPBACK = 'http://127.0.0.1:11434/callback';
  const metadata = {
    client_name: 'Command line',
    redirect_uris: [LOOPBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const clientOf = async () => {
    const response = await register(metadata);
    expect(response.statusCode).toBe(201);
    return response.json();
  };
  const form = (path: 'token' | 'revoke', parameters: Record<string, string>, headers = {}) =>
    fixture.api.inject({
      method: 'POST',
      url: `/oauth/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(parameters).toString(),
    });
  const codeFor = (clientId: string, redirectUri: string) =>
    oauth.code({ clientId: clientId as Ruuid, clientSecret: '' }, { redirect_uri: redirectUri });

  it('gets no secret, and tokens for its client_id and the code_verifier', async () => {
    const client = await clientOf();
    expect(client).toMatchObject({ token_endpoint_auth_method: 'none', redirect_uris: [LOOPBACK] });
    expect(client).not.toHaveProperty('client_secret');
    expect(client).not.toHaveProperty('client_secret_expires_at');
    const { client_id } = client;
    const exchange = { grant_type: 'authorization_code', client_id, redirect_uri: LOOPBACK };
    const guessed = await form('token', {
      ...exchange,
      code: await codeFor(client_id, LOOPBACK),
      code_verifier: 'x'.repeat(43),
    });
    expect([guessed.statusCode, guessed.json().error]).toEqual([400, 'invalid_grant']);
    const code = await codeFor(client_id, LOOPBACK);
    const tokens = (await form('token', { ...exchange, code, code_verifier: CODE_VERIFIER })).json();
    expect(await oauth.statusWith(tokens.access_token)).toBe(200);
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token };
    const next = (await form('token', refresh)).json();
    expect(await oauth.statusWith(next.access_token)).toBe(200);
    // The first refresh token again: someone has copied it.
    expect((await form('token', refresh)).json()).toMatchObject({ error: 'invalid_grant' });
    expect(await oauth.statusWith(next.access_token)).toBe(401);
  });

  it('is listed without a hash, and gets a secret when it is submitted again', async () => {
    const { client_id: clientId } = await clientOf();
    const list = async () =>
      (await fixture.call('/api/oauth/getAllApplicationsForOrg')).oauthApplications as object[];
    expect(await list()).toEqual([expect.not.objectContaining({ clientSecretHash: expect.anything() })]);
    const { clientSecret } = await fixture.call('/api/oauth/submitApplication', { clientId });
    expect(clientSecret).toMatch(/^slo_cs_/);
    const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'slo_rt_x' };
    expect((await form('token', refresh)).json()).toMatchObject({ error: 'invalid_client' });
  });

  it('is refused with a secret that it does not have', async () => {
    const { client_id } = await clientOf();
    const guess = {
      grant_type: 'refresh_token',
      client_id,
      refresh_token: 'slo_rt_x',
      client_secret: 'guess',
    };
    const refused = await form('token', guess);
    expect([refused.statusCode, refused.json().error]).toEqual([401, 'invalid_client']);
    const revoked = await form('revoke', { client_id, token: 'slo_rt_x' });
    expect(revoked.statusCode).toBe(200);
  });

  it('is limited by its address, and uses up nothing of its organization', async () => {
    await fixture.close();
    fixture = await openApiFixture({
      limits: {
        failedAuthenticationsPerAddress: { burst: 3, perSec: 1 },
        requestsPerOrg: { burst: 3, perSec: 0.001 },
      },
    });
    const { client_id } = (await register(metadata)).json();
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: 'slo_rt_x' };
    for (let index = 0; index < 3; index++) {
      expect((await form('token', refresh)).json()).toMatchObject({ error: 'invalid_grant' });
    }
    expect((await form('token', refresh)).statusCode).toBe(429);
    expect((await fixture.post('/api/integrations/validateToken')).statusCode).toBe(200);
  });
});

it('lets an organization register ten clients at once and one a minute from then on', async () => {
  const limited = await openApiFixture();
  const register = () =>
    limited.api.inject({
      method: 'POST',
      url: REGISTER,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${limited.own.apiKey}` },
      payload: JSON.stringify(METADATA),
    });
  for (let index = 0; index < 10; index++) expect((await register()).statusCode).toBe(201);
  const refused = await register();
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('60');
  expect(refused.headers['ratelimit-policy']).toMatch(/registration/);
  limited.clock.advance(60_000);
  expect((await register()).statusCode).toBe(201);
  await limited.close();
});

it('also authorizes, exchanges and revokes under /oauth', async () => {
  const client = await oauth.register();
  const short = async (path: 'token' | 'revoke', parameters: Record<string, string>) =>
    fixture.api.inject({
      method: 'POST',
      url: `/oauth/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        client_id: client.clientId,
        client_secret: client.clientSecret,
        ...parameters,
      }).toString(),
    });
  const long = await oauth.authorize(client);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    consent_given: 'true',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const url = `/oauth/authorize?${query}`;
  const headers = { 'x-auth-apikey': fixture.own.apiKey };
  const authorized = await fixture.api.inject({ method: 'GET', url, headers });
  expect(Object.keys(authorized.json())).toEqual(Object.keys(long.json()));
  const code = new URL(authorized.json().location).searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
  const tokens = (await short('token', { ...exchange, code_verifier: CODE_VERIFIER })).json();
  expect(await oauth.statusWith(tokens.access_token)).toBe(200);
  expect((await short('revoke', { token: tokens.refresh_token })).statusCode).toBe(200);
  expect(await oauth.statusWith(tokens.access_token)).toBe(401);
  expect((await fixture.api.inject({ method: 'GET', url })).statusCode).toBe(401);
  const refused = await short('token', { ...exchange, client_secret: 'guess', code_verifier: CODE_VERIFIER });
  expect([refused.statusCode, refused.json().error]).toEqual([401, 'invalid_client']);
});
