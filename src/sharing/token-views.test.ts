/** Views of devices with an OAuth access token, and what ends them. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessTokenUuid } from '../accounts/access-tokens.ts';
import { type AccountServices, createAccountServices } from '../accounts/account-services.ts';
import { callerOf } from '../accounts/caller.ts';
import { ACCESS_TOKEN_LIFETIME_MS, type IssuedTokens } from '../accounts/oauth-grants.ts';
import { codeChallengeOf } from '../accounts/oauth-secret.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKey } from '../store/entities.ts';
import type { OAuthApplication } from '../store/oauth.ts';
import { sampleApiKey, sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { AccessRefused } from './access-decision.ts';
import { DeviceDirectory } from './device-directory.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

const VERIFIER = 'v'.repeat(43);

let fixture: SharingFixture;
let accounts: AccountServices;
let key: ApiKey;
let application: OAuthApplication;

beforeEach(async () => {
  fixture = await openSharingFixture();
  const { store, clock, devices, orgUuid } = fixture;
  accounts = createAccountServices({ store, clock, credentialRules: devices, requestsPerSec: 50 });
  key = sampleApiKey(orgUuid);
  await store.apiKeys.save(key);
  const details = { name: 'Desk', redirectUri: 'https://desk.example/back' };
  ({ application } = await accounts.oauthApplications.submit(orgUuid, undefined, details));
});
afterEach(() => fixture.close());

async function tokens(by: ApiKey = key, orgUuid: Ruuid = by.orgUuid): Promise<IssuedTokens> {
  const caller = callerOf({ kind: 'key', key: by }, { orgUuid });
  const request = { codeChallenge: codeChallengeOf(VERIFIER), redirectUri: null };
  const code = await accounts.oauthGrants.begin(caller, application, request);
  return accounts.oauthGrants.exchangeCode(application, { code, codeVerifier: VERIFIER, redirectUri: null });
}

function ask({ accessToken }: IssuedTokens, deviceUuid: Ruuid = fixture.camera.uuid, by: ApiKey = key) {
  const tokenHash = hashApiKey(accessToken);
  const principal = { kind: 'token', uuid: accessTokenUuid(tokenHash) } as const;
  return fixture.deviceGate.open({
    principal,
    tokenHash,
    actor: by,
    namedOrgUuid: null,
    deviceUuid,
    address: '192.0.2.1',
  });
}

/** The grant of a view, and why it was ended. */
async function view(of: IssuedTokens): Promise<{ grantText: string; reasons: () => string[] }> {
  const opened = await ask(of);
  if (!opened.allowed) throw new Error(`refused: ${opened.reason}`);
  const session = fixture.sessions.access(opened.grantText);
  if (!session.allowed) throw new Error(`refused: ${session.reason}`);
  const refusals: AccessRefused[] = [];
  session.waiting.add({ onCutOff: (refusal) => void refusals.push(refusal) });
  return { grantText: opened.grantText, reasons: () => refusals.map(({ reason }) => reason) };
}

