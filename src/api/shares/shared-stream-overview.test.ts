import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { STEPS_PER_SLICE } from '../../core/sliced-work.ts';
import { sampleCamera, sampleShare, sampleWeeklySchedule } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

type Row = Readonly<Record<string, unknown>>;

const find = (body: object = {}) => fixture.call('/api/camera/findSharedStreams', body);
const visibility = (body: object) => fixture.call('/api/camera/getSharedStreamVisibility', body);
const namesIn = ({ sharedStreams }: Answer) => (sharedStreams as Row[]).map(({ name }) => name);

async function share(fields: object = {}): Promise<Ruuid> {
  const cameraUuid = fixture.own.camera.uuid;
  const created = await fixture.call('/api/camera/createSharedLiveVideoStream', { cameraUuid, ...fields });
  // So that each was created at its own time.
  await fixture.clock.advance(1);
  return created.sharedLiveVideoStreamUuid as Ruuid;
}

/** Active from an hour from now, for an hour. */
async function laterSchedule(): Promise<Ruuid> {
  const nowSec = Math.ceil(fixture.clock.epochMs() / 1_000);
  const created = await fixture.call('/api/schedule/createAbsoluteSchedule', {
    schedule: { name: 'Opening night', intervalList: [{ b: nowSec + 3_600, e: nowSec + 7_200 }] },
  });
  return created.scheduleUuid as Ruuid;
}

