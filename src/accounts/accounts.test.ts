import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { ApiKey } from '../store/entities.ts';
import type { OAuthGrant } from '../store/oauth.ts';
import { sampleApiKey, sampleLocation, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { type AccountServices, createAccountServices } from './account-services.ts';
import { MAX_API_TOKENS_PER_ORG } from './api-tokens.ts';
import { type Caller, callerOf } from './caller.ts';
import { CODE_LIFETIME_MS } from './oauth-grants.ts';
import { codeChallengeOf } from './oauth-secret.ts';

let clock: FakeClock;
let store: Store;
let accounts: AccountServices;
let orgUuid: Ruuid;
let caller: Caller;
let key: ApiKey;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  accounts = createAccountServices({
    store,
    credentialRules: { applied: () => undefined, endAccess: () => 'unknown' as const },
    clock,
    requestsPerSec: 50,
  });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  key = sampleApiKey(orgUuid);
  await store.apiKeys.save(key);
  caller = callerOf({ kind: 'key', key });
});
afterEach(() => store.close());

describe('organizations', () => {
  it('accept a name without the spaces around it, and no blank one', async () => {
    await accounts.organizations.rename(orgUuid, ' Harbour ');
    expect(await accounts.organizations.find(orgUuid)).toMatchObject({ name: 'Harbour' });
    await expect(accounts.organizations.rename(orgUuid, ' ')).rejects.toMatchObject({
      code: 'ORGANIZATION_UNNAMED',
    });
    await expect(accounts.organizations.find(newRuuid())).rejects.toMatchObject({
      code: 'ORGANIZATION_NOT_FOUND',
    });
  });

  it('can be named by a partner only among its clients', async () => {
    const client = sampleOrganization({ partnerUuid: orgUuid });
    const stranger = sampleOrganization();
    await store.organizations.save(client);
    await store.organizations.save(stranger);
    const partner: Caller = { ...caller, scheme: 'partner-api' };
    expect(await accounts.organizations.meant(partner, undefined)).toBe(orgUuid);
    expect(await accounts.organizations.meant(partner, client.uuid)).toBe(client.uuid);
    const refusal = { code: 'ORGANIZATION_NOT_FOUND', context: { named: stranger.uuid } };
    await expect(accounts.organizations.meant(partner, stranger.uuid)).rejects.toMatchObject(refusal);
    await expect(accounts.organizations.meant(caller, client.uuid)).rejects.toMatchObject({
      code: 'ORGANIZATION_NOT_FOUND',
    });
  });
});

describe('API tokens', () => {
  it('are created with a name, listed while active, and revoked once', async () => {
    await accounts.apiTokens.create(orgUuid, ' Video wall ', 'api');
    await expect(accounts.apiTokens.create(orgUuid, ' ', 'api')).rejects.toMatchObject({
      code: 'API_TOKEN_UNNAMED',
    });
    const made = (await accounts.apiTokens.list(orgUuid)).find(({ name }) => name === 'Video wall')!;
    await accounts.apiTokens.revoke(orgUuid, made.uuid);
    expect((await accounts.apiTokens.list(orgUuid)).map(({ uuid }) => uuid)).toEqual([caller.actor.uuid]);
    await expect(accounts.apiTokens.revoke(orgUuid, made.uuid)).rejects.toMatchObject({
      code: 'API_TOKEN_NOT_FOUND',
    });
  });

  it('are listed by the kind of client that they are for', async () => {
    await accounts.apiTokens.create(orgUuid, 'Sensors', 'device');
    const names = async (...types: Parameters<typeof accounts.apiTokens.list>[1] & object) =>
      (await accounts.apiTokens.list(orgUuid, types)).map(({ name }) => name);
    expect(await names('EXECUTABLE')).toEqual(['Sensors']);
    expect(await names('DEVELOPER')).toEqual([caller.actor.name]);
    expect(await names('EXECUTABLE', 'DEVELOPER')).toHaveLength(2);
    expect(await names('KIOSK')).toEqual([]);
  });

  it('are limited in number', async () => {
    for (let count = 1; count < MAX_API_TOKENS_PER_ORG; count++) {
      await store.apiKeys.save(sampleApiKey(orgUuid));
    }
    await expect(accounts.apiTokens.create(orgUuid, 'One more', 'api')).rejects.toMatchObject({
      code: 'TOO_MANY_API_TOKENS',
    });
  });

  it('that were revoked are limited in number: the first ones go, with their settings', async () => {
    const most = LIMITS.revokedApiTokens.perOrganization;
    const revoked = Array.from({ length: most + 2 }, (_, count) =>
      sampleApiKey(orgUuid, { createdAtMs: count, revokedAtMs: count + 1 }),
    );
    for (const each of revoked) await store.apiKeys.save(each);
    const foreign = sampleOrganization();
    await store.organizations.save(foreign);
    const foreignKey = sampleApiKey(foreign.uuid, { revokedAtMs: 1 });
    await store.apiKeys.save(foreignKey);
    const settings = accounts.notificationSettings;
    for (const { uuid } of [revoked[0]!, revoked[2]!]) {
      await settings.update(orgUuid, uuid, { summaryEmailEnabled: true });
    }
    await accounts.apiTokens.create(orgUuid, 'One more', 'api');
    const left = await store.apiKeys.list(orgUuid);
    expect(left.filter(({ revokedAtMs }) => revokedAtMs !== null).map(({ uuid }) => uuid)).toEqual(
      revoked.slice(2).map(({ uuid }) => uuid),
    );
    expect(left).toHaveLength(most + 2);
    expect(await store.apiKeys.list(foreign.uuid)).toEqual([foreignKey]);
    expect(await settings.find(orgUuid, revoked[0]!.uuid)).toEqual({});
    expect(await settings.find(orgUuid, revoked[2]!.uuid)).toEqual({ summaryEmailEnabled: true });
  });
});