describe('a view with an access token', () => {
  it('is as long as the token at most', async () => {
    const { reasons } = await view(await tokens());
    fixture.clock.advance(ACCESS_TOKEN_LIFETIME_MS - 1);
    expect(reasons()).toEqual([]);
    fixture.clock.advance(1);
    expect(reasons()).toEqual(['credential-ended']);
  });

  const ENDS: readonly [string, (of: IssuedTokens) => Promise<unknown>][] = [
    ['the token is revoked', (of) => accounts.oauthGrants.revokeToken(application, of.accessToken)],
    ['its refresh token is revoked', (of) => accounts.oauthGrants.revokeToken(application, of.refreshToken)],
    [
      'a refresh token is used twice',
      async ({ refreshToken }) => {
        await accounts.oauthGrants.refresh(application, refreshToken);
        await accounts.oauthGrants.refresh(application, refreshToken).catch(() => undefined);
      },
    ],
    [
      'its grant is revoked',
      async () => {
        const [grant] = await accounts.oauthGrants.list(fixture.orgUuid);
        await accounts.oauthGrants.remove(fixture.orgUuid, grant!.uuid);
      },
    ],
    [
      'the application is deleted',
      () => accounts.oauthApplications.remove(fixture.orgUuid, application.uuid),
    ],
    ['the key that granted it is revoked', () => accounts.apiTokens.revoke(fixture.orgUuid, key.uuid)],
  ];

  it.each(ENDS)('ends when %s, before the call returns', async (_when, end) => {
    const token = await tokens();
    const { grantText, reasons } = await view(token);
    await end(token);
    expect(reasons()).toEqual(['credential-ended']);
    expect(fixture.sessions.access(grantText)).toMatchObject({ reason: 'credential-ended' });
    expect(await ask(token)).toMatchObject({ allowed: false, reason: 'credential-ended' });
  });

  it('goes on when another token of the grant is revoked, or the token is replaced', async () => {
    const first = await tokens();
    const second = await accounts.oauthGrants.refresh(application, first.refreshToken);
    const views = [await view(first), await view(second)];
    await accounts.oauthGrants.revokeToken(application, first.accessToken);
    expect(views.map(({ reasons }) => reasons())).toEqual([['credential-ended'], []]);
  });

  it('ends with the events alone, where another thread revoked it', async () => {
    const token = await tokens();
    const { reasons } = await view(token);
    const { oauthGrants } = fixture.store;
    const { grant } = (await oauthGrants.findToken(hashApiKey(token.accessToken)))!;
    await oauthGrants.removeToken(grant, hashApiKey(token.accessToken));
    await eventually('the view ends', () => reasons().length > 0);
    expect(reasons()).toEqual(['credential-ended']);
  });

  it('outlives the gateway, and so does its end', async () => {
    const { store, clock, deviceGrants } = fixture;
    const [kept, lost] = [await tokens(), await tokens()];
    const grants = [await view(kept), await view(lost)].map(({ grantText }) =>
      deviceGrants.verify(grantText),
    );
    await accounts.oauthGrants.revokeToken(application, lost.accessToken);
    const devices = await DeviceDirectory.open({ store, clock, log: silentLog });
    expect(grants.map((grant) => devices.decide(grant, clock.epochMs()).allowed)).toEqual([true, false]);
    devices.close();
  });
});

describe("a partner's token", () => {
  it('for one client opens what is that client’s, until it leaves the partner', async () => {
    const { store, devices } = fixture;
    const partner = sampleOrganization();
    const client = sampleOrganization({ partnerUuid: partner.uuid });
    const partnerKey = sampleApiKey(partner.uuid, { scheme: 'partner-api' });
    const [mine, theirs] = [sampleCamera(partner.uuid), sampleCamera(client.uuid)];
    for (const organization of [partner, client]) await store.organizations.save(organization);
    for (const camera of [mine, theirs]) await store.cameras.save(camera);
    await store.apiKeys.save(partnerKey);
    await eventually(
      'the directory knows the camera',
      () => devices.find(theirs.uuid)?.partnerUuid === partner.uuid,
    );
    const forClient = await tokens(partnerKey, client.uuid);
    const forAll = await tokens(partnerKey);
    const opens = async (token: IssuedTokens, deviceUuid: Ruuid) =>
      (await ask(token, deviceUuid, partnerKey)).allowed;
    expect(await opens(forClient, theirs.uuid)).toBe(true);
    expect(await opens(forClient, mine.uuid)).toBe(false);
    expect([await opens(forAll, theirs.uuid), await opens(forAll, mine.uuid)]).toEqual([true, true]);
    await store.organizations.save({ ...client, partnerUuid: null });
    await eventually('the client leaves the partner', async () => !(await opens(forClient, theirs.uuid)));
    expect(await opens(forAll, theirs.uuid)).toBe(false);
  });
});