describe('findSharedStreams', () => {
  it('says what each link shows, who watches, and what changes next', async () => {
    const scheduleUuid = await laterSchedule();
    const createdAtMs = fixture.clock.epochMs();
    const uuid = await share({ name: 'Stage', scheduleUuid, invertSchedule: true, password: 'open sesame' });
    fixture.watch(uuid, { ip: '192.0.2.1' });
    const nowMs = fixture.clock.epochMs();
    const { camera, locationUuid } = fixture.own;
    const { sharedStreams, totalCount } = await find();
    expect(totalCount).toBe(1);
    expect(sharedStreams).toEqual([
      {
        kind: 'STREAM',
        uuid,
        name: 'Stage',
        cameraUuid: camera.uuid,
        cameraName: camera.name,
        locationUuid,
        locationName: expect.stringMatching(/./),
        state: 'VISIBLE',
        nextChange: { atMs: expect.any(Number), isVisible: false, reason: 'hidden-by-schedule' },
        viewerCount: 1,
        lastViewedAtMs: nowMs,
        scheduleUuid,
        scheduleName: 'Opening night',
        invertSchedule: true,
        passwordProtected: true,
        ssoProtected: false,
        talk: false,
        showsUnmasked: false,
        vodEnabled: false,
        createdAtMs,
        timeZones: [expect.any(String)],
        creatorUuid: fixture.own.key.uuid,
        creatorName: fixture.own.key.name,
        creatorLeft: false,
        pageUrl: expect.stringContaining('/share/'),
        m3u8Url: expect.stringMatching(/\/live\/[^/]+\/file\.m3u8$/),
        mpdUrl: expect.stringMatching(/\/live\/[^/]+\/file\.mpd$/),
      },
    ]);
  });

  it('finds the links of those who created them, and links by UUID', async () => {
    const first = await share({ name: 'First' });
    await share({ name: 'Second' });
    const { uuid: creatorUuid, name: creatorName } = fixture.own.key;
    expect(await fixture.call('/api/camera/findSharedStreamCreators', {})).toEqual({
      error: false,
      creators: [{ creatorUuid, creatorName }],
    });
    expect(namesIn(await find({ creatorUuid }))).toEqual(['Second', 'First']);
    expect(await find({ creatorUuid: newRuuid() })).toMatchObject({ sharedStreams: [], totalCount: 0 });
    expect(namesIn(await find({ uuids: [first, newRuuid()] }))).toEqual(['First']);
    expect(namesIn(await find({ uuids: [first], creatorUuid }))).toEqual(['First']);
    expect(await find({ uuids: [] })).toMatchObject({ totalCount: 0 });
  });

  it('say that the person who created them has left, also to callers who see no people', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'operator');
    const cameraUuid = fixture.own.camera.uuid;
    await console.call('/api/camera/createSharedLiveVideoStream', { cameraUuid, name: 'Hers' });
    await share({ name: 'Of a key' });
    const left = async (headers = {}) => {
      const { sharedStreams } = await fixture.call('/api/camera/findSharedStreams', {}, headers);
      return Object.fromEntries((sharedStreams as Row[]).map(({ name, creatorLeft }) => [name, creatorLeft]));
    };
    expect(await left()).toEqual({ Hers: false, 'Of a key': false });
    await fixture.store.people.save({ ...person, disabled: true });
    expect(await left()).toEqual({ Hers: true, 'Of a key': false });
    await fixture.store.people.remove(person.orgUuid, person.uuid);
    const scope = { locationUuids: [], cameraUuids: [cameraUuid] };
    const apiKey = await addApiKey(fixture.store, person.orgUuid, { role: 'operator', scope });
    expect(await left({ 'x-auth-apikey': apiKey })).toEqual({ Hers: true, 'Of a key': false });
  });

  it('finds walls by a camera, and by the schedule of one of them', async () => {
    const scheduleUuid = await laterSchedule();
    const cameraUuid = fixture.own.camera.uuid;
    const { uuid: videoWallUuid } = await fixture.call('/api/camera/createVideoWall', {
      videoWall: { displayName: 'Lobby wall', deviceList: [cameraUuid] },
    });
    await fixture.call('/api/camera/createSharedVideoWall', {
      videoWallUuid,
      deviceScheduleMap: { [cameraUuid]: { scheduleUuid, invertSchedule: false } },
    });
    for (const query of [{ cameraUuid }, { scheduleUuid }]) {
      expect(await find(query)).toMatchObject({
        sharedStreams: [{ kind: 'WALL', name: 'Lobby wall', videoWallUuid, timeZones: [expect.any(String)] }],
      });
    }
    expect(namesIn(await find({ cameraUuid: fixture.own.doorbell.uuid }))).toEqual([]);
  });

  it('has what was created, changed and deleted a moment ago', async () => {
    const uuid = await share({ name: 'First' });
    expect(namesIn(await find())).toEqual(['First']);
    const changes = { uuid, name: 'Second', nameUpdated: true };
    await fixture.call('/api/camera/updateSharedLiveVideoStream', changes);
    expect(namesIn(await find())).toEqual(['Second']);
    await fixture.call('/api/camera/deleteSharedLiveVideoStream', { uuid });
    expect(await find()).toEqual({ error: false, sharedStreams: [], totalCount: 0 });
  });

  it('knows hidden and expired links, and those whose camera was removed', async () => {
    const scheduleUuid = await laterSchedule();
    await share({ name: 'Hidden', scheduleUuid });
    await share({ name: 'Short', expirationTimeSecs: 60 });
    const uuid = await share({ name: 'Gone', cameraUuid: fixture.own.doorbell.uuid });
    await fixture.store.cameras.save({ ...fixture.own.doorbell, mummified: true });
    await fixture.clock.advance(120_000);
    await share({ name: 'Shown' });
    const { sharedStreams } = await find({ order: 'STATE' });
    expect((sharedStreams as Row[]).map(({ name, state, reason }) => [name, state, reason])).toEqual([
      ['Shown', 'VISIBLE', undefined],
      ['Hidden', 'HIDDEN', 'hidden-by-schedule'],
      ['Short', 'EXPIRED', 'expired'],
      ['Gone', 'CAMERA_REMOVED', 'device-removed'],
    ]);
    expect(namesIn(await find({ states: ['HIDDEN', 'EXPIRED'], order: 'NAME' }))).toEqual([
      'Hidden',
      'Short',
    ]);
    expect(await visibility({ uuid })).toMatchObject({ isVisible: false, reason: 'device-removed' });
  });

  it('filters, sorts and pages', async () => {
    const { doorbell, locationUuid } = fixture.own;
    await share({ name: 'beta' });
    await share({ name: 'Alpha', password: 'x' });
    const inAnHour = Math.floor(fixture.clock.epochMs() / 1_000) + 3_600;
    await share({ name: 'gamma', expirationTimeSecs: inAnHour });
    const elsewhere = sampleCamera(fixture.own.organization.uuid, {
      name: 'Pier',
      nvrUuid: null,
      locationUuid: null,
    });
    await fixture.store.cameras.save(elsewhere);
    await share({ name: 'delta', cameraUuid: elsewhere.uuid });
    const names = async (body: object) => namesIn(await find(body));
    expect(await names({})).toEqual(['delta', 'gamma', 'Alpha', 'beta']);
    expect(await names({ order: 'NAME' })).toEqual(['Alpha', 'beta', 'delta', 'gamma']);
    expect(await names({ order: 'NAME', isDescending: true, offset: 1, limit: 2 })).toEqual([
      'delta',
      'beta',
    ]);
    expect(await find({ limit: 1 })).toMatchObject({ totalCount: 4 });
    expect(await names({ text: 'ALPH' })).toEqual(['Alpha']);
    expect(await names({ text: 'pier' })).toEqual(['delta']);
    expect(await names({ passwordProtected: true })).toEqual(['Alpha']);
    expect(await names({ expiresBefore: inAnHour + 1 })).toEqual(['gamma']);
    expect(await names({ expiresBefore: inAnHour })).toEqual([]);
    expect(await names({ order: 'EXPIRATION', limit: 1 })).toEqual(['gamma']);
    expect(await names({ locationUuid })).toEqual(['gamma', 'Alpha', 'beta']);
    expect(await names({ cameraUuid: elsewhere.uuid })).toEqual(['delta']);
    expect(await names({ cameraUuid: doorbell.uuid })).toEqual([]);
    expect(await names({ order: 'CAMERA', limit: 1, text: 'e' })).toHaveLength(1);
    expect(await names({ offset: 9 })).toEqual([]);
  });

  it('finds words in any order, without accents, in the name, the camera, and the site', async () => {
    await share({ name: 'Entrée north' });
    await share({ name: 'Yard' });
    const { camera, locationUuid } = fixture.own;
    await fixture.store.cameras.save({ ...camera, name: 'Kühlraum 3' });
    const { locations } = await fixture.call('/api/location/getLocationsV2', {});
    const { name: site } = (locations as Row[]).find(({ uuid }) => uuid === locationUuid)!;
    expect(namesIn(await find({ text: 'NORTH entree' }))).toEqual(['Entrée north']);
    expect(namesIn(await find({ text: `kuhl yard ${site}` }))).toEqual(['Yard']);
    expect(namesIn(await find({ text: 'yard north' }))).toEqual([]);
  });

  it('counts those in each state on request, whatever states are listed', async () => {
    const scheduleUuid = await laterSchedule();
    const inAnHour = Math.floor(fixture.clock.epochMs() / 1_000) + 3_600;
    await share({ name: 'Hidden', scheduleUuid });
    await share({ name: 'Shown' });
    await share({ name: 'Shown for an hour', expirationTimeSecs: inAnHour });
    await share({ name: 'Short', expirationTimeSecs: 60 });
    await fixture.clock.advance(120_000);
    const all = { visible: 2, hidden: 1, expired: 1, cameraRemoved: 0, endingWithinDay: 1 };
    expect((await find()).stateCounts).toBeUndefined();
    const hidden = await find({ states: ['HIDDEN'], withStateCounts: true, limit: 1 });
    expect(hidden).toMatchObject({ totalCount: 1, stateCounts: all });
    const ending = await find({ expiresBefore: inAnHour + 1, withStateCounts: true });
    expect(ending).toMatchObject({ totalCount: 2, stateCounts: all });
    expect(await find({ text: 'shown', withStateCounts: true })).toMatchObject({
      stateCounts: { visible: 2, hidden: 0, expired: 0, endingWithinDay: 1 },
    });
    const stranger = await fixture.call(
      '/api/camera/findSharedStreams',
      { withStateCounts: true },
      { 'x-auth-apikey': fixture.foreign.apiKey },
    );
    expect(stranger).toMatchObject({
      stateCounts: { visible: 0, hidden: 0, expired: 0, endingWithinDay: 0 },
    });
  });

  it('has shared walls and shared groups, too', async () => {
    const deviceList = [fixture.own.camera.uuid, fixture.own.doorbell.uuid];
    const wall = await fixture.call('/api/camera/createVideoWall', {
      videoWall: { displayName: 'Control room', deviceList },
    });
    const scheduleUuid = await laterSchedule();
    const { sharedLiveVideoStreamUuid: uuid } = await fixture.call('/api/camera/createSharedVideoWall', {
      videoWallUuid: wall.uuid,
      deviceScheduleMap: { [deviceList[0]!]: { scheduleUuid } },
      vodEnabled: true,
      vodPastSecs: 86_400,
      vodExpirationTimeSecs: 3_600,
    });
    const { sharedStreams } = await find({ kinds: ['WALL'] });
    expect(sharedStreams).toEqual([
      expect.objectContaining({ kind: 'WALL', uuid, name: 'Control room', cameraCount: 2, state: 'VISIBLE' }),
    ]);
    const endSec = Math.ceil(fixture.clock.epochMs() / 1_000) + 3_600;
    const past = { vodEnabled: true, vodPastSecs: 86_400, vodExpirationTime: endSec };
    expect((sharedStreams as Row[])[0]).toMatchObject(past);
    expect((sharedStreams as Row[])[0]!.pageUrl).toContain('/wall/');
    const change = { uuid, vodPastSecs: 3_600, vodPastSecsUpdated: true, vodExpirationTimeSecsUpdated: true };
    const { sharedVideoWall } = await fixture.call('/api/camera/updateSharedVideoWall', change);
    expect(sharedVideoWall).toMatchObject({ vodEnabled: true, vodPastSecs: 3_600 });
    expect(sharedVideoWall).not.toHaveProperty('vodExpirationTime');
    expect(await find({ kinds: ['STREAM', 'CLIP_GROUP', 'TIMELAPSE_GROUP'] })).toMatchObject({
      totalCount: 0,
    });
    expect(await visibility({ uuid })).toMatchObject({
      sentence: expect.stringContaining('because 1 of 2 cameras is shown.'),
      cameras: [
        { cameraUuid: deviceList[0], isVisible: false, reason: 'hidden-by-schedule' },
        { cameraUuid: deviceList[1], isVisible: true },
      ],
    });
  });

  it('refuses what is out of range', async () => {
    expect(await find({ limit: 501 })).toMatchObject({ error: true });
    expect(await find({ states: ['OPEN'] })).toMatchObject({ error: true });
  });

  it('shows nothing of another organization', async () => {
    const uuid = await share({ name: 'Front desk' });
    await find();
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(await fixture.call('/api/camera/findSharedStreams', {}, headers)).toEqual({
      error: false,
      sharedStreams: [],
      totalCount: 0,
    });
    expect(await fixture.call('/api/camera/getSharedStreamVisibility', { uuid }, headers)).toMatchObject({
      errorMsg: 'There is no shared live stream with this UUID.',
    });
  });
});

