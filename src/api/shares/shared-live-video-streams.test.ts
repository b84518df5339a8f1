import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { Share } from '../../store/entities.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createSharedLiveVideoStream';
const FIND = '/api/camera/findSharedLiveVideoStreams';
const FIND_ALL = '/api/camera/findAllSharedLiveVideoStreams';
const UPDATE = '/api/camera/updateSharedLiveVideoStream';
const DELETE = '/api/camera/deleteSharedLiveVideoStream';
const DOORBELL_CREATE = '/api/doorbellcamera/createSharedLiveVideoStream';
const DOORBELL_FIND = '/api/doorbellcamera/findSharedLiveVideoStreams';
const DOORBELL_DELETE = '/api/doorbellcamera/deleteSharedLiveVideoStream';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const create = async (fields: object = {}) => {
  const { camera } = fixture.own;
  const body = { cameraUuid: camera.uuid, streamType: 'USER', vodEnabled: false, ...fields };
  const response = await fixture.call(CREATE, body);
  expect(response.errorMsg).toBeUndefined();
  return response.sharedLiveVideoStreamUuid as Ruuid;
};
const stored = async (uuid: Ruuid): Promise<Share | null> =>
  fixture.store.shares.find(fixture.own.organization.uuid, uuid);
const listed = (response: Answer) => response.sharedLiveVideoStreams as Record<string, unknown>[];
const nowSec = () => Math.floor(fixture.clock.epochMs() / 1000);

describe(CREATE, () => {
  it('stores a share with the defaults and returns its links', async () => {
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false };
    const response = await fixture.call(CREATE, body);
    expect(response).toEqual({
      error: false,
      sharedLiveVideoStreamUuid: expect.any(String),
      sharedLiveVideoStreamUrl: expect.stringMatching(/^http:\/\//),
      sharedLiveM3U8StreamUrl: expect.stringMatching(/^http:\/\/.*\/file\.m3u8$/),
    });
    expect(await stored(response.sharedLiveVideoStreamUuid as Ruuid)).toMatchObject({
      cameraUuid: fixture.own.camera.uuid,
      cameraFacet: '',
      name: 'Unnamed',
      streamType: 'USER',
      vodEnabled: false,
      includeAudio: true,
      audioGatewayUuid: null,
      ssoProtected: false,
      expiresAtSec: null,
      scheduleUuid: null,
      invertSchedule: false,
      passwordHash: null,
    });
  });

  it('needs only the camera: a stream for users, not recorded', async () => {
    for (const body of [{}, { streamType: null, vodEnabled: null, name: null }]) {
      const response = await fixture.call(CREATE, { cameraUuid: fixture.own.camera.uuid, ...body });
      expect(response).toMatchObject({ error: false });
      expect(await stored(response.sharedLiveVideoStreamUuid as Ruuid)).toMatchObject({
        streamType: 'USER',
        vodEnabled: false,
        name: 'Unnamed',
        passwordHash: null,
        expiresAtSec: null,
      });
    }
    const doorbellCameraUuid = fixture.own.doorbell.uuid;
    expect((await fixture.call(DOORBELL_CREATE, { doorbellCameraUuid })).errorMsg).toBe(
      'streamType is required.',
    );
  });

  it.each([0, -1, -2_147_483_648])('says what to send instead of an expiration of %d', async (secs) => {
    const body = { cameraUuid: fixture.own.camera.uuid, expirationTimeSecs: secs };
    expect(await fixture.call(CREATE, body)).toEqual({
      error: true,
      errorMsg:
        `expirationTimeSecs must be at least 1, got ${secs}. Send how many seconds the share should last, such as 3600, or ` +
        'leave the field out for a share that does not expire.',
    });
  });

  it('honors every field', async () => {
    const weekly = { name: 'Nights', intervalList: [{ minuteOfWeekStart: 1, minuteOfWeekStop: 2 }] };
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule: weekly });
    const audioGatewayUuid = `${newRuuid()}.a0`;
    const uuid = await create({
      cameraUuid: `${fixture.own.camera.uuid}.v3`,
      streamType: 'LUMEO',
      vodEnabled: true,
      vodPastSecs: 86_400,
      vodExpirationTimeSecs: 30,
      name: 'Gate',
      password: 'open sesame',
      expirationTimeSecs: 60,
      scheduleUuid,
      invertSchedule: true,
      includeAudio: false,
      ssoProtected: false,
      audioGatewayUuid,
    });
    expect(await stored(uuid)).toMatchObject({
      cameraFacet: 'v3',
      streamType: 'LUMEO',
      vodEnabled: true,
      vodPastSec: 86_400,
      vodExpiresAtSec: nowSec() + 30,
      name: 'Gate',
      passwordHash: expect.stringMatching(/^\$/),
      expiresAtSec: nowSec() + 60,
      scheduleUuid,
      invertSchedule: true,
      includeAudio: false,
      ssoProtected: false,
      audioGatewayUuid,
    });
  });

  it.each([
    ['without a camera', { cameraUuid: null }, 'cameraUuid is required.'],
    ['of an unknown camera', { cameraUuid: newRuuid() }, 'There is no camera with this UUID.'],
    [
      'with text as expiration',
      { expirationTimeSecs: '60' },
      'expirationTimeSecs must be an integer from -2147483648 to 2147483647, got string.',
    ],
    [
      'with an expiration beyond 32 bits',
      { expirationTimeSecs: 2 ** 31 },
      'expirationTimeSecs must be an integer from -2147483648 to 2147483647, got 2147483648.',
    ],
  ])('refuses one %s', async (_name, fields, sentence) => {
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false, ...fields };
    expect(await fixture.call(CREATE, body)).toEqual({ error: true, errorMsg: sentence });
    expect(await fixture.store.shares.list(fixture.own.organization.uuid)).toEqual([]);
  });

  it('refuses a protection that does not exist', async () => {
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false };
    const response = await fixture.call(CREATE, { ...body, ssoProtected: true });
    expect([response.error, response.errorMsg]).toEqual([true, expect.stringMatching(/^ssoProtected: /)]);
    expect(await fixture.store.shares.list(fixture.own.organization.uuid)).toEqual([]);
  });

  it('refuses one with an unknown schedule', async () => {
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false };
    const response = await fixture.call(CREATE, { ...body, scheduleUuid: newRuuid() });
    expect(response).toMatchObject({ error: true, errorMsg: expect.stringMatching(/schedule/i) });
  });

  it('refuses one of a removed camera', async () => {
    await fixture.store.cameras.save({ ...fixture.own.camera, mummified: true });
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false };
    expect(await fixture.call(CREATE, body)).toMatchObject({ error: true });
  });
});

