import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { isUsableToken } from '../integrations/badge-token.ts';

const BASE = '/api/integrations/accessControl';
const UPDATE = `${BASE}/updateBadgeVendorAIntegrationV2`;
const READ = `${BASE}/getBadgeVendorAIntegrationV2`;

let fixture: ApiFixture;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const update = (settings: object, headers?: Record<string, string>) =>
  fixture.call(UPDATE, { badgeVendorASettings: settings }, headers);
const read = async () =>
  (await fixture.call(READ)).badgeVendorASettings as Record<string, unknown> | undefined;

async function annexe(): Promise<Ruuid> {
  const { uuid } = await fixture.call('/api/location/createLocation', {
    location: { name: 'Annexe', tz: 'UTC' },
  });
  return uuid as Ruuid;
}

function jsonWebToken(expSec: number): string {
  const claims = Buffer.from(JSON.stringify({ exp: expSec })).toString('base64url');
  return `eyJhbGciOiJub25lIn0.${claims}.c2ln`;
}

describe(UPDATE, () => {
  it('stores the settings and returns no token', async () => {
    expect(await read()).toBeUndefined();
    const lobby = {
      doorName: 'Lobby',
      locationUuid: fixture.own.locationUuid,
      assignedCameraList: [fixture.own.camera.uuid],
      clipDuration: 30,
      leadingSeconds: 5,
      remoteUnlock: true,
    };
    const [userUuid, serviceToken] = [newRuuid(), newRuuid()];
    const response = await update({
      enabled: true,
      userUuid,
      serviceToken,
      webhookUuid: 'hook-1',
      saveClips: true,
      apiToken: 'hush-1',
      refreshToken: 'hush-2',
      webhookSignatureSecret: 'hush-3',
      doorInfoMap: { 'guid-1': lobby },
      doorsValidated: false,
      tokenValid: false,
      misconfiguredDoors: ['made up'],
    });
    expect(response).toEqual({
      error: false,
      warningMsg:
        'The gateway stores these settings but does not call the vendor. ' +
        'badgeVendorASettings.misconfiguredDoors is ignored: the gateway computes it.',
      authError: false,
      failedGuids: [],
      misconfiguredDoors: [],
    });
    expect(await read()).toMatchObject({
      enabled: true,
      integration: 'BADGE_VENDOR_A',
      orgUuid: fixture.own.organization.uuid,
      userUuid,
      serviceToken,
      webhookUuid: 'hook-1',
      saveClips: true,
      indexFaces: false,
      doorInfoMap: { 'guid-1': lobby },
      tokenValid: true,
      doorsValidated: true,
      misconfiguredDoors: [],
    });
    expect(JSON.stringify(await read())).not.toContain('hush');
    await update({ indexFaces: true });
    expect(await read()).toMatchObject({ saveClips: true, indexFaces: true, tokenValid: true, userUuid });
  });

  it.each([
    ['no token', {}],
    ['a blank token', { apiToken: ' ' }],
    ['a token that has ended', { apiToken: jsonWebToken(1_767_225_599) }],
  ])('says that %s does not log in, and stays off', async (_name, settings) => {
    const response = await update({ enabled: true, ...settings });
    expect(response).toMatchObject({ error: false, authError: true });
    expect(response.warningMsg).toMatch(/stays off/);
    expect(await read()).toMatchObject({ enabled: false, tokenValid: false });
    expect(await update({ enabled: true, apiToken: 'good' })).toMatchObject({ authError: false });
    expect(await read()).toMatchObject({ enabled: true, tokenValid: true });
  });

  it('names doors that it cannot store', async () => {
    const lobby = { doorName: 'Lobby', locationUuid: fixture.own.locationUuid };
    const response = await update({
      apiToken: 'good',
      doorInfoMap: {
        kept: lobby,
        nameless: { locationUuid: fixture.own.locationUuid },
        nowhere: { ...lobby, locationUuid: newRuuid() },
        foreign: { ...lobby, locationUuid: fixture.foreign.locationUuid },
        blind: { ...lobby, assignedCameraList: [fixture.foreign.camera.uuid] },
        backwards: { ...lobby, clipDuration: 5, leadingSeconds: 6 },
      },
    });
    expect(response.failedGuids).toEqual(['nameless', 'nowhere', 'foreign', 'blind', 'backwards']);
    expect((await read())!.doorInfoMap).toEqual({ kept: lobby });
  });

  it('names doors at several locations, both given and reported', async () => {
    const other = await annexe();
    const here = fixture.own.locationUuid;
    await fixture.call('/api/ingest/doors', {
      rows: [
        { uuid: newRuuid(), ownerDeviceUuid: newRuuid(), locationUuid: other, name: 'dock ' },
        { uuid: newRuuid(), ownerDeviceUuid: newRuuid(), locationUuid: other, name: 'Gate' },
      ],
    });
    const doorInfoMap = {
      a: { doorName: 'Lobby', locationUuid: here },
      b: { doorName: ' LOBBY', locationUuid: other },
      c: { doorName: 'Dock', locationUuid: here },
      d: { doorName: 'Roof', locationUuid: here },
      e: { doorName: 'Roof', locationUuid: here },
    };
    expect(await update({ apiToken: 'good', doorInfoMap })).toMatchObject({
      failedGuids: [],
      misconfiguredDoors: ['Lobby', 'Dock'],
    });
    expect(await read()).toMatchObject({ doorsValidated: false, misconfiguredDoors: ['Lobby', 'Dock'] });
    expect(await update({ doorInfoMap: {} })).toMatchObject({ misconfiguredDoors: [] });
  });

  it('refuses another organization and a missing record', async () => {
    expect((await fixture.call(UPDATE)).errorMsg).toBe('badgeVendorASettings is required.');
    expect((await update({ orgUuid: fixture.own.organization.uuid }, foreignHeaders)).errorMsg).toMatch(
      /^badgeVendorASettings\.orgUuid must be/,
    );
    await update({ apiToken: 'good' });
    expect((await fixture.call(READ, {}, foreignHeaders)).badgeVendorASettings).toBeUndefined();
  });
});

