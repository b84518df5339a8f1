import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { MAX_WALL_CAMERAS } from '../../sharing/video-wall-service.ts';
import { sampleCamera, samplePerson } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createVideoWall';
const LIST = '/api/camera/getVideoWalls';
const UPDATE = '/api/camera/updateVideoWalls';
const DELETE = '/api/camera/deleteVideoWall';
const SHARE = '/api/camera/createSharedVideoWall';
const SHARE_PROTECTED = '/api/camera/createProtectedSharedVideoWall';
const FIND = '/api/camera/findSharedVideoWalls';
const UPDATE_SHARE = '/api/camera/updateSharedVideoWall';
const DELETE_SHARE = '/api/camera/deleteSharedVideoWall';

let fixture: ApiFixture;
let cameras: Ruuid[];
beforeEach(async () => {
  fixture = await openApiFixture();
  cameras = [fixture.own.camera.uuid, fixture.own.doorbell.uuid];
});
afterEach(() => fixture.close());

const wall = (fields: object = {}) => ({ displayName: 'Control room', deviceList: cameras, ...fields });

async function createWall(fields: object = {}): Promise<Ruuid> {
  const response = await fixture.call(CREATE, { videoWall: wall(fields) });
  expect(response.errorMsg).toBeUndefined();
  return response.uuid as Ruuid;
}

async function share(videoWallUuid: Ruuid, fields: object = {}, path = SHARE): Promise<Answer> {
  const response = await fixture.call(path, { videoWallUuid, ...fields });
  expect(response.errorMsg).toBeUndefined();
  return response;
}

const walls = async () => (await fixture.call(LIST)).videoWalls as Record<string, unknown>[];
const shares = async (body: object = {}) =>
  (await fixture.call(FIND, body)).sharedVideoWalls as Record<string, unknown>[];
const refusal = async (path: string, body: object) => (await fixture.call(path, body)).errorMsg;

async function createSchedule(): Promise<Ruuid> {
  const schedule = { name: 'Shift', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 480 }] };
  const response = await fixture.call('/api/schedule/createWeeklySchedule', { schedule });
  return response.scheduleUuid as Ruuid;
}