describe('OAuth applications', () => {
  const redirectUri = 'https://desk.example/callback';

  it.each([
    [{ redirectUri }, { code: 'OAUTH_APPLICATION_UNNAMED', context: { given: 'absent' } }],
    [
      { redirectUri, name: ' ' },
      { code: 'OAUTH_APPLICATION_UNNAMED', context: { given: 'blank' } },
    ],
    [{ name: 'Desk' }, { code: 'OAUTH_REDIRECT_URI_REQUIRED' }],
    [{ name: 'Desk', redirectUri: '/callback' }, { context: { rule: 'absolute' } }],
    [{ name: 'Desk', redirectUri: `${redirectUri}#top` }, { context: { rule: 'no-fragment' } }],
    [{ name: 'Desk', redirectUri: 'https://me@desk.example/' }, { context: { rule: 'no-user-info' } }],
    [{ name: 'Desk', redirectUri: 'http://desk.example/' }, { context: { rule: 'scheme' } }],
  ])('refuse %j', async (details, refusal) => {
    const submitted = accounts.oauthApplications.submit(orgUuid, undefined, details);
    await expect(submitted).rejects.toMatchObject(refusal);
    expect(await accounts.oauthApplications.list(orgUuid)).toEqual([]);
  });

  it('are found by their client_id, and admitted only with their secret', async () => {
    const details = { name: 'Desk', redirectUri };
    const { application, secret } = await accounts.oauthApplications.submit(orgUuid, undefined, details);
    const { uuid } = application;
    expect(await accounts.oauthApplications.findClient(uuid)).toEqual(application);
    expect(await accounts.oauthApplications.authenticate(uuid, secret)).toEqual(application);
    for (const [clientId, given] of [
      [uuid, 'guess'],
      [newRuuid(), secret],
      ['no RUUID', secret],
    ] as const) {
      await expect(accounts.oauthApplications.authenticate(clientId, given)).rejects.toMatchObject({
        code: 'OAUTH_INVALID_CLIENT',
      });
    }
    await expect(accounts.oauthApplications.findClient('no RUUID')).rejects.toMatchObject({
      code: 'OAUTH_APPLICATION_NOT_FOUND',
    });
  });

  it('get tokens for a code once; the second time, the grant ends', async () => {
    const details = { name: 'Desk', redirectUri };
    const { application } = await accounts.oauthApplications.submit(orgUuid, undefined, details);
    const codeVerifier = 'v'.repeat(43);
    const request = { codeChallenge: codeChallengeOf(codeVerifier), redirectUri: null };
    const code = await accounts.oauthGrants.begin(caller, application, request);
    const presented = { code, codeVerifier, redirectUri: null };
    const wrong = { ...presented, codeVerifier: 'w'.repeat(43) };
    await expect(accounts.oauthGrants.exchangeCode(application, wrong)).rejects.toMatchObject({
      code: 'OAUTH_INVALID_GRANT',
    });
    expect(await accounts.oauthGrants.exchangeCode(application, presented)).toMatchObject({
      expiresInSec: 3_600,
    });
    expect(await accounts.oauthGrants.list(orgUuid)).toHaveLength(1);
    await expect(accounts.oauthGrants.exchangeCode(application, presented)).rejects.toMatchObject({
      code: 'OAUTH_INVALID_GRANT',
    });
    expect(await accounts.oauthGrants.list(orgUuid)).toEqual([]);
  });

  it('are too late with a code after its lifetime', async () => {
    const details = { name: 'Desk', redirectUri };
    const { application } = await accounts.oauthApplications.submit(orgUuid, undefined, details);
    const codeVerifier = 'v'.repeat(43);
    const request = { codeChallenge: codeChallengeOf(codeVerifier), redirectUri: null };
    const code = await accounts.oauthGrants.begin(caller, application, request);
    clock.advance(CODE_LIFETIME_MS);
    const presented = { code, codeVerifier, redirectUri: null };
    await expect(accounts.oauthGrants.exchangeCode(application, presented)).rejects.toMatchObject({
      code: 'OAUTH_INVALID_GRANT',
    });
  });
});