describe('isUsableToken', () => {
  it.each([
    ['abc', null, true],
    [null, null, false],
    [null, 'renew', true],
    ['a b', 'renew', false],
    ['abc', 'a\nb', false],
    [jsonWebToken(11), null, true],
    [jsonWebToken(10), null, false],
    [jsonWebToken(10), 'renew', true],
    ['a.bm90IGpzb24.c', null, true],
  ])('%s, %s: %s', (apiToken, refreshToken, isUsable) => {
    expect(isUsableToken(apiToken, refreshToken, 10_000)).toBe(isUsable);
  });
});

describe('the second badge vendor', () => {
  it('is returned as it was created', async () => {
    const path = `${BASE}/getBadgeVendorBIntegrationV2`;
    expect((await fixture.call(path)).orgIntegrationV2).toBeUndefined();
    const userUuid = newRuuid();
    await fixture.call(`${BASE}/updateBadgeVendorBIntegrationV2`, { userUuid });
    const time = fixture.clock.epochMs();
    expect((await fixture.call(path)).orgIntegrationV2).toEqual({
      enabled: true,
      integration: 'BADGE_VENDOR_B',
      integrationAuditMap: {
        [time]: { integrationAuditEvent: 'UPDATE', enabledTimestampMs: time, user: 'integration', userUuid },
      },
      orgUuid: fixture.own.organization.uuid,
      userUuid,
    });
    expect((await fixture.call(path, {}, foreignHeaders)).orgIntegrationV2).toBeUndefined();
    const refused = await fixture.post(path, {}, { 'x-auth-apikey': 'none' });
    expect([refused.statusCode, refused.json().error]).toEqual([401, true]);
    expect((await fixture.call(`${BASE}/updateBadgeVendorBIntegrationV2`, { enabled: 1 })).errorMsg).toMatch(
      /^enabled must/,
    );
  });
});

describe('the alarm vendor', () => {
  it('can be deleted more than once', async () => {
    const [remove, get] = [`${BASE}/deleteAlarmVendorIntegration`, `${BASE}/getAlarmVendorIntegration`];
    await fixture.call(`${BASE}/updateAlarmVendorIntegration`, { enabled: false });
    expect((await fixture.call(get)).orgIntegrationV2).toMatchObject({ enabled: false });
    expect(await fixture.call(remove, {}, foreignHeaders)).toEqual({ error: false });
    expect((await fixture.call(get)).orgIntegrationV2).toMatchObject({ enabled: false });
    expect(await fixture.call(remove)).toEqual({ error: false });
    expect((await fixture.call(get)).orgIntegrationV2).toBeUndefined();
    expect(await fixture.call(remove)).toEqual({ error: false });
  });
});