describe('video walls', () => {
  it('are returned as they were created, with the number of their shares', async () => {
    const settings = { layout: { columns: 2 }, labels: ['a'] };
    const deviceList = [`${cameras[1]}.v0`, cameras[0]];
    const uuid = await createWall({ deviceList, settings, shared: true, displayName: ' Desk ' });
    await share(uuid);
    expect(await fixture.call(LIST)).toEqual({
      error: false,
      userNameMap: {},
      videoWalls: [
        {
          uuid,
          orgUuid: fixture.own.organization.uuid,
          displayName: 'Desk',
          deviceList,
          settings,
          layout: { kind: 'AUTOMATIC', cells: [], tourSec: 0 },
          shared: true,
          othersCanEdit: false,
          numShares: 1,
          numOpenShares: 1,
          hiddenCameras: 0,
        },
      ],
    });
  });

  it('name their owners who are people of the organization', async () => {
    const { store, own, foreign } = fixture;
    const [ada, other] = [own, foreign].map(({ organization }) =>
      samplePerson(organization.uuid, { name: 'Ada' }),
    );
    for (const person of [ada!, other!]) await store.people.save(person);
    await createWall({ ownerUserUuid: ada!.uuid });
    await createWall({ ownerUserUuid: other!.uuid });
    expect((await fixture.call(LIST)).userNameMap).toEqual({ [ada!.uuid]: 'Ada' });
  });

  it('change field by field; lists and settings as a whole', async () => {
    const uuid = await createWall({ settings: { a: 1 } });
    await fixture.call(UPDATE, { videoWall: { uuid, deviceList: [cameras[1]] } });
    expect(await walls()).toMatchObject([
      { displayName: 'Control room', deviceList: [cameras[1]], settings: { a: 1 } },
    ]);
    await fixture.call(UPDATE, { videoWall: { uuid, displayName: 'Desk', settings: {} } });
    expect(await walls()).toMatchObject([{ displayName: 'Desk', deviceList: [cameras[1]], settings: {} }]);
  });

  it('no longer list a camera that was deleted', async () => {
    await createWall();
    await fixture.store.cameras.remove(fixture.own.organization.uuid, cameras[0]!);
    expect(await walls()).toMatchObject([{ deviceList: [cameras[1]] }]);
  });

  it('end with their shares', async () => {
    const uuid = await createWall();
    await share(uuid);
    expect((await fixture.call(DELETE, { uuid })).error).toBe(false);
    expect([await walls(), await shares()]).toEqual([[], []]);
    expect(await refusal(DELETE, { uuid })).toBe('There is no video wall with this UUID.');
  });

  it('have cameras of the organization only, each once, at most 16', async () => {
    const foreign = fixture.foreign.camera.uuid;
    const at = (deviceList: string[]) => refusal(CREATE, { videoWall: wall({ deviceList }) });
    const sentence = 'videoWall.deviceList[1] must be a camera of the organization.';
    expect(await at([cameras[0]!, foreign])).toBe(sentence);
    expect(await at([cameras[0]!, newRuuid()])).toBe(sentence);
    expect(await at([cameras[0]!, `${cameras[0]}.v0`])).toBe('videoWall.deviceList[1] is in the list twice.');
    const many: string[] = [];
    for (let i = 0; i <= MAX_WALL_CAMERAS; i++) {
      const camera = sampleCamera(fixture.own.organization.uuid);
      await fixture.store.cameras.save(camera);
      many.push(camera.uuid);
    }
    expect(await at(many)).toContain('at most 16');
    expect(await at(many.slice(1))).toBeUndefined();
  });

  it.each([
    [{ displayName: ' ' }, 'videoWall.displayName must not be blank.'],
    [{ displayName: undefined }, 'videoWall.displayName must not be blank.'],
    [
      { settings: { text: 'x'.repeat(65_536) } },
      'videoWall.settings must have at most 65536 characters as JSON.',
    ],
  ])('refuse %j', async (fields, sentence) => {
    expect(await refusal(CREATE, { videoWall: wall(fields) })).toBe(sentence);
  });

  it('are not found by another organization', async () => {
    const uuid = await createWall();
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    const asForeign = async (path: string, body: object) =>
      (await fixture.call(path, body, headers)).errorMsg;
    const sentence = 'There is no video wall with this UUID.';
    expect(await asForeign(UPDATE, { videoWall: { uuid, displayName: 'Mine' } })).toBe(sentence);
    expect(await asForeign(DELETE, { uuid })).toBe(sentence);
    expect(await asForeign(SHARE, { videoWallUuid: uuid })).toBe(sentence);
    expect((await fixture.call(LIST, {}, headers)).videoWalls).toEqual([]);
  });
});

describe('the layout of a video wall', () => {
  const cell = (cameraUuid: Ruuid, fields: object = {}) => ({
    cameraUuid,
    x: 0,
    y: 0,
    width: 6,
    height: 6,
    ...fields,
  });
  const free = (...cells: object[]) => ({ layout: { kind: 'FREE', cells } });
  const layouts = async () => (await walls()).map(({ layout }) => layout);

  it('stays as it was stored, until it is replaced', async () => {
    const layout = { kind: 'ONE_PLUS_FIVE', cells: [], tourSec: 20 };
    const uuid = await createWall({ layout });
    expect(await layouts()).toEqual([layout]);
    await fixture.call(UPDATE, { videoWall: { uuid, displayName: 'Desk' } });
    expect(await layouts()).toEqual([layout]);
    await fixture.call(UPDATE, { videoWall: { uuid, layout: { kind: 'TWO_BY_TWO' } } });
    expect(await layouts()).toEqual([{ kind: 'TWO_BY_TWO', cells: [], tourSec: 0 }]);
  });

  it('places cameras freely, and forgets the place of a camera that leaves the wall', async () => {
    const cells = [cell(cameras[0]!), cell(cameras[1]!, { x: 6, width: 3 })];
    const uuid = await createWall(free(...cells));
    expect(await layouts()).toEqual([{ kind: 'FREE', cells, tourSec: 0 }]);
    await fixture.call(UPDATE, { videoWall: { uuid, deviceList: [cameras[1]] } });
    expect(await layouts()).toEqual([{ kind: 'FREE', cells: [cells[1]], tourSec: 0 }]);
    await fixture.store.cameras.remove(fixture.own.organization.uuid, cameras[1]!);
    expect(await layouts()).toEqual([{ kind: 'FREE', cells: [], tourSec: 0 }]);
  });

  it.each([
    [() => ({ layout: { kind: 'FIVE' } }), 'videoWall.layout.kind must be one of'],
    [
      () => ({ layout: { kind: 'AUTOMATIC', tourSec: 4 } }),
      'videoWall.layout.tourSec must be 0, or 5 to 600.',
    ],
    [() => ({ layout: { kind: 'AUTOMATIC', tourSec: 601 } }), 'videoWall.layout.tourSec'],
    [
      () => ({ layout: { kind: 'TWO_BY_TWO', cells: [cell(cameras[0]!)] } }),
      'videoWall.layout.cells must be empty: only the kind FREE has cells.',
    ],
    [
      () => free(cell(cameras[0]!), cell(newRuuid(), { x: 6 })),
      'videoWall.layout.cells[1].cameraUuid must be a camera of the wall.',
    ],
    [
      () => free(cell(cameras[0]!), cell(cameras[0]!, { x: 6 })),
      'videoWall.layout.cells[1].cameraUuid is in the list twice.',
    ],
    [
      () => free(cell(cameras[0]!), cell(cameras[1]!, { x: 5, y: 5 })),
      'videoWall.layout.cells[1] covers a part of cells[0].',
    ],
    [
      () => free(cell(cameras[0]!, { x: 7 })),
      'videoWall.layout.cells[0] must lie within 12 columns and 12 rows.',
    ],
    [
      () => free(cell(cameras[0]!, { width: 0 })),
      'videoWall.layout.cells[0].width must be an integer from 1 to 12',
    ],
  ])('is refused if it cannot be shown (%#)', async (fields, sentence) => {
    expect(await refusal(CREATE, { videoWall: wall(fields()) })).toContain(sentence);
    expect(await walls()).toEqual([]);
  });
});

