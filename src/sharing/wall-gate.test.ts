import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Camera, VideoWall, WallShare } from '../store/entities.ts';
import { sampleCamera } from '../store/sample-entities-fixture.ts';
import { PastAccess } from './past-access.ts';
import {
  ATTEMPTS_PER_MINUTE,
  FIXTURE_EPOCH_MS,
  GRANT_LIFETIME_MS,
  openSharingFixture,
  type SharingFixture,
} from './sharing-fixture.ts';
import type { ViewerSession } from './viewer-session.ts';
import type { OpenedWall, OpenTile, WallOpeningRequest } from './wall-gate.ts';
import type { NewWallShareRequest } from './wall-share-service.ts';

const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;
const PASSWORD = 'Correct horse';

const PRINCIPAL = { type: 'API_TOKEN', uuid: null, name: 'ops', sourceIp: null, userAgent: null } as const;

let fixture: SharingFixture;
let gate: Camera;
let dock: Camera;
let wall: VideoWall;
beforeEach(async () => {
  fixture = await openSharingFixture();
  gate = await newCamera('Gate');
  dock = await newCamera('Dock');
  wall = await fixture.videoWalls.create(fixture.orgUuid, {
    name: 'Control room',
    deviceList: [gate.uuid, `${dock.uuid}.v0`],
  });
});
afterEach(() => fixture.close());

async function newCamera(name: string): Promise<Camera> {
  const camera = sampleCamera(fixture.orgUuid, { name });
  await fixture.store.cameras.save(camera);
  await fixture.directory.settled();
  return camera;
}

const share = (fields: Partial<NewWallShareRequest> = {}) =>
  fixture.wallShares.create(fixture.orgUuid, { wallUuid: wall.uuid, vodEnabled: false, ...fields });

const open = ({ uuid }: Pick<WallShare, 'uuid'>, request: Partial<WallOpeningRequest> = {}) =>
  fixture.wallGate.open({
    wallToken: fixture.wallTokens.tokenOf(uuid),
    password: null,
    address: '192.0.2.1',
    onNear: () => undefined,
    ...request,
  });

async function opened(of: WallShare, request: Partial<WallOpeningRequest> = {}): Promise<OpenedWall> {
  const response = await open(of, request);
  if (!response.allowed) throw new Error(`refused: ${response.reason}`);
  return response;
}

const shownNames = ({ tiles }: OpenedWall) =>
  tiles.map((tile) => `${tile.member.share.name}: ${tile.allowed ? 'shown' : tile.refusal.reason}`);

function openTile({ tiles }: OpenedWall, camera: Camera): OpenTile {
  const tile = tiles.find(({ member }) => member.share.cameraUuid === camera.uuid);
  if (tile?.allowed !== true) throw new Error(`${camera.name} is not shown`);
  return tile;
}

/** A viewer of a tile, and what ends its waiting request. */
function watch(tile: OpenTile): { session: ViewerSession; ends: string[] } {
  const session = fixture.sessions.access(tile.grantText);
  if (!session.allowed) throw new Error(`refused: ${session.reason}`);
  const ends: string[] = [];
  session.waiting.add({ onCutOff: ({ reason }) => void ends.push(reason) });
  return { session, ends };
}

async function newSchedule(startSec: number, stopSec: number) {
  const request = { name: 'Span', oneTimeUse: true, intervals: [{ startSec, stopSec }] };
  return fixture.schedules.createAbsolute(fixture.orgUuid, request);
}