describe('getSharedStreamVisibility', () => {
  it('says what a link shows at a chosen time', async () => {
    const uuid = await share({ scheduleUuid: await laterSchedule(), expirationTimeSecs: 5_400 });
    const { nextChange, ...now } = await visibility({ uuid });
    expect(now).toMatchObject({
      kind: 'STREAM',
      isVisible: false,
      reason: 'hidden-by-schedule',
      cameras: [],
    });
    const { atMs } = nextChange as { atMs: number };
    expect(nextChange).toEqual({ atMs, isVisible: true });
    const later = await visibility({ uuid, atMs });
    expect(later).toMatchObject({
      atMs,
      isVisible: true,
      nextChange: { reason: 'expired', isVisible: false },
    });
    expect(later.sentence).toMatch(
      /^Visible at \d{4}-\d\d-\d\d \d\d:\d\d because the schedule ‘Opening night’ is active\.$/,
    );
    const { atMs: endMs } = later.nextChange as { atMs: number };
    expect(await visibility({ uuid, atMs: endMs })).toMatchObject({
      sentence: expect.stringMatching(/^Not visible at .* because the share expired at /),
    });
    expect(await visibility({ uuid, atMs: 0 })).toMatchObject({
      warningMsg: 'The link was created after this time.',
    });
  });

  it('knows only links that exist', async () => {
    expect(await visibility({ uuid: newRuuid() })).toEqual({
      error: true,
      errorMsg: 'There is no shared live stream with this UUID.',
    });
  });
});