describe('federated sessions', () => {
  it('are created only with a key, for a host', async () => {
    const grant = { uuid: newRuuid() } as OAuthGrant;
    const application = callerOf({ kind: 'application', key, grant });
    const wanted = { domain: 'https://desk.example:8443', deviceUuid: null, durationSec: 60 };
    await expect(accounts.federatedSessions.create(application, wanted)).rejects.toMatchObject({
      code: 'FEDERATED_SESSION_NEEDS_KEY',
    });
    await expect(
      accounts.federatedSessions.create(caller, { ...wanted, domain: 'xn--iñvalid.com' }),
    ).rejects.toMatchObject({ code: 'FEDERATED_SESSION_DOMAIN_INVALID' });
    expect(await accounts.federatedSessions.create(caller, wanted)).toEqual(expect.any(String));
  });
});

describe('notification settings', () => {
  const userUuid = newRuuid();

  it('apply what is sent, clear what is flagged but absent, and keep the rest', async () => {
    const settings = accounts.notificationSettings;
    await settings.update(orgUuid, userUuid, { smsPhoneNumbers: ['+1 202 555 0123'], timeFrames: [] });
    await settings.update(orgUuid, userUuid, { summaryEmailEnabled: true }, (name) =>
      name === 'smsPhoneNumbers' ? true : undefined,
    );
    expect(await settings.find(orgUuid, userUuid)).toEqual({ summaryEmailEnabled: true, timeFrames: [] });
    expect(await settings.find(orgUuid, newRuuid())).toEqual({});
  });

  it('refuse invalid numbers, intervals and locations', async () => {
    const { uuid } = sampleLocation(orgUuid);
    const update = (given: object) => accounts.notificationSettings.update(orgUuid, userUuid, given);
    await expect(update({ smsPhoneNumbers: ['+1 202 555 0123', '12'] })).rejects.toMatchObject({
      code: 'PHONE_NUMBER_INVALID',
      context: { index: 1 },
    });
    const interval = { minuteOfDayStartInclusive: 9, minuteOfDayStopExclusive: 9 };
    await expect(update({ timeFrames: [{}, { interval }] })).rejects.toMatchObject({
      code: 'NOTIFICATION_INTERVAL_EMPTY',
      context: { frame: 1 },
    });
    await expect(update({ timeFrames: [{ rows: [{ locationOnly: [uuid] }] }] })).rejects.toMatchObject({
      code: 'NOTIFICATION_LOCATION_NOT_FOUND',
      context: { frame: 0, row: 0, list: 'locationOnly', index: 0 },
    });
    expect(await accounts.notificationSettings.find(orgUuid, userUuid)).toEqual({});
  });
});