describe('opening a shared video wall', () => {
  it('gives a grant for each camera, in the order of the tiles, which shows that camera without audio', async () => {
    const of = await share();
    const response = await opened(of);
    expect(response.wall.name).toBe('Control room');
    expect(shownNames(response)).toEqual(['Gate: shown', 'Dock: shown']);
    for (const camera of [gate, dock]) {
      const { session } = watch(openTile(response, camera));
      expect(session.cameraUuid).toBe(camera.uuid);
      expect([session.audience, session.wallShareUuid]).toEqual(['silent', of.uuid]);
    }
  });

  it('knows nothing but its own links: neither those of cameras, nor a share’s the other way round', async () => {
    const of = await share();
    const ofCamera = await fixture.shares.create(fixture.orgUuid, { ...fixture.request });
    const unknown = { allowed: false, reason: 'unknown' };
    const wallToken = fixture.tokens.tokenOf(ofCamera.uuid);
    expect(await open(of, { wallToken })).toMatchObject(unknown);
    expect(await open(of, { wallToken: fixture.tokens.tokenOf(of.uuid) })).toMatchObject(unknown);
    expect(fixture.wallGate.isLink(wallToken)).toBe(false);
    const shareToken = fixture.wallTokens.tokenOf(of.uuid);
    expect(fixture.gate.isLink(shareToken)).toBe(false);
    const request = { shareToken, password: null, address: '192.0.2.1', onNear: () => undefined };
    expect(await fixture.gate.open(request)).toMatchObject(unknown);
    expect(await open({ uuid: newRuuid() })).toMatchObject({ reason: 'revoked' });
  });

  it('needs the password, counts guesses, and wakes the cameras while it is typed', async () => {
    const of = await share({ password: PASSWORD });
    let woken = 0;
    const onNear = () => void woken++;
    expect(await open(of, { onNear })).toMatchObject({ reason: 'password-needed' });
    expect(woken).toBe(1);
    for (let guess = 0; guess < ATTEMPTS_PER_MINUTE; guess++) {
      expect(await open(of, { password: `${guess}` })).toMatchObject({ reason: 'password-wrong' });
    }
    expect(await open(of, { password: PASSWORD })).toMatchObject({ reason: 'too-many-attempts' });
    expect((await open(of, { password: PASSWORD, address: '192.0.2.2' })).allowed).toBe(true);
  });

  it('is refused once it has expired, and ends every tile at that instant', async () => {
    const of = await share({ expirationTimeSecs: 60 });
    const { ends } = watch(openTile(await opened(of), gate));
    fixture.clock.advance(60_000);
    expect(ends).toEqual(['expired']);
    expect(await open(of)).toMatchObject({ reason: 'expired' });
  });

  it('is limited per address, like the opening of a share', async () => {
    await fixture.close();
    fixture = await openSharingFixture({ opensPerMinute: 1 });
    gate = await newCamera('Gate');
    wall = await fixture.videoWalls.create(fixture.orgUuid, { name: 'A', deviceList: [gate.uuid] });
    const of = await share();
    const { grantText } = await opened(of);
    expect((await fixture.wallGate.look(grantText, '192.0.2.1')).allowed).toBe(true);
    expect(await open(of)).toMatchObject({ reason: 'too-many-opens' });
    expect(await fixture.wallGate.look(grantText, '192.0.2.1')).toMatchObject({ reason: 'too-many-opens' });
    expect((await open(of, { address: '192.0.2.2' })).allowed).toBe(true);
  });
});