describe('findSharedStreams of 10,000 shares', () => {
  it('answers quickly, and never holds up the event loop for long', async () => {
    const { organization, camera } = fixture.own;
    const schedule = sampleWeeklySchedule(organization.uuid);
    await fixture.store.schedules.save(schedule);
    for (let batch = 0; batch < 100; batch++) {
      const shares = Array.from({ length: 100 }, (_, index) =>
        sampleShare(organization.uuid, {
          cameraUuid: camera.uuid,
          name: `Share ${batch * 100 + index}`,
          expiresAtSec: null,
          scheduleUuid: schedule.uuid,
          createdAtMs: batch * 100 + index,
        }),
      );
      await Promise.all(shares.map((one) => fixture.store.shares.save(one)));
    }
    await find();
    const { shares } = fixture.store;
    const lists = ['list', 'listEverywhere', 'listNewestFirst', 'listByCamera', 'listBySchedule'] as const;
    const reads = lists.map((name) => vi.spyOn(shares, name));
    for (const body of [{}, { order: 'NAME' }, { text: '77', states: ['VISIBLE', 'HIDDEN'] }]) {
      let [isOver, turns] = [false, 0];
      const look = (): void => {
        turns += 1;
        if (!isOver) setImmediate(look);
      };
      setImmediate(look);
      expect(await find(body)).toMatchObject({ error: false });
      isOver = true;
      // Each turn does at most a slice of the work.
      expect(turns).toBeGreaterThanOrEqual(Math.floor(10_000 / STEPS_PER_SLICE));
    }
    // It reads no share from the store.
    for (const read of reads) expect(read).not.toHaveBeenCalled();
  });
});
