import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { OAuthTester, REDIRECT_URI, type TestClient } from '../oauth-fixture.ts';

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

describe('GET /api/oauth/authorize', () => {
  it('returns the wrapper with the address of the application, the code, the state and the issuer', async () => {
    const response = await oauth.authorize(client);
    expect(response.statusCode).toBe(200);
    const wrapper = response.json();
    expect(wrapper).toMatchObject({
      error: false,
      status: 302,
      statusInfo: { statusCode: 302, reasonPhrase: 'Found', family: 'REDIRECTION' },
      date: new Date(fixture.clock.epochMs()).toISOString(),
    });
    expect(wrapper).not.toHaveProperty('entity');
    expect(wrapper.location.startsWith(`${REDIRECT_URI}&code=`)).toBe(true);
    const { searchParams } = new URL(wrapper.location);
    expect(Object.fromEntries(searchParams)).toEqual({
      from: 'sluice',
      code: expect.stringMatching(/^slo_ac_[\w-]{43}$/),
      state: 'af0 &=',
      iss: ISSUER,
    });
  });

  it('accepts the camel case spellings, and both if they agree', async () => {
    const camelCase = {
      response_type: undefined,
      responseType: 'code',
      client_id: undefined,
      clientId: client.clientId,
      redirect_uri: undefined,
      redirectUri: REDIRECT_URI,
      consent_given: undefined,
      consentGiven: 'true',
    };
    expect(await oauth.redirected(client, camelCase)).toMatchObject({ code: expect.any(String) });
    expect(await oauth.redirected(client, { clientId: client.clientId, responseType: 'code' })).toMatchObject(
      {
        code: expect.any(String),
      },
    );
    expect(await oauth.redirected(client, { responseType: 'token' })).toMatchObject({
      error: 'invalid_request',
    });
    expect((await oauth.authorize(client, { redirectUri: 'https://other.example' })).json().error).toBe(true);
  });

  it('shows who requests access while no one has consented', async () => {
    const { status, entity, ...wrapper } = (
      await oauth.authorize(client, { consent_given: undefined })
    ).json();
    expect(status).toBe(200);
    expect(wrapper).not.toHaveProperty('location');
    expect(entity).toEqual({
      clientId: client.clientId,
      name: 'Visitor desk',
      redirectUri: REDIRECT_URI,
    });
  });

  it.each([
    ['denied consent', { consent_given: 'false' }, 'access_denied'],
    ['a consent that is neither yes nor no', { consent_given: 'maybe' }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge method, which is plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that is not a hash', { code_challenge: 'short' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example' }, 'invalid_target'],
  ])('tells the application about %s', async (_name, changes, error) => {
    expect(await oauth.redirected(client, changes)).toEqual({
      from: 'sluice',
      error,
      error_description: expect.any(String),
      state: 'af0 &=',
      iss: ISSUER,
    });
    expect(await fixture.store.oauthGrants.list(fixture.own.organization.uuid)).toEqual([]);
  });

  it.each([
    ['no client', { client_id: undefined }, 'client_id is required.'],
    ['an unknown client', { client_id: 'AAAAAAAAAAAAAAAAAAAAAA' }, /no OAuth application/],
    ['no RUUID', { client_id: 'nobody' }, /no OAuth application/],
    ['another address', { redirect_uri: 'https://evil.example/' }, /redirect_uri is not/],
    ['a longer address', { redirect_uri: `${REDIRECT_URI}&x=1` }, /redirect_uri is not/],
    ['another case', { redirect_uri: REDIRECT_URI.replace('desk', 'Desk') }, /redirect_uri is not/],
    [
      'another port',
      { redirect_uri: REDIRECT_URI.replace('.example', '.example:8443') },
      /redirect_uri is not/,
    ],
  ])('redirects no one for %s', async (_name, changes, sentence) => {
    const body = (await oauth.authorize(client, changes)).json();
    expect(body).toEqual({ error: true, errorMsg: expect.stringMatching(sentence) });
  });

  it('sends codes to any port of a loopback address, which an installed app learns when it starts', async () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      const app = await oauth.register(`http://${host}:11434/callback?app=1`);
      const redirectUri = `http://${host}:49152/callback?app=1`;
      const { location } = (await oauth.authorize(app, { redirect_uri: redirectUri })).json();
      expect(location).toContain(`${redirectUri}&code=`);
      const code = new URL(location).searchParams.get('code')!;
      expect((await oauth.exchange(app, code, { redirect_uri: redirectUri })).statusCode).toBe(200);
      const elsewhere = [
        `http://${host}:49152/other?app=1`,
        `http://${host}:65536/callback?app=1`,
        `https://${host}:49152/callback?app=1`,
        `http://${host}.evil.example:80/callback?app=1`,
        `http://${host}:80@evil.example/callback?app=1`,
        'http://127.0.0.2:11434/callback?app=1',
      ];
      for (const wanted of elsewhere) {
        const refused = (await oauth.authorize(app, { redirect_uri: wanted })).json();
        expect([wanted, refused.errorMsg]).toEqual([wanted, expect.stringMatching(/redirect_uri is not/)]);
      }
    }
  });

  it('refuses a parameter that appears twice', async () => {
    const url = `/api/oauth/authorize?client_id=${client.clientId}&client_id=${client.clientId}`;
    const headers = { 'x-auth-apikey': fixture.own.apiKey };
    const response = await fixture.api.inject({ method: 'GET', url, headers });
    expect(response.json()).toMatchObject({ error: true, errorMsg: 'client_id is given more than once.' });
  });

  it('needs a key, but not a device key', async () => {
    expect((await oauth.authorize(client, {}, {})).statusCode).toBe(401);
    const deviceKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'device' });
    const headers = { 'x-auth-apikey': deviceKey, 'x-auth-scheme': 'device' };
    expect((await oauth.authorize(client, {}, headers)).statusCode).toBe(401);
  });

  it('does not let an application pass on its access', async () => {
    const { access_token } = await oauth.tokens(client);
    const headers = { 'x-auth-scheme': 'api-oauth-token', 'x-auth-access-token': access_token };
    expect((await oauth.authorize(client, {}, headers)).json()).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(/requires an API key/),
    });
  });
});

describe('discovery', () => {
  const get = (url: string) => fixture.api.inject({ method: 'GET', url });

  it('lists the endpoints', async () => {
    const response = await get('/.well-known/oauth-authorization-server');
    expect(response.headers['cache-control']).toMatch(/max-age/);
    expect(response.json()).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/api/oauth/authorize`,
      token_endpoint: `${ISSUER}/api/oauth/token`,
      revocation_endpoint: `${ISSUER}/api/oauth/revoke`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
    });
    expect((await get('/.well-known/oauth-protected-resource')).json()).toMatchObject({
      resource: ISSUER,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
    });
  });

  it('is what a refused request points to', async () => {
    const { headers } = await fixture.post(GET_ORG, {}, { 'x-auth-apikey': 'nobody' });
    expect(headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    );
  });

  it('supports a base address with a path', async () => {
    await fixture.close();
    fixture = await openApiFixture({ overrides: { publicApiUrl: 'https://cams.example/sluice/' } });
    const { issuer, token_endpoint } = (await get('/.well-known/oauth-authorization-server/sluice')).json();
    expect([issuer, token_endpoint]).toEqual([
      'https://cams.example/sluice',
      'https://cams.example/sluice/api/oauth/token',
    ]);
    expect((await get('/.well-known/oauth-protected-resource/sluice')).json().resource).toBe(issuer);
  });
});