describe('what ends a view of a wall', () => {
  it('is the deletion of its share, of all cameras at once, and of no other share', async () => {
    const [of, other] = [await share(), await share()];
    const response = await opened(of);
    const views = [gate, dock].map((camera) => watch(openTile(response, camera)));
    const kept = watch(openTile(await opened(other), gate));
    await fixture.wallShares.remove(fixture.orgUuid, of.uuid);
    expect(views.map(({ ends }) => ends)).toEqual([['revoked'], ['revoked']]);
    expect(kept.ends).toEqual([]);
    expect(await open(of)).toMatchObject({ reason: 'revoked' });
    expect(fixture.sessions.access(openTile(response, dock).grantText)).toMatchObject({ reason: 'revoked' });
  });

  it('is the deletion of the wall', async () => {
    const of = await share();
    const { ends } = watch(openTile(await opened(of), gate));
    await fixture.videoWalls.remove(fixture.orgUuid, wall.uuid);
    expect(ends).toEqual(['revoked']);
    expect(await fixture.store.wallShares.list(fixture.orgUuid)).toEqual([]);
    expect(await open(of)).toMatchObject({ reason: 'revoked' });
  });

  it('is the removal of a camera from the wall, for that camera alone', async () => {
    const of = await share();
    const response = await opened(of);
    const views = [gate, dock].map((camera) => watch(openTile(response, camera)));
    await fixture.videoWalls.update(fixture.orgUuid, wall.uuid, { deviceList: [dock.uuid] });
    expect(views.map(({ ends }) => ends)).toEqual([['revoked'], []]);
    expect(shownNames(await opened(of))).toEqual(['Dock: shown']);
    await fixture.videoWalls.update(fixture.orgUuid, wall.uuid, { deviceList: [dock.uuid, gate.uuid] });
    expect(shownNames(await opened(of))).toEqual(['Dock: shown', 'Gate: shown']);
  });

  it('is the removal of the camera itself', async () => {
    const of = await share();
    const { ends } = watch(openTile(await opened(of), gate));
    await fixture.store.cameras.remove(fixture.orgUuid, gate.uuid);
    expect(ends).toEqual(['revoked']);
    expect(shownNames(await opened(of))).toEqual(['Dock: shown']);
  });

  it('is an end that the store could not save, until it can', async () => {
    const of = await share();
    const { ends } = watch(openTile(await opened(of), gate));
    const { directory, orgUuid } = fixture;
    const request = { kind: 'link', uuid: of.uuid } as const;
    expect(directory.makeEnd(newRuuid(), request, PRINCIPAL)).toBe('unknown');
    const end = directory.makeEnd(orgUuid, request, PRINCIPAL);
    if (typeof end === 'string') throw new Error(end);
    await directory.putEnd(end);
    expect(ends).toEqual(['revoked']);
    fixture.directory.applied({ kind: 'wallShare', uuid: of.uuid, record: of });
    await fixture.directory.refresh();
    expect(await open(of)).toMatchObject({ reason: 'revoked' });
    await directory.endStored(end);
    expect(await open(of)).toMatchObject({ reason: 'revoked' });
  });
});

describe('schedules of a shared wall', () => {
  it('hide only the camera that they are for, and show it again', async () => {
    const hours = await newSchedule(NOW_SEC - 10, NOW_SEC + 30);
    const deviceSchedules = { [dock.uuid]: { scheduleUuid: hours.uuid, unscheduledMessage: 'Closed.' } };
    const of = await share({ deviceSchedules });
    const response = await opened(of);
    const views = [gate, dock].map((camera) => watch(openTile(response, camera)));
    fixture.clock.advance(30_000);
    expect(views.map(({ ends }) => ends)).toEqual([[], ['hidden-by-schedule']]);
    const later = await opened(of);
    expect(shownNames(later)).toEqual(['Gate: shown', 'Dock: hidden-by-schedule']);
    expect(later.tiles[1]!.member.unscheduledMessage).toBe('Closed.');
    const intervals = [{ startSec: NOW_SEC, stopSec: NOW_SEC + 3_600 }];
    await fixture.schedules.updateAbsolute(fixture.orgUuid, hours.uuid, { intervals });
    expect(shownNames(await opened(of))).toEqual(['Gate: shown', 'Dock: shown']);
  });

  it('count for every camera without one of its own', async () => {
    const never = await newSchedule(1, 2);
    const always = await newSchedule(NOW_SEC - 1, NOW_SEC + 1_000);
    const deviceSchedules = { [`${dock.uuid}.v0`]: { scheduleUuid: always.uuid } };
    const of = await share({ scheduleUuid: never.uuid, deviceSchedules });
    expect(shownNames(await opened(of))).toEqual(['Gate: hidden-by-schedule', 'Dock: shown']);
  });

  it('that hide every camera reveal no more than a hidden share, and say until when', async () => {
    const later = await newSchedule(NOW_SEC + 60, NOW_SEC + 120);
    const soon = await newSchedule(NOW_SEC + 30, NOW_SEC + 120);
    const of = await share({
      scheduleUuid: later.uuid,
      deviceSchedules: { [dock.uuid]: { scheduleUuid: soon.uuid } },
    });
    const untilEpochMs = FIXTURE_EPOCH_MS + 30_000;
    expect(await open(of)).toMatchObject({ reason: 'hidden-by-schedule', untilEpochMs });
  });

  it('that are missing hide the camera', async () => {
    const hours = await newSchedule(NOW_SEC - 10, NOW_SEC + 30);
    const of = await share({ deviceSchedules: { [dock.uuid]: { scheduleUuid: hours.uuid } } });
    fixture.directory.applied({ kind: 'schedule', uuid: hours.uuid, record: null });
    expect(shownNames(await opened(of))).toEqual(['Gate: shown', 'Dock: hidden-by-schedule']);
  });
});

