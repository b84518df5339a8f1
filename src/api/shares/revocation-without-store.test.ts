/** Access ends although the store cannot be reached: nothing that is needed for it is read from there. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { UNSTORED_RETRY_MS } from '../../sharing/unstored-ends.ts';
import { UnresponsiveStore } from '../../store/unresponsive-store-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createSharedLiveVideoStream';
const UPDATE = '/api/camera/updateSharedLiveVideoStream';
const DELETE = '/api/camera/deleteSharedLiveVideoStream';
const IN_FORCE = 'This is in force, and will be stored as soon as the database can be reached.';

let fixture: ApiFixture;
let shareUuid: Ruuid;
let unresponsive: UnresponsiveStore;

beforeEach(async () => {
  unresponsive = new UnresponsiveStore();
  fixture = await openApiFixture({ onStore: (store) => unresponsive.standBefore(store) });
  shareUuid = await create();
});
afterEach(() => fixture.close());

async function create(fields: object = {}): Promise<Ruuid> {
  const answer = await fixture.call(CREATE, { cameraUuid: fixture.own.camera.uuid, ...fields });
  return answer.sharedLiveVideoStreamUuid as Ruuid;
}

async function schedule(intervalList: object[]): Promise<Ruuid> {
  const answer = await fixture.call('/api/schedule/createWeeklySchedule', {
    schedule: { name: 'Hours', intervalList },
  });
  return answer.scheduleUuid as Ruuid;
}

/** The store is unavailable from now on; credentials were seen a while ago. */
function away(): void {
  unresponsive.become('away');
  fixture.clock.advance(60_000);
}

async function back(): Promise<void> {
  unresponsive.become('working');
  await eventually('all ends are stored', () => {
    fixture.clock.advance(UNSTORED_RETRY_MS);
    return fixture.ends.size === 0;
  });
}

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const { statusCode, json } = await fixture.post(path, body, headers);
  return { statusCode, answer: json<Answer>() };
};
const accepted = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const { statusCode, answer } = await post(path, body, headers);
  expect([statusCode, answer.errorMsg, answer.warningMsg]).toEqual([200, undefined, IN_FORCE]);
  return answer;
};
const watch = (uuid = shareUuid) => fixture.watch(uuid, { ip: '192.0.2.1' }).grantText;
const stored = () => fixture.store.shares.find(fixture.own.organization.uuid, shareUuid);

describe('a share ends while the store is unavailable', () => {
  it.each([
    ['alone', () => ({})],
    ['with its camera', () => ({ cameraUuid: fixture.own.camera.uuid })],
  ])('if it is named %s, and the caller hears that this is stored later', async (_how, fields) => {
    const grant = watch();
    away();
    await accepted(DELETE, { uuid: shareUuid, ...fields() });
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason: 'revoked' });
    await back();
    expect(await stored()).toBeNull();
  });

  it('but not if it is named with another camera, or by a key that was not seen before', async () => {
    const grant = watch();
    away();
    const answers = [
      await post(DELETE, { uuid: shareUuid, cameraUuid: newRuuid() }),
      await post(DELETE, { uuid: shareUuid }, { 'x-auth-apikey': fixture.foreign.apiKey }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503]);
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: true });
  });

  it('with many others, in one call', async () => {
    const shareUuids = [shareUuid, await create(), await create()];
    away();
    const answer = await accepted('/api/camera/bulkUpdateSharedStreams', {
      sharedLiveVideoStreamUuids: shareUuids,
      action: 'DELETE',
    });
    expect(JSON.stringify(answer)).not.toContain('errorMsg');
    expect(fixture.ends.size).toBe(3);
    await back();
    expect(await stored()).toBeNull();
  });
});