describe(FIND, () => {
  it('returns every field, and neither password nor camera address', async () => {
    const uuid = await create({ password: 'open sesame', expirationTimeSecs: 60, name: 'Gate' });
    const response = await fixture.post(FIND, { cameraUuid: fixture.own.camera.uuid });
    expect(listed(response.json())).toEqual([
      {
        uuid,
        orgUuid: fixture.own.organization.uuid,
        name: 'Gate',
        streamType: 'USER',
        cameraUuid: fixture.own.camera.uuid,
        deviceUuid: fixture.own.camera.uuid,
        sharedLiveVideoStreamUrl: expect.stringMatching(/^http:/),
        sharedLiveM3U8StreamUrl: expect.stringMatching(/file\.m3u8$/),
        timestampMs: fixture.clock.epochMs(),
        expirationTime: nowSec() + 60,
        passwordProtected: true,
        invertSchedule: false,
        vodEnabled: false,
        showsUnmasked: false,
        ssoProtected: false,
        sharedWithMonitoringService: false,
        talk: false,
        audioPushToTalkEnabled: false,
        hideOverlay: false,
      },
    ]);
    expect(response.body).not.toMatch(/rtsp|s3cret|sesame|\$/);
  });

  it('treats v0 as the camera itself', async () => {
    const { uuid } = fixture.own.camera;
    const [plain, first] = [await create(), await create({ cameraUuid: `${uuid}.v0` })] as const;
    const second = await create({ cameraUuid: `${uuid}.v1` });
    const found = async (cameraUuid: string) =>
      listed(await fixture.call(FIND, { cameraUuid })).map((share) => share.uuid as string);
    expect((await found(`${uuid}.v0`)).sort()).toEqual([plain, first].sort());
    expect(await found(`${uuid}.v1`)).toEqual([second]);
    expect(await found(uuid)).toHaveLength(3);
  });

  it('lists the newest first, and one facet if requested', async () => {
    const first = await create();
    fixture.clock.advance(1_000);
    const second = await create({ cameraUuid: `${fixture.own.camera.uuid}.v1` });
    const find = async (cameraUuid: string) =>
      listed(await fixture.call(FIND, { cameraUuid })).map((share) => share.uuid);
    expect(await find(fixture.own.camera.uuid)).toEqual([second, first]);
    expect(await find(`${fixture.own.camera.uuid}.v1`)).toEqual([second]);
    expect(await find(fixture.own.doorbell.uuid)).toEqual([]);
    expect(await fixture.call(FIND, { cameraUuid: newRuuid() })).toMatchObject({ error: true });
  });
});