describe('a wall of which a limited caller sees only a part', () => {
  const SITE = '/api/camera/getVideoWalls';
  let key: Record<string, string>;
  let far: Ruuid;
  beforeEach(async () => {
    const { store, own } = fixture;
    const camera = sampleCamera(own.organization.uuid, { locationUuid: null });
    await store.cameras.save(camera);
    far = camera.uuid;
    const scope = { locationUuids: [], cameraUuids: [cameras[0]!] };
    key = { 'x-auth-apikey': await addApiKey(store, own.organization.uuid, { role: 'operator', scope }) };
  });

  it('is listed with the cameras that the caller may see, and the number of the others', async () => {
    const cells = [
      { cameraUuid: cameras[0]!, x: 0, y: 0, width: 6, height: 6 },
      { cameraUuid: far, x: 6, y: 0, width: 6, height: 6 },
    ];
    await createWall({
      deviceList: [cameras[0], far, cameras[1]],
      settings: { note: far },
      layout: { kind: 'FREE', cells },
    });
    await createWall({ deviceList: [far] });
    const response = await fixture.call(SITE, {}, key);
    expect(response.videoWalls).toMatchObject([
      {
        deviceList: [cameras[0]],
        hiddenCameras: 2,
        numShares: 0,
        numOpenShares: 0,
        settings: {},
        layout: { kind: 'FREE', cells: [cells[0]] },
      },
    ]);
    expect(JSON.stringify(response)).not.toContain(far);
  });

  it('does not count cameras that were deleted', async () => {
    await createWall({ deviceList: [cameras[0], far] });
    await fixture.store.cameras.remove(fixture.own.organization.uuid, far);
    expect((await fixture.call(SITE, {}, key)).videoWalls).toMatchObject([
      { deviceList: [cameras[0]], hiddenCameras: 0 },
    ]);
  });

  it('cannot be changed, shared, or deleted by that caller', async () => {
    const uuid = await createWall({ deviceList: [cameras[0], far] });
    const sentence = 'There is no video wall with this UUID.';
    for (const [path, body] of [
      [UPDATE, { videoWall: { uuid, deviceList: [cameras[0]] } }],
      [SHARE, { videoWallUuid: uuid }],
      [DELETE, { uuid }],
    ] as const) {
      expect((await fixture.call(path, body, key)).errorMsg).toBe(sentence);
    }
    expect(await walls()).toMatchObject([{ deviceList: [cameras[0], far] }]);
  });
});