describe('a share gets stricter while the store is unavailable', () => {
  it('with a password, which ends its views and is stored later', async () => {
    const grant = watch();
    away();
    const change = { uuid: shareUuid, password: 'correct horse', passwordUpdated: true };
    const answer = await accepted(UPDATE, change);
    expect(answer.sharedLiveVideoStream).toMatchObject({ uuid: shareUuid, passwordProtected: true });
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason: 'password-needed' });
    await back();
    expect(await stored()).toMatchObject({ passwordHash: expect.stringMatching(/^\$/), accessEpoch: 2 });
  });

  it('without its past, or with less of it, which is stored later', async () => {
    const uuid = await create({ vodEnabled: true, vodPastSecs: 7_200 });
    const fields = (change: object) => {
      const flags = Object.keys(change).map((name) => [`${name}Updated`, true]);
      return { uuid, ...change, ...Object.fromEntries(flags) };
    };
    const find = () => fixture.store.shares.find(fixture.own.organization.uuid, uuid);
    away();
    const inForce = async (change: object) =>
      (await accepted(UPDATE, fields(change))).sharedLiveVideoStream as Record<string, unknown>;
    const less = await inForce({ vodPastSecs: 3_600, vodExpirationTimeSecs: 60 });
    expect(less).toMatchObject({
      vodEnabled: true,
      vodPastSecs: 3_600,
      vodExpirationTime: expect.any(Number),
    });
    const { answer: off } = await post(UPDATE, fields({ vodEnabled: false }));
    expect(off.warningMsg).toContain(IN_FORCE);
    expect(off.sharedLiveVideoStream).toMatchObject({ vodEnabled: false, vodPastSecs: 3_600 });
    const more = [{ vodEnabled: true }, { vodPastSecs: 7_200 }, { vodExpirationTimeSecs: 86_400 }];
    for (const change of more) expect((await post(UPDATE, fields(change))).statusCode).toBe(503);
    await back();
    expect(await find()).toMatchObject({ vodEnabled: false, vodPastSec: 3_600 });
    const { answer } = await post(UPDATE, fields({ vodEnabled: true }));
    expect(answer.sharedLiveVideoStream).toMatchObject({ vodEnabled: true });
  });

  it('with an earlier end', async () => {
    const grant = watch();
    away();
    await accepted(UPDATE, { uuid: shareUuid, expirationTimeSecs: 30, expirationTimeSecsUpdated: true });
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: true });
    fixture.clock.advance(31_000);
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason: 'expired' });
    await back();
    expect((await stored())?.expiresAtSec).not.toBeNull();
  });

  it('with a schedule that hides it', async () => {
    const scheduleUuid = await schedule([]);
    const grant = watch();
    away();
    await accepted(UPDATE, { uuid: shareUuid, scheduleUuid, scheduleUuidUpdated: true });
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason: 'hidden-by-schedule' });
    await back();
    expect(await stored()).toMatchObject({ scheduleUuid });
  });

  it('because its schedule shows less', async () => {
    const scheduleUuid = await schedule([{ minuteOfWeekStart: 0, minuteOfWeekStop: 10_080 }]);
    const uuid = await create({ scheduleUuid });
    const grant = watch(uuid);
    away();
    await accepted('/api/policy/updateSchedule', { schedule: { uuid: scheduleUuid, intervalList: [] } });
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason: 'hidden-by-schedule' });
    await back();
    const { uuid: orgUuid } = fixture.own.organization;
    expect(await fixture.store.schedules.find(orgUuid, scheduleUuid)).toMatchObject({ intervals: [] });
  });

  it.each([
    ['no password', { passwordUpdated: true }],
    ['a later end', { expirationTimeSecs: 3_600, expirationTimeSecsUpdated: true }],
    ['no end', { expirationTimeSecsUpdated: true }],
    ['no schedule', { scheduleUuidUpdated: true }],
    ['another name with a password', { password: 'x', passwordUpdated: true, name: 'A', nameUpdated: true }],
  ])('but does not get %s: that needs the store', async (_what, change) => {
    const scheduleUuid = await schedule([{ minuteOfWeekStart: 0, minuteOfWeekStop: 10 }]);
    shareUuid = await create({ password: 'open sesame', expirationTimeSecs: 600, scheduleUuid });
    away();
    const { statusCode } = await post(UPDATE, { uuid: shareUuid, ...change });
    expect(statusCode).toBe(503);
    expect(fixture.ends.size).toBe(0);
  });

  it('but does not get no password if it has none: another change may have set one', async () => {
    away();
    expect((await post(UPDATE, { uuid: shareUuid, passwordUpdated: true })).statusCode).toBe(503);
  });

  it('while others are created or changed only with the store', async () => {
    away();
    const { statusCode } = await post(CREATE, { cameraUuid: fixture.own.camera.uuid });
    expect(statusCode).toBe(503);
  });
});