describe(FIND_ALL, () => {
  it('lists the shares of all devices', async () => {
    expect(listed(await fixture.call(FIND_ALL))).toEqual([]);
    const first = await create({ streamType: 'ALARM_MONITORING' });
    fixture.clock.advance(1_000);
    const second = await create({ cameraUuid: fixture.own.doorbell.uuid });
    expect(listed(await fixture.call(FIND_ALL))).toMatchObject([
      { uuid: second, deviceUuid: fixture.own.doorbell.uuid, sharedWithMonitoringService: false },
      { uuid: first, deviceUuid: fixture.own.camera.uuid, sharedWithMonitoringService: true },
    ]);
  });
});

describe(UPDATE, () => {
  it('applies what is flagged, and returns the share', async () => {
    const uuid = await create({ name: 'Gate', password: 'open sesame', expirationTimeSecs: 60 });
    const response = await fixture.call(UPDATE, {
      uuid,
      name: 'Yard',
      nameUpdated: true,
      passwordUpdated: true,
      expirationTimeSecs: 120,
      expirationTimeSecsUpdated: true,
    });
    expect(response).toMatchObject({
      error: false,
      sharedLiveVideoStream: { uuid, name: 'Yard', passwordProtected: false, expirationTime: nowSec() + 120 },
    });
    expect(await stored(uuid)).toMatchObject({ name: 'Yard', passwordHash: null, invertSchedule: false });
  });

  it('lets viewers see the past, as far back and as long as it says, and takes that back', async () => {
    const uuid = await create({});
    const change = (fields: object) => fixture.call(UPDATE, { uuid, ...fields });
    expect(
      await change({
        vodEnabled: true,
        vodEnabledUpdated: true,
        vodPastSecs: 3_600,
        vodPastSecsUpdated: true,
        vodExpirationTimeSecs: 60,
        vodExpirationTimeSecsUpdated: true,
      }),
    ).toMatchObject({
      sharedLiveVideoStream: { vodEnabled: true, vodPastSecs: 3_600, vodExpirationTime: nowSec() + 60 },
    });
    await change({ vodPastSecsUpdated: true, vodExpirationTimeSecsUpdated: true });
    expect(await stored(uuid)).toMatchObject({ vodEnabled: true, vodPastSec: null, vodExpiresAtSec: null });
    await change({ vodEnabledUpdated: true });
    expect(await stored(uuid)).toMatchObject({ vodEnabled: false });
    const idle = await change({ vodPastSecs: 60, vodPastSecsUpdated: true });
    expect(idle.warningMsg).toContain('have no effect without vodEnabled');
    for (const vodPastSecs of [59, 34_560_001]) {
      expect(await change({ vodPastSecs, vodPastSecsUpdated: true })).toMatchObject({ error: true });
    }
    expect(await change({ vodExpirationTimeSecs: -1, vodExpirationTimeSecsUpdated: true })).toMatchObject({
      error: true,
    });
  });

  it('leaves what is not flagged, and says so', async () => {
    const uuid = await create({ name: 'Gate' });
    const response = await fixture.call(UPDATE, {
      uuid,
      name: 'Yard',
      invertSchedule: true,
      invertScheduleUpdated: false,
    });
    expect(response.warningMsg).toBe(
      'name was not changed, because nameUpdated is not true. ' +
        'invertSchedule was not changed, because invertScheduleUpdated is not true.',
    );
    expect(await stored(uuid)).toMatchObject({ name: 'Gate', invertSchedule: false });
  });

  it('refuses an unknown share', async () => {
    expect(await fixture.call(UPDATE, { uuid: newRuuid() })).toMatchObject({ error: true });
  });
});

