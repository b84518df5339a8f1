import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GRANT_LIFETIME_MS } from '../../sharing/sharing-fixture.ts';
import type { WallShare } from '../../store/entities.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture({ hasSubStream: true });
});
afterEach(() => door.close());

async function share(fields: object = {}): Promise<WallShare> {
  const { videoWalls, wallShares, orgUuid, camera } = door.sharing;
  const wall = await videoWalls.create(orgUuid, { name: 'Control room', deviceList: [camera.uuid] });
  return wallShares.create(orgUuid, { wallUuid: wall.uuid, vodEnabled: false, ...fields });
}

const token = (of: WallShare) => door.sharing.wallTokens.tokenOf(of.uuid);

const open = (of: WallShare, payload: object = {}) =>
  door.inject({ method: 'POST', url: `/wall/${token(of)}/open`, payload });

/** A path in a response without the front door's own. */
const inner = (path: string) => path.slice('/video'.length);

describe('a shared video wall', () => {
  it('has a page that is the same for every wall, and 404 under a link that is not a wall’s', async () => {
    const of = await share();
    const page = await door.get(`/wall/${token(of)}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toContain('Control room');
    const ofCamera = await door.share();
    for (const other of [door.shareToken(ofCamera), 'x', `${token(of)}A`]) {
      const response = await door.get(`/wall/${other}`);
      expect([response.statusCode, response.body]).toEqual([404, page.body]);
    }
    expect((await door.get(`/share/${token(of)}`)).statusCode).toBe(404);
    expect((await door.get(`/live/${token(of)}/file.m3u8`)).statusCode).toBe(404);
  });

  it('opens its cameras: grants that play, without audio', async () => {
    const response = await open(await share());
    expect(response.statusCode).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const body = response.json();
    const grant = expect.stringMatching(/^\/video\/live\/[\w-]{64}\/index\.m3u8$/);
    expect(body).toMatchObject({
      status: 'open',
      name: 'Control room',
      expiresAtSec: null,
      serverTimeMs: door.sharing.clock.epochMs(),
      grantsExpireAtSec: (door.sharing.clock.epochMs() + GRANT_LIFETIME_MS) / 1_000,
      cameras: [{ name: door.sharing.camera.name, playlistUrl: grant }],
    });
    const path = inner(body.cameras[0].playlistUrl).replace('index.m3u8', '');
    expect((await door.get(`${path}status`)).json()).toMatchObject({ access: { allowed: true } });
    const session = door.sharing.sessions.access(path.split('/')[2]!);
    expect(session).toMatchObject({ audience: 'silent', cameraUuid: door.sharing.camera.uuid });
    await door.sharing.videoWalls.update(door.sharing.orgUuid, await wallUuid(), { deviceList: [] });
    const status = await door.get(`${path}status`);
    expect([status.statusCode, status.json().reason]).toEqual([403, 'revoked']);
  });

  it('has the layout of its wall, with places of its own cameras', async () => {
    const of = await share();
    const { orgUuid, camera, videoWalls } = door.sharing;
    const first = (await open(of)).json();
    expect(first.layout).toEqual({ kind: 'AUTOMATIC', tourSec: 0, cells: [] });
    const cell = { x: 0, y: 0, width: 8, height: 6 };
    const cells = [{ cameraUuid: camera.uuid, ...cell }];
    await videoWalls.update(orgUuid, await wallUuid(), { layout: { kind: 'FREE', cells, tourSec: 30 } });
    const { layout, cameras } = (await door.get(inner(first.camerasUrl))).json();
    expect(layout).toEqual({ kind: 'FREE', tourSec: 30, cells: [{ id: cameras[0].id, ...cell }] });
    expect(JSON.stringify(layout)).not.toContain(camera.uuid);
  });

  it('answers what it shows now, by its own grant', async () => {
    const of = await share();
    const { camerasUrl } = (await open(of)).json();
    const first = (await door.get(inner(camerasUrl))).json();
    expect(first).toMatchObject({ name: 'Control room', camerasUrl });
    expect(first.cameras).toHaveLength(1);
    await door.sharing.wallShares.remove(door.sharing.orgUuid, of.uuid);
    const refused = await door.get(inner(camerasUrl));
    expect([refused.statusCode, refused.json().reason]).toEqual([403, 'revoked']);
    expect((await door.get('/wall/nothing/cameras')).statusCode).toBe(404);
  });

  it('asks for its password, and says why it is refused', async () => {
    const of = await share({ password: 'Correct horse' });
    const requested = await open(of);
    expect([requested.statusCode, requested.json()]).toEqual([
      401,
      expect.objectContaining({ reason: 'password-needed', passwordRequired: true }),
    ]);
    expect(requested.body).not.toContain('Control room');
    expect((await open(of, { password: 'wrong' })).json().reason).toBe('password-wrong');
    expect((await open(of, { password: 'Correct horse' })).statusCode).toBe(200);
    expect((await open(of, { password: 7 })).statusCode).toBe(400);
  });

  it('says of a hidden camera until when, and gives it no grant', async () => {
    const { schedules, orgUuid, clock, camera, store, videoWalls, wallShares } = door.sharing;
    const nowSec = clock.epochMs() / 1_000;
    const { uuid: scheduleUuid } = await schedules.createAbsolute(orgUuid, {
      name: 'Later',
      oneTimeUse: true,
      intervals: [{ startSec: nowSec + 60, stopSec: nowSec + 90 }],
    });
    const other = sampleCamera(orgUuid, { name: 'Yard' });
    await store.cameras.save(other);
    const deviceList = [camera.uuid, other.uuid];
    const wall = await videoWalls.create(orgUuid, { name: 'Two', deviceList });
    const of = await wallShares.create(orgUuid, {
      wallUuid: wall.uuid,
      vodEnabled: false,
      deviceSchedules: { [other.uuid]: { scheduleUuid, unscheduledMessage: 'Off shift.' } },
    });
    const { cameras } = (await open(of)).json();
    expect(cameras[1]).toEqual({
      id: expect.any(String),
      name: 'Yard',
      reason: 'hidden-by-schedule',
      until: (nowSec + 60) * 1_000,
      message: 'Off shift.',
    });
  });
});

async function wallUuid() {
  const [wall] = await door.sharing.store.videoWalls.list(door.sharing.orgUuid);
  return wall!.uuid;
}