describe('shares of video walls', () => {
  it('are returned with their page, never with their password', async () => {
    const videoWallUuid = await createWall();
    const scheduleUuid = await createSchedule();
    const response = await share(videoWallUuid, {
      password: 'Correct horse',
      expirationTimeSecs: 3_600,
      scheduleUuid,
      invertSchedule: true,
      unscheduledMessage: ' Back at eight. ',
      deviceScheduleMap: { [cameras[1]!]: { scheduleUuid, unscheduledMessage: 'Off.' } },
    });
    expect(response.sharedLiveVideoStreamUrl).toMatch(/^http:\/\/media\.example\/wall\/[\w-]{38}$/);
    const [found] = await shares({ videoWallUuid });
    expect(found).toEqual({
      uuid: response.sharedLiveVideoStreamUuid,
      orgUuid: fixture.own.organization.uuid,
      videoWallUuid,
      sharedVideoWallUrl: response.sharedLiveVideoStreamUrl,
      timestampMs: fixture.clock.epochMs(),
      expirationTime: Math.ceil(fixture.clock.epochMs() / 1_000) + 3_600,
      passwordProtected: true,
      scheduleUuid,
      invertSchedule: true,
      unscheduledMessage: 'Back at eight.',
      deviceScheduleMap: {
        [cameras[1]!]: { scheduleUuid, invertSchedule: false, unscheduledMessage: 'Off.' },
      },
      vodEnabled: false,
      showsUnmasked: false,
      hideOverlay: false,
    });
    expect(JSON.stringify(found)).not.toContain('horse');
  });

  it('with protection need a password that is not blank', async () => {
    const videoWallUuid = await createWall();
    expect(await refusal(SHARE_PROTECTED, { videoWallUuid })).toBe('password is required.');
    expect(await refusal(SHARE_PROTECTED, { videoWallUuid, password: ' ' })).toBe(
      'password must not be blank.',
    );
    await share(videoWallUuid, { password: 'x' }, SHARE_PROTECTED);
    expect(await shares()).toMatchObject([{ passwordProtected: true }]);
    const open = await share(videoWallUuid, { password: ' ' });
    expect(open.warningMsg).toContain('anyone with its link can watch');
  });

  it('warn about cameras whose recording the configuration file turns off', async () => {
    const videoWallUuid = await createWall();
    fixture.cameraRecordings.set(cameras[1]!, { state: 'off', code: null, reasons: [], isForbidden: true });
    const response = await share(videoWallUuid, { vodEnabled: true });
    expect(response.warningMsg).toContain(cameras[1]);
    expect(response.warningMsg).not.toContain(cameras[0]);
    expect(await shares()).toMatchObject([{ vodEnabled: true }]);
  });

  it('name schedules and cameras that exist', async () => {
    const videoWallUuid = await createWall();
    const [scheduleUuid, device] = [newRuuid(), cameras[0]!];
    expect(await refusal(SHARE, { videoWallUuid, scheduleUuid })).toBe(
      'scheduleUuid: there is no schedule with this UUID.',
    );
    const ofDevice = { videoWallUuid, deviceScheduleMap: { [device]: { scheduleUuid } } };
    expect(await refusal(SHARE, ofDevice)).toBe(
      `deviceScheduleMap.${device}.scheduleUuid: there is no schedule with this UUID.`,
    );
    const other = { videoWallUuid, deviceScheduleMap: { [fixture.foreign.camera.uuid]: {} } };
    expect(await refusal(SHARE, other)).toBe(
      `deviceScheduleMap.${fixture.foreign.camera.uuid} must be a camera of the wall.`,
    );
    expect(await refusal(SHARE, { videoWallUuid: newRuuid() })).toBe(
      'There is no video wall with this UUID.',
    );
    expect(await refusal(SHARE, { videoWallUuid, expirationTimeSecs: 0 })).toContain('at least 1');
  });

  it('keep the schedules that they use', async () => {
    const videoWallUuid = await createWall();
    const [scheduleUuid, ofDevice] = [await createSchedule(), await createSchedule()];
    const { sharedLiveVideoStreamUuid: uuid } = await share(videoWallUuid, {
      scheduleUuid,
      deviceScheduleMap: { [cameras[0]!]: { scheduleUuid: ofDevice } },
    });
    for (const used of [scheduleUuid, ofDevice]) {
      expect(await refusal('/api/schedule/deleteSchedule', { scheduleUuid: used })).toContain(String(uuid));
    }
    await fixture.call(DELETE_SHARE, { uuid });
    for (const unused of [scheduleUuid, ofDevice]) {
      expect(await refusal('/api/schedule/deleteSchedule', { scheduleUuid: unused })).toBeUndefined();
    }
  });

  it('are deleted once, only of the wall that is named, and never by another organization', async () => {
    const [videoWallUuid, another] = [await createWall(), await createWall()];
    const { sharedLiveVideoStreamUuid: uuid } = await share(videoWallUuid);
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    const sentence = 'There is no shared video wall with this UUID.';
    expect((await fixture.call(DELETE_SHARE, { uuid }, headers)).errorMsg).toBe(sentence);
    expect(await refusal(DELETE_SHARE, { uuid, videoWallUuid: another })).toBe(
      'The share belongs to another video wall than the request names.',
    );
    expect(await refusal(DELETE_SHARE, { uuid, videoWallUuid })).toBeUndefined();
    expect(await refusal(DELETE_SHARE, { uuid, videoWallUuid })).toBe(sentence);
    expect(await shares()).toEqual([]);
  });
});