describe('a wall’s own grant', () => {
  it('answers what the wall shows now, with grants that end when it does', async () => {
    const of = await share({ password: PASSWORD });
    const { grantText } = await opened(of, { password: PASSWORD });
    await fixture.videoWalls.update(fixture.orgUuid, wall.uuid, { deviceList: [dock.uuid] });
    const looked = (await fixture.wallGate.look(grantText, '192.0.2.1')) as OpenedWall;
    expect(shownNames(looked)).toEqual(['Dock: shown']);
    const { session } = watch(openTile(looked, dock));
    expect(session.grant.expiresAtSec).toBe(NOW_SEC + GRANT_LIFETIME_MS / 1_000);
    fixture.clock.advance(GRANT_LIFETIME_MS);
    expect(await fixture.wallGate.look(grantText, '192.0.2.1')).toMatchObject({ reason: 'grant-expired' });
  });

  it('opens no media, and a grant for media answers nothing about the wall', async () => {
    const response = await opened(await share());
    expect(fixture.sessions.access(response.grantText)).toMatchObject({ reason: 'revoked' });
    const { grantText } = openTile(response, gate);
    expect(await fixture.wallGate.look(grantText, '192.0.2.1')).toMatchObject({ reason: 'revoked' });
    expect(await fixture.wallGate.look('x'.repeat(64), '192.0.2.1')).toMatchObject({ reason: 'unknown' });
  });
});

describe('the past of a camera on a wall', () => {
  it('is for the wall’s viewers from when the camera was added, while it was shown', async () => {
    const of = await share({ vodEnabled: true });
    fixture.clock.advance(3_600_000);
    const yard = await newCamera('Yard');
    await fixture.videoWalls.update(fixture.orgUuid, wall.uuid, { deviceList: [gate.uuid, yard.uuid] });
    const response = await opened(of);
    const addedAtMs = FIXTURE_EPOCH_MS + 3_600_000;
    const ofYard = openTile(response, yard).member.share.uuid;
    const ofGate = openTile(response, gate).member.share.uuid;
    expect(fixture.gate.wasShown(ofYard, addedAtMs + 1)).toBe(true);
    expect(fixture.gate.wasShown(ofYard, addedAtMs - 60_000)).toBe(false);
    expect(fixture.gate.wasShown(ofGate, addedAtMs - 60_000)).toBe(true);
  });

  it('reaches back as far as the link says, also from before it, until the past ends', async () => {
    const { uuid } = await share({ vodEnabled: true, vodPastSecs: 7_200, vodExpirationTimeSecs: 3_600 });
    const change = (changes: Parameters<typeof fixture.wallShares.update>[2]) =>
      fixture.wallShares.update(fixture.orgUuid, uuid, changes);
    const response = await opened(await change({}));
    const ofGate = openTile(response, gate).member.share.uuid;
    const past = new PastAccess(fixture.directory, fixture.clock);
    const wasShown = (agoSec: number) => {
      const atMs = fixture.clock.epochMs() - agoSec * 1_000;
      return (past.spans({ shareUuid: ofGate }, atMs, atMs + 1) ?? []).length > 0;
    };
    expect([wasShown(6_600), wasShown(8_000)]).toEqual([true, false]);
    await change({ vodPastSecs: 600 });
    expect([wasShown(300), wasShown(6_600)]).toEqual([true, false]);
    fixture.clock.advance(3_600_000);
    expect(wasShown(300)).toBe(false);
    await change({ vodPastSecs: null, vodExpirationTimeSecs: null });
    expect([wasShown(300), wasShown(6_600)]).toEqual([true, false]);
    await change({ vodEnabled: false });
    expect(wasShown(300)).toBe(false);
  });
});
