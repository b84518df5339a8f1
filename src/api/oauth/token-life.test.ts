import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { OAuthTester, type TestClient, type Tokens } from '../oauth-fixture.ts';

const GET_ORG = '/api/org/getOrgV2';

let fixture: ApiFixture;
let oauth: OAuthTester;
let client: TestClient;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { failedAuthenticationsPerAddress: { burst: 200, perSec: 1 } } });
  oauth = new OAuthTester(fixture);
  client = await oauth.register();
});
afterEach(() => fixture.close());

describe('tokens', () => {
  it('are replaced by refreshing, which uses up the refresh token', async () => {
    const first = await oauth.tokens(client);
    fixture.clock.advance(3_600_000);
    expect(await oauth.statusWith(first.access_token)).toBe(401);
    const second = (await oauth.refresh(client, first.refresh_token)).json<Tokens>();
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await oauth.statusWith(second.access_token)).toBe(200);
  });

  it('all end when a used refresh token is sent again', async () => {
    const first = await oauth.tokens(client);
    const second = (await oauth.refresh(client, first.refresh_token)).json<Tokens>();
    expect(await oauth.statusWith(second.access_token)).toBe(200);
    expect((await oauth.refresh(client, first.refresh_token)).json().error).toBe('invalid_grant');
    expect(await oauth.statusWith(first.access_token)).toBe(401);
    expect(await oauth.statusWith(second.access_token)).toBe(401);
    expect((await oauth.refresh(client, second.refresh_token)).json().error).toBe('invalid_grant');
  });

  it('are not refreshed after thirty days, by another application or by an access token', async () => {
    const tokens = await oauth.tokens(client);
    expect((await oauth.refresh(await oauth.register(), tokens.refresh_token)).json().error).toBe(
      'invalid_grant',
    );
    expect((await oauth.refresh(client, tokens.access_token)).json().error).toBe('invalid_grant');
    fixture.clock.advance(30 * 24 * 3_600_000);
    expect((await oauth.refresh(client, tokens.refresh_token)).json().error).toBe('invalid_grant');
  });

  it('are neither refresh tokens nor keys', async () => {
    const { access_token, refresh_token } = await oauth.tokens(client);
    expect(await oauth.statusWith(refresh_token)).toBe(401);
    expect((await fixture.post(GET_ORG, {}, { 'x-auth-apikey': access_token })).statusCode).toBe(401);
  });

  it('have no more rights than the key that granted them', async () => {
    const { access_token } = await oauth.tokens(client);
    const headers = { 'x-auth-apikey': '', 'x-auth-access-token': access_token };
    for (const scheme of ['partner-api-oauth-token', 'api-token', 'device', 'oauth']) {
      const response = await fixture.post(GET_ORG, {}, { ...headers, 'x-auth-scheme': scheme });
      expect([scheme, response.statusCode]).toEqual([scheme, 401]);
    }
    const foreignOrg = { ...headers, 'x-auth-org': fixture.foreign.organization.uuid };
    expect((await fixture.post(GET_ORG, {}, foreignOrg)).statusCode).toBe(401);
  });

  it('end with the key that granted them', async () => {
    const { access_token, refresh_token } = await oauth.tokens(client);
    expect(await oauth.statusWith(access_token)).toBe(200);
    await fixture.store.apiKeys.save({ ...fixture.own.key, revokedAtMs: fixture.clock.epochMs() });
    expect(await oauth.statusWith(access_token)).toBe(401);
    expect((await oauth.refresh(client, refresh_token)).json().error).toBe('invalid_grant');
  });

  it('end when the organization revokes the grant, and no one else can', async () => {
    const { access_token } = await oauth.tokens(client);
    const { grants } = await fixture.call('/api/oauth/getAllGrantsForOrg');
    expect(grants).toEqual([
      {
        grantUuid: expect.any(String),
        clientId: client.clientId,
        tokenUuid: fixture.own.key.uuid,
        createdAtMillis: fixture.clock.epochMs(),
      },
    ]);
    const [{ grantUuid }] = grants as [{ grantUuid: string }];
    const foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
    const revoke = (headers?: Record<string, string>) =>
      fixture.call('/api/oauth/revokeGrant', { grantUuid }, headers);
    expect(await revoke(foreignHeaders)).toMatchObject({ error: true });
    expect(await fixture.call('/api/oauth/getAllGrantsForOrg', {}, foreignHeaders)).toMatchObject({
      grants: [],
    });
    expect(await oauth.statusWith(access_token)).toBe(200);
    expect(await revoke()).toMatchObject({ error: false });
    expect(await oauth.statusWith(access_token)).toBe(401);
    expect(await revoke()).toMatchObject({ error: true });
  });

  it('end when the application is deleted', async () => {
    const { access_token } = await oauth.tokens(client);
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    await fixture.call('/api/oauth/deleteApplication', { clientId: client.clientId }, headers);
    expect(await oauth.statusWith(access_token)).toBe(401);
  });
});