describe(DELETE, () => {
  it("deletes with and without the camera's UUID", async () => {
    for (const fields of [
      {},
      { cameraUuid: fixture.own.camera.uuid },
      { cameraUuid: `${fixture.own.camera.uuid}.v0` },
    ]) {
      const uuid = await create();
      expect(await fixture.call(DELETE, { uuid, ...fields })).toEqual({
        error: false,
      });
      expect(await stored(uuid)).toBeNull();
    }
  });

  it('refuses an unknown share and a share of another camera', async () => {
    expect(await fixture.call(DELETE, { uuid: newRuuid() })).toMatchObject({ error: true });
    const uuid = await create();
    const response = await fixture.call(DELETE, { uuid, cameraUuid: fixture.own.doorbell.uuid });
    expect(response.errorMsg).toBe('The share belongs to another device than the request names.');
    expect(await stored(uuid)).not.toBeNull();
  });
});

describe('doorbell cameras', () => {
  it('are shared, listed and unshared by their own endpoints', async () => {
    const doorbellCameraUuid = fixture.own.doorbell.uuid;
    const body = { doorbellCameraUuid, streamType: 'RAPIDSOS', vodEnabled: true, name: 'Door' };
    const { sharedLiveVideoStreamUuid: uuid } = await fixture.call(DOORBELL_CREATE, body);
    const found = listed(await fixture.call(DOORBELL_FIND, { doorbellCameraUuid }));
    expect(found).toMatchObject([
      { uuid, deviceUuid: doorbellCameraUuid, streamType: 'RAPIDSOS', name: 'Door' },
    ]);
    expect(await fixture.call(DOORBELL_DELETE, { doorbellCameraUuid, uuid })).toMatchObject({ error: false });
    expect(await stored(uuid as Ruuid)).toBeNull();
  });

  it.each([
    [DOORBELL_CREATE, { streamType: 'USER', vodEnabled: false }],
    [DOORBELL_FIND, {}],
    [DOORBELL_DELETE, { uuid: newRuuid() }],
  ])('%s refuses other cameras', async (path, fields) => {
    const response = await fixture.call(path, { doorbellCameraUuid: fixture.own.camera.uuid, ...fields });
    expect(response.errorMsg).toMatch(/not a doorbell camera/);
  });
});

const CREATE_PROTECTED = '/api/camera/createProtectedSharedLiveVideoStream';

it(`${CREATE_PROTECTED} creates a share with a password, and none without one`, async () => {
  const { camera, organization } = fixture.own;
  const create = (body: object, headers = {}) =>
    fixture.call(CREATE_PROTECTED, { cameraUuid: camera.uuid, password: 'gate 7', ...body }, headers);
  const shares = () => fixture.store.shares.listByCamera(organization.uuid, camera.uuid);
  for (const [body, sentence] of [
    [{ password: undefined }, 'password is required.'],
    [{ password: null }, 'password is required.'],
    [{ password: ' \t' }, 'password must not be blank.'],
    [{ ssoProtected: true }, /^ssoProtected: single sign-on is not available/],
    [{ cameraUuid: fixture.foreign.camera.uuid }, /^There is no camera/],
  ] as const) {
    expect(await create(body)).toMatchObject({ error: true, errorMsg: expect.stringMatching(sentence) });
  }
  expect(await shares()).toEqual([]);

  const created = await create({ name: 'Gate', includeAudio: false, expirationTimeSecs: 60 });
  expect(created).toMatchObject({
    error: false,
    sharedLiveVideoStreamUrl: expect.stringContaining('/share/'),
    sharedLiveM3U8StreamUrl: expect.stringContaining('.m3u8'),
  });
  const [share] = await shares();
  expect(share).toMatchObject({
    uuid: created.sharedLiveVideoStreamUuid as Ruuid,
    name: 'Gate',
    streamType: 'USER',
    vodEnabled: false,
    passwordHash: expect.any(String),
  });
  expect(share!.passwordHash).not.toContain('gate 7');
  const listed = await fixture.call('/api/camera/findSharedLiveVideoStreams', { cameraUuid: camera.uuid });
  expect(JSON.stringify(listed)).toContain('"passwordProtected":true');
});