describe('a key ends while the store is unavailable', () => {
  it('for every call, and stays ended when the store is back', async () => {
    const text = await addApiKey(fixture.store, fixture.own.organization.uuid, { name: 'Leaked' });
    const { apiTokens } = await fixture.call('/api/integrations/org/getApiTokens');
    const leaked = (apiTokens as { tokenUuid: Ruuid; displayName: string }[]).find(
      ({ displayName }) => displayName === 'Leaked',
    )!;
    const asLeaked = { 'x-auth-apikey': text };
    await fixture.call('/api/camera/findSharedStreams', {}, asLeaked);
    away();
    await accepted('/api/integrations/org/revokeApiToken', { tokenUuid: leaked.tokenUuid });
    expect((await post(DELETE, { uuid: shareUuid }, asLeaked)).statusCode).toBe(401);
    unresponsive.become('working');
    expect((await post('/api/camera/findSharedStreams', {}, asLeaked)).statusCode).toBe(401);
    await back();
    expect((await post('/api/camera/findSharedStreams', {}, asLeaked)).statusCode).toBe(401);
    const { uuid: orgUuid } = fixture.own.organization;
    expect(await fixture.store.apiKeys.find(orgUuid, leaked.tokenUuid)).toMatchObject({
      revokedAtMs: expect.any(Number),
    });
  });
});

describe('the link of a wall gets stricter while the store is unavailable', () => {
  it('without its past, or with less of it, which is stored later', async () => {
    const { camera, organization } = fixture.own;
    const videoWall = { displayName: 'Lobby', deviceList: [camera.uuid] };
    const { uuid: videoWallUuid } = await fixture.call('/api/camera/createVideoWall', { videoWall });
    const made = { videoWallUuid, vodEnabled: true, vodPastSecs: 7_200 };
    const shared = await fixture.call('/api/camera/createSharedVideoWall', made);
    expect(shared.error).toBe(false);
    const uuid = shared.sharedLiveVideoStreamUuid as Ruuid;
    const find = () => fixture.store.wallShares.find(organization.uuid, uuid);
    const change = (fields: object) => {
      const flags = Object.keys(fields).map((name) => [`${name}Updated`, true]);
      return { uuid, ...fields, ...Object.fromEntries(flags) };
    };
    away();
    const path = '/api/camera/updateSharedVideoWall';
    await accepted(path, change({ vodPastSecs: 3_600, vodExpirationTimeSecs: 60 }));
    await accepted(path, change({ vodEnabled: false }));
    const more = [{ vodEnabled: true }, { vodPastSecs: 7_200 }, { vodExpirationTimeSecs: 86_400 }];
    for (const fields of more) expect((await post(path, change(fields))).statusCode).toBe(503);
    await back();
    expect(await find()).toMatchObject({ vodEnabled: false, vodPastSec: 3_600 });
    expect((await post(path, change({ vodEnabled: true }))).statusCode).toBe(200);
    expect(await find()).toMatchObject({ vodEnabled: true });
  });
});

describe('a camera is taken off a shared wall while the store is unavailable', () => {
  it('and the others stay', async () => {
    const { camera, doorbell } = fixture.own;
    const videoWall = { displayName: 'Lobby', deviceList: [camera.uuid, doorbell.uuid] };
    const { uuid: videoWallUuid } = await fixture.call('/api/camera/createVideoWall', { videoWall });
    const shared = await fixture.call('/api/camera/createSharedVideoWall', { videoWallUuid });
    expect(shared.error).toBe(false);
    away();
    const change = { uuid: videoWallUuid, deviceList: [camera.uuid] };
    await accepted('/api/camera/updateVideoWalls', { videoWall: change });
    const again = { uuid: videoWallUuid, deviceList: [camera.uuid, doorbell.uuid] };
    const { statusCode } = await post('/api/camera/updateVideoWalls', { videoWall: again });
    expect(statusCode).toBe(503);
    await back();
    const { uuid: orgUuid } = fixture.own.organization;
    const wall = await fixture.store.videoWalls.find(orgUuid, videoWallUuid as Ruuid);
    expect(wall?.cameras.map(({ cameraUuid }) => cameraUuid)).toEqual([camera.uuid]);
  });
});
