import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const SUBMIT = '/api/integrations/org/submitApiTokenApplication';
const SUBMIT_PARTNER = '/api/partner/submitApiTokenApplication';
const LIST = '/api/integrations/org/getApiTokens';
const REVOKE = '/api/integrations/org/revokeApiToken';
const VALIDATE = '/api/integrations/validateToken';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const statusWith = async (apiKey: unknown, scheme = 'api-token', path = VALIDATE) =>
  (await fixture.post(path, {}, { 'x-auth-apikey': apiKey as string, 'x-auth-scheme': scheme })).statusCode;
const list = async (body: object = {}) =>
  (await fixture.call(LIST, body)).apiTokens as Readonly<Record<string, unknown>>[];

describe('API tokens', () => {
  it('are created, shown once, and work', async () => {
    const { apiKey, ...more } = await fixture.call(SUBMIT, {
      displayName: ' Wall ',
      authType: 'API_TOKEN',
    });
    for (const field of ['cert', 'validCSR']) expect(more).not.toHaveProperty(field);
    expect(await statusWith(apiKey)).toBe(200);
    expect(await statusWith(apiKey, 'partner-api')).toBe(401);
    expect(await statusWith(apiKey, 'device', '/api/ingest/thresholdCrossings')).toBe(401);
    fixture.clock.advance(10_000);
    await eventually('every key has a use', async () =>
      (await list()).every(({ lastUsedMs }) => lastUsedMs !== undefined),
    );
    const tokens = await list();
    expect(JSON.stringify(tokens)).not.toContain(apiKey);
    expect(tokens.find((token) => token.displayName === 'Wall')).toEqual({
      tokenUuid: expect.any(String),
      orgUuid: fixture.own.organization.uuid,
      displayName: 'Wall',
      clientType: 'DEVELOPER',
      role: 'admin',
      authType: 'API_TOKEN',
      authenticationTokenHash: hashApiKey(apiKey as string),
      hashed: true,
      allowedRequetsPerSecond: 50,
      timestampMs: fixture.clock.epochMs() - 10_000,
      lastUsedMs: fixture.clock.epochMs() - 10_000,
      clientDetails: {},
    });
  });

  it('for devices can only report', async () => {
    const { apiKey } = await fixture.call(SUBMIT, { displayName: 'Counter', reportsOnly: true });
    expect(await statusWith(apiKey, 'device', VALIDATE)).toBe(401);
    expect(await statusWith(apiKey, 'api-token', VALIDATE)).toBe(401);
    expect(await statusWith(apiKey, 'device', '/api/ingest/thresholdCrossings')).toBe(200);
    const [token] = await list({ optionalFilter: ['EXECUTABLE'] });
    expect(token).toMatchObject({ displayName: 'Counter' });
    expect(token).not.toHaveProperty('role');
  });

  it('are listed by kind and per organization', async () => {
    expect(await list({ optionalFilter: ['KIOSK', 'PARTNER_DEVELOPER'] })).toEqual([]);
    expect((await list({ optionalFilter: ['DEVELOPER'] })).map((token) => token.tokenUuid)).toEqual([
      fixture.own.key.uuid,
    ]);
    expect((await fixture.call(LIST, { optionalFilter: ['TOASTER'] })).errorMsg).toMatch(
      /^optionalFilter\[0\] must/,
    );
  });

  it('stop working when they are revoked', async () => {
    const { apiKey } = await fixture.call(SUBMIT, { displayName: 'Wall' });
    expect(await statusWith(apiKey)).toBe(200);
    const tokenUuid = (await list()).find((token) => token.displayName === 'Wall')!.tokenUuid;
    const foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
    const unknown = await fixture.call(REVOKE, { tokenUuid: newRuuid() });
    expect(unknown).toMatchObject({ error: true, errorMsg: 'There is no API token with this tokenUuid.' });
    expect(await fixture.call(REVOKE, { tokenUuid }, foreignHeaders)).toEqual(unknown);
    expect(await statusWith(apiKey)).toBe(200);
    expect(await fixture.call(REVOKE, { tokenUuid })).toMatchObject({ error: false });
    expect(await statusWith(apiKey)).toBe(401);
    expect(await fixture.call(REVOKE, { tokenUuid })).toEqual(unknown);
    expect(await list()).toHaveLength(1);
  });

  it.each([
    [{}, 'displayName is required.'],
    [{ displayName: ' ' }, 'displayName must not be blank.'],
    [{ displayName: 'A', authType: 'CERT', csr: 'PEM' }, /^authType must be API_TOKEN/],
    [{ displayName: 'A', authType: 'PASSWORD' }, /^authType must be one of/],
  ])('are refused with %j', async (body, sentence) => {
    expect((await fixture.call(SUBMIT, body)).errorMsg).toMatch(sentence);
    expect(await list()).toHaveLength(1);
  });

  it('are created for an application that was granted access', async () => {
    const oauth = new OAuthTester(fixture);
    const { access_token } = await oauth.tokens(await oauth.register());
    const headers = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'api-oauth-token',
      'x-auth-access-token': access_token,
    };
    const { apiKey } = await fixture.call(SUBMIT, { displayName: 'Desk' }, headers);
    expect(await statusWith(apiKey)).toBe(200);
    expect((await list()).map((token) => token.displayName)).toContain('Desk');
  });
});