describe('changes of a shared wall', () => {
  const change = async (uuid: unknown, fields: object) =>
    (await fixture.call(UPDATE_SHARE, { uuid, ...fields })).sharedVideoWall as Record<string, unknown>;

  it('count if their flag says so, and leave the link and everything else', async () => {
    const scheduleUuid = await createSchedule();
    const created = await share(await createWall(), { scheduleUuid, unscheduledMessage: 'Closed.' });
    const uuid = created.sharedLiveVideoStreamUuid;
    const [before] = await shares();
    const after = await change(uuid, {
      vodEnabled: true,
      vodEnabledUpdated: true,
      unscheduledMessage: 'ignored',
      expirationTimeSecs: 3_600,
      expirationTimeSecsUpdated: true,
    });
    expect(after).toEqual({ ...before, vodEnabled: true, expirationTime: after.expirationTime });
    expect(Number(after.expirationTime)).toBeGreaterThan(3_600);
    expect(await shares()).toEqual([after]);
  });

  it('replace the schedules of the cameras, and clear what has no value', async () => {
    const scheduleUuid = await createSchedule();
    const { sharedLiveVideoStreamUuid: uuid } = await share(await createWall(), { scheduleUuid });
    const own = { [cameras[1]!]: { scheduleUuid, invertSchedule: true, unscheduledMessage: 'Off shift.' } };
    const after = await change(uuid, {
      scheduleUuidUpdated: true,
      deviceScheduleMap: own,
      deviceScheduleMapUpdated: true,
    });
    expect(after).toMatchObject({ deviceScheduleMap: own });
    expect(after.scheduleUuid).toBeUndefined();
    expect((await change(uuid, { deviceScheduleMapUpdated: true })).deviceScheduleMap).toEqual({});
  });

  it('set and clear the password, which ends what was granted', async () => {
    const { sharedLiveVideoStreamUuid: uuid } = await share(await createWall());
    const stored = () => fixture.store.wallShares.find(fixture.own.organization.uuid, uuid as Ruuid);
    const before = (await stored())!.accessEpoch;
    expect((await change(uuid, { password: 'open sesame', passwordUpdated: true })).passwordProtected).toBe(
      true,
    );
    expect((await change(uuid, { passwordUpdated: true })).passwordProtected).toBe(false);
    expect((await stored())!.accessEpoch).toBe(before + 2);
    await change(uuid, { vodEnabled: true, vodEnabledUpdated: true });
    expect((await stored())!.accessEpoch).toBe(before + 2);
  });

  it('are refused for cameras and schedules that are not there, and for shares of others', async () => {
    const { sharedLiveVideoStreamUuid: uuid } = await share(await createWall());
    const refused = (fields: object) => refusal(UPDATE_SHARE, { uuid, ...fields });
    const unknown = { deviceScheduleMap: { [newRuuid()]: {} }, deviceScheduleMapUpdated: true };
    expect(await refused(unknown)).toContain('deviceScheduleMap');
    expect(await refused({ scheduleUuid: newRuuid(), scheduleUuidUpdated: true })).toContain('schedule');
    expect(await refused({ uuid: newRuuid() })).toBe('There is no shared video wall with this UUID.');
  });
});
