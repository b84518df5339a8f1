/** Every media route of a key with the role viewer, for a camera whose masks are for viewers: none reaches the camera or what it recorded. */

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { FakePastMedia } from '../../playback/fake-past-media.ts';
import { type DeviceDoor, openDeviceDoor } from '../device-door-fixture.ts';
import { FakeLiveCameras } from '../fake-live-camera.ts';

const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
const MASKS = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];
const NAMES = ['file.m3u8', 'seg_init.mp4', 'seg_0.m4v', 'seg_1.m4v'];
/** Recorded segments as FakePastMedia has them, whole or the video of them. */
const RECORDED_VIDEO = /(?<!track 2 of )file-0@/;

let device: DeviceDoor;
let startedMs: number;
/** Routes that sent recorded video. */
const sent = new Set<string>();

beforeAll(async () => {
  const pastMedia = new FakePastMedia();
  device = await openDeviceDoor({
    pastMedia,
    hasSubStream: true,
    opensPerMinute: 100_000,
    poster: Promise.resolve(Buffer.from('image')),
  });
  const { door, key } = device;
  const { store, clock, devices } = door.sharing;
  const viewer = { ...key, role: 'viewer' } as const;
  await store.apiKeys.save(viewer);
  devices.applied({ kind: 'key', uuid: key.uuid, record: viewer });
  startedMs = clock.epochMs();
  pastMedia.recordRun(startedMs - 60_000, 15);
  door.camera.start().publishSegments(2);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => device.door.close());

/** Requests that wait for video end when their time is over. */
async function responseTo(url: string): Promise<{ readonly statusCode: number; readonly payload: string }> {
  const { door, byKey } = device;
  let isWaiting = true;
  const cut = () => ({ statusCode: 0, payload: '' });
  const waiting = door
    .get(url, byKey)
    .catch(cut)
    .finally(() => {
      isWaiting = false;
    });
  while (isWaiting) {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    if (isWaiting) door.sharing.clock.advance(5_000);
  }
  return waiting;
}

/** Each GET route for a key or a grant, with the number of those that sent something. */
async function visitAll(): Promise<number> {
  const { door, folder } = device;
  const rules = ['credentials', 'grant', 'link-or-grant'];
  const routes = door.app.declaredRoutes.filter(
    ({ access, method }) => method === 'GET' && rules.includes(access),
  );
  expect(routes.length).toBeGreaterThan(40);
  let served = 0;
  for (const { path } of routes) {
    const led = await door.get(`${folder}/file.m3u8`, device.byKey);
    const grant = /live\/([\w-]{82})\//.exec(led.payload)?.[1] ?? '';
    // A route without a name in its path has one file.
    for (const name of path.endsWith('/:name') || path.endsWith('*') ? NAMES : NAMES.slice(0, 1)) {
      const values: Readonly<Record<string, string>> = {
        device: door.sharing.camera.uuid,
        region: 'local',
        grant,
        name,
        start: String(Math.floor(startedMs / 1_000) - 60),
        duration: '30',
      };
      const url = path.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, key: string) => values[key] ?? name);
      const { statusCode, payload } = await responseTo(url.replace('*', name));
      if (statusCode === 200) served++;
      if (RECORDED_VIDEO.test(payload)) sent.add(path);
    }
  }
  return served;
}

it('reaches the camera and its recordings without masks, and neither with them', async () => {
  const { store, devices, directory, orgUuid, camera } = device.door.sharing;
  expect(await visitAll()).toBeGreaterThan(20);
  expect(sent.size).toBeGreaterThan(3);
  const record = { orgUuid, masks: MASKS, masksForViewers: true };
  await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, ...record }));
  await directory.applied({ kind: 'masks', uuid: camera.uuid, record });
  devices.applied({ kind: 'masks', uuid: camera.uuid, record });
  sent.clear();
  const found = vi.spyOn(FakeLiveCameras.prototype, 'get');
  await visitAll();
  expect(found.mock.calls.length).toBeGreaterThan(10);
  expect(found.mock.calls.filter(([cameraUuid]) => cameraUuid === camera.uuid)).toEqual([]);
  expect([...sent]).toEqual([]);
});