describe('the end of an API token', () => {
  const HOUR_SEC = 3_600;
  const UPDATE = '/api/integrations/org/updateApiToken';
  const nowSec = () => Math.floor(fixture.clock.epochMs() / 1_000);
  const submit = async (more: object = {}) =>
    (await fixture.call(SUBMIT, { displayName: 'Contractor', ...more })).apiKey as string;
  const token = async () => (await list()).find(({ displayName }) => displayName === 'Contractor')!;
  const refusal = async (apiKey: string) =>
    (await fixture.post(VALIDATE, {}, { 'x-auth-apikey': apiKey })).json();

  it('is chosen at its creation, and is in the list', async () => {
    const apiKey = await submit({ expirationTimeSecs: HOUR_SEC });
    expect((await token()).expirationTime).toBe(nowSec() + HOUR_SEC);
    fixture.clock.advance((HOUR_SEC - 1) * 1_000);
    expect(await statusWith(apiKey)).toBe(200);
    fixture.clock.advance(1_000);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await refusal(apiKey)).toMatchObject({
      authenticationFailed: true,
      errorMsg: expect.stringMatching(
        /^The API key expired on 20\d\d-.*Z\. An administrator can extend it\.$/,
      ),
    });
    expect(await token()).toBeDefined();
  });

  it('can be moved and removed, also after it has passed', async () => {
    const apiKey = await submit({ expirationTimeSecs: 60 });
    fixture.clock.advance(61_000);
    expect(await statusWith(apiKey)).toBe(401);
    const { tokenUuid } = await token();
    const change = { tokenUuid, expirationTimeSecs: HOUR_SEC, expirationTimeSecsUpdated: true };
    expect(await fixture.call(UPDATE, change)).toMatchObject({
      apiToken: { expirationTime: nowSec() + HOUR_SEC },
    });
    expect(await statusWith(apiKey)).toBe(200);
    const removed = await fixture.call(UPDATE, { tokenUuid, expirationTimeSecsUpdated: true });
    expect(removed.apiToken).not.toHaveProperty('expirationTime');
    fixture.clock.advance(2 * HOUR_SEC * 1_000);
    expect(await statusWith(apiKey)).toBe(200);
    // Other changes leave the end as it is.
    await fixture.call(UPDATE, change);
    const role = await fixture.call(UPDATE, { tokenUuid, role: 'viewer' });
    expect(role).toMatchObject({ apiToken: { role: 'viewer', expirationTime: nowSec() + HOUR_SEC } });
  });

  it('cannot be in the past', async () => {
    const refused = await fixture.call(SUBMIT, { displayName: 'Late', expirationTimeSecs: nowSec() - 1 });
    expect(refused.errorMsg).toMatch(/^expirationTimeSecs must be in the future/);
  });

  it('also ends what rests on the key', async () => {
    const oauth = new OAuthTester(fixture);
    const { access_token } = await oauth.tokens(await oauth.register());
    const created = await fixture.call('/api/org/generateFederatedSessionToken', { durationSec: 3_000 });
    const application = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'api-oauth-token',
      'x-auth-access-token': access_token,
    };
    const page = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'federated-token',
      'x-auth-ft': created.federatedSessionToken as string,
    };
    const statuses = async () => [
      (await fixture.post(VALIDATE, {}, application)).statusCode,
      (await fixture.post('/api/camera/getMinimalCameraStateList', {}, page)).statusCode,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const end = { expirationTimeSecs: 60, expirationTimeSecsUpdated: true };
    await fixture.call(UPDATE, { tokenUuid: fixture.own.key.uuid, ...end });
    expect(await statuses()).toEqual([200, 200]);
    fixture.clock.advance(60_000);
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe(SUBMIT_PARTNER, () => {
  it('creates keys of the partner and of no one else', async () => {
    const partner = sampleOrganization({ name: 'Partner' });
    const client = sampleOrganization({ name: 'Client', partnerUuid: partner.uuid });
    await fixture.store.organizations.save(partner);
    await fixture.store.organizations.save(client);
    const key = await addApiKey(fixture.store, partner.uuid, { scheme: 'partner-api' });
    const headers = { 'x-auth-apikey': key, 'x-auth-scheme': 'partner-api-token' };
    const { apiKey } = await fixture.call(SUBMIT_PARTNER, { displayName: 'Audit' }, headers);
    expect(await statusWith(apiKey, 'partner-api')).toBe(200);
    const forClient = { ...headers, 'x-auth-org': client.uuid };
    expect((await fixture.call(SUBMIT_PARTNER, { displayName: 'Audit' }, forClient)).errorMsg).toMatch(
      /^x-auth-org/,
    );
    const { apiKey: clientKey } = await fixture.call(SUBMIT, { displayName: 'Client' }, forClient);
    expect(await statusWith(clientKey)).toBe(200);
    expect(await fixture.store.apiKeys.list(client.uuid)).toHaveLength(1);
    expect((await fixture.post(SUBMIT_PARTNER, { displayName: 'Own' })).statusCode).toBe(401);
  });
});