describe('tokens that a partner granted', () => {
  it('act for its clients, or for the one client that it granted them for', async () => {
    const partner = sampleOrganization({ name: 'Partner' });
    const acme = sampleOrganization({ name: 'Acme', partnerUuid: partner.uuid });
    const bolt = sampleOrganization({ name: 'Bolt', partnerUuid: partner.uuid });
    for (const each of [partner, acme, bolt]) await fixture.store.organizations.save(each);
    const apiKey = await addApiKey(fixture.store, partner.uuid, { scheme: 'partner-api' });
    const key = { 'x-auth-apikey': apiKey, 'x-auth-scheme': 'partner-api' };
    const tokenFor = async (headers: Record<string, string>) => {
      const { code } = await oauth.redirected(client, {}, headers);
      return (await oauth.exchange(client, code!)).json<Tokens>().access_token;
    };
    const nameOf = async (token: string, scheme: string, org?: string) => {
      const headers = { 'x-auth-apikey': '', 'x-auth-access-token': token, 'x-auth-scheme': scheme };
      const response = await fixture.post(
        GET_ORG,
        {},
        org === undefined ? headers : { ...headers, 'x-auth-org': org },
      );
      return response.statusCode === 200 ? response.json().org.name : response.statusCode;
    };
    const wide = await tokenFor(key);
    expect(await nameOf(wide, 'partner-api-oauth-token')).toBe('Partner');
    expect(await nameOf(wide, 'partner-api-oauth-token', bolt.uuid)).toBe('Bolt');
    expect(await nameOf(wide, 'partner-api-oauth-token', fixture.own.organization.uuid)).toBe(401);
    expect(await nameOf(wide, 'api-oauth-token')).toBe(401);
    const narrow = await tokenFor({ ...key, 'x-auth-org': acme.uuid });
    expect(await nameOf(narrow, 'api-oauth-token')).toBe('Acme');
    expect(await nameOf(narrow, 'api-oauth-token', bolt.uuid)).toBe(401);
    expect(await nameOf(narrow, 'partner-api-oauth-token')).toBe(401);
    await fixture.store.organizations.save({ ...acme, partnerUuid: null });
    expect(await nameOf(narrow, 'api-oauth-token')).toBe(401);
  });
});

describe('POST /api/oauth/revoke', () => {
  it('ends only an access token, or everything with a refresh token', async () => {
    const tokens = await oauth.tokens(client);
    expect((await oauth.form('revoke', client, { token: tokens.access_token })).statusCode).toBe(200);
    expect(await oauth.statusWith(tokens.access_token)).toBe(401);
    const next = (await oauth.refresh(client, tokens.refresh_token)).json<Tokens>();
    const hint = { token: next.refresh_token, token_type_hint: 'access_token' };
    expect((await oauth.form('revoke', client, hint)).statusCode).toBe(200);
    expect(await oauth.statusWith(next.access_token)).toBe(401);
    expect((await oauth.refresh(client, next.refresh_token)).json().error).toBe('invalid_grant');
  });

  it('does nothing for tokens of others or of no one', async () => {
    const tokens = await oauth.tokens(client);
    const other = await oauth.register();
    for (const token of [tokens.refresh_token, tokens.access_token, 'nothing']) {
      expect((await oauth.form('revoke', other, { token })).statusCode).toBe(200);
    }
    expect(await oauth.statusWith(tokens.access_token)).toBe(200);
  });

  it('needs a token and a client', async () => {
    expect((await oauth.form('revoke', client, {})).json().error).toBe('invalid_request');
    const wrong = { ...client, clientSecret: 'x' };
    expect((await oauth.form('revoke', wrong, { token: 'x' })).json().error).toBe('invalid_client');
  });
});

describe('the audit trail', () => {
  it('has who granted access and who ended it, and nothing of other organizations', async () => {
    const tokens = await oauth.tokens(client);
    await oauth.form('revoke', client, { token: tokens.refresh_token });
    await oauth.code(client);
    fixture.clock.advance(60_000);
    await oauth.redirected(client, {}, { 'x-auth-apikey': fixture.foreign.apiKey });
    await fixture.audit.settled();
    const query = {
      fromMs: 0,
      toMs: Number.MAX_SAFE_INTEGER,
      includeActions: null,
      excludeActions: [],
      limit: 100,
    };
    const rows = await fixture.store.audit.list(fixture.own.organization.uuid, query);
    const ofGrants = rows.filter(({ action }) => /^API_OAUTH_(?:AUTHORIZE|TOKEN_REVOKE)$/.test(action));
    expect(ofGrants.map(({ action, principal }) => [action, principal.type, principal.uuid]).sort()).toEqual([
      ['API_OAUTH_AUTHORIZE', 'API_TOKEN', fixture.own.key.uuid],
      ['API_OAUTH_AUTHORIZE', 'API_TOKEN', fixture.own.key.uuid],
      ['API_OAUTH_TOKEN_REVOKE', 'API_OAUTH_TOKEN', client.clientId],
    ]);
  });
});
