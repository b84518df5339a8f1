/** Every route of links and grants, for a camera with privacy masks: none reaches the camera itself or sends what it recorded. */

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import { FakePastMedia } from '../playback/fake-past-media.ts';
import { sheetName } from '../playback/thumbnail-size.ts';
import { FIXTURE_EPOCH_MS } from '../sharing/sharing-fixture.ts';
import type { Share } from '../store/entities.ts';
import { maskedCameraUuid } from '../store/privacy-mask.ts';
import { FakeLiveCameras } from './fake-live-camera.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from './front-door-fixture.ts';

const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
const MASKS = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];
/** Recorded a minute before the test. */
const SHEET_NAME = sheetName(FIXTURE_EPOCH_MS - 60_000, 1);
/** Files of all routes, live and recorded. */
const NAMES = [
  'file.m3u8',
  'seg_init.mp4',
  'seg_0.m4v',
  'seg_1.m4v',
  'seg_0.0.m4v',
  'seg_0.mp4',
  'stream.m3u8',
  'file.mpd',
  SHEET_NAME,
];

/** Of the grant of one request; some wait until it ends. */
const LIFETIME_SEC = 300;

/** Recorded segments as FakePastMedia has them, whole or the video of them. */
const RECORDED_VIDEO = /(?<!track 2 of (?:c\/sub\/)?)file-0@/;

/** Routes that sent recorded video. */
const sent = new Set<string>();
let startedMs = 0;
let door: FrontDoorFixture;
let share: Share;
let wasServed: Map<string, number>;

function setMasks(masks: typeof MASKS): Promise<void> {
  const { store, directory, orgUuid, camera } = door.sharing;
  return store.cameras
    .change(orgUuid, camera.uuid, (known) => ({ ...known!, masks }))
    .then(() =>
      directory.applied({
        kind: 'masks',
        uuid: camera.uuid,
        record: { orgUuid, masks, masksForViewers: false },
      }),
    );
}

/** Requests that wait for video end when their time is over. */
async function responseTo(url: string): Promise<{ readonly statusCode: number; readonly payload: string }> {
  let isWaiting = true;
  // A segment that was cut short is a reset.
  const cut = () => ({ statusCode: 0, payload: '' });
  const waiting = door
    .get(url)
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

/** Each GET route whose credential is a link or a grant, with the status of each name. */
async function visitAll(): Promise<Map<string, number>> {
  const token = door.shareToken(share);
  const rules = ['share-link', 'grant', 'link-or-grant', 'shared-path'];
  const routes = door.app.declaredRoutes.filter(
    ({ access, method }) => method === 'GET' && rules.includes(access),
  );
  expect(routes.length).toBeGreaterThan(25);
  const statuses = new Map<string, number>();
  for (const { path } of routes) {
    for (const name of NAMES) {
      const { grants, clock } = door.sharing;
      const endsAtSec = Math.floor(clock.epochMs() / 1_000) + LIFETIME_SEC;
      const grant = grants.issue(share.uuid, share.accessEpoch, endsAtSec);
      for (const credential of [grant, token]) {
        const values: Readonly<Record<string, string>> = {
          grant: credential,
          token: credential,
          name,
          start: String(Math.floor(startedMs / 1_000) - 60),
          duration: '30',
          camera: maskedCameraUuid(door.sharing.camera.uuid, MASKS),
        };
        const url = path.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, key: string) => values[key] ?? name);
        const { statusCode, payload } = await responseTo(url.replace('*', name));
        if (RECORDED_VIDEO.test(payload)) sent.add(path);
        statuses.set(`${path} ${name} ${credential === grant ? 'grant' : 'link'}`, statusCode);
      }
    }
  }
  return statuses;
}

beforeAll(async () => {
  const pastMedia = new FakePastMedia();
  door = await openFrontDoorFixture({
    pastMedia,
    thumbnails: () => new Map([[10_000, Buffer.from('thumbnail of file-0@10000')]]),
    hasSubStream: true,
    opensPerMinute: 100_000,
    poster: Promise.resolve(Buffer.from('image')),
  });
  share = await door.share({ vodEnabled: true, vodPastSecs: 86_400 });
  door.camera.start().publishSegments(2);
  startedMs = door.sharing.clock.epochMs();
  pastMedia.recordRun(startedMs - 60_000, 15);
  pastMedia.sub = new FakePastMedia(FAKE_VIDEO, true, 'c/sub/');
  pastMedia.sub.recordRun(startedMs - 60_000, 15);
  wasServed = await visitAll();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => door.close());

it('serves live video and stills without masks', () => {
  const served = [...wasServed].filter(([, status]) => status === 200).map(([route]) => route);
  expect(served).toEqual(
    expect.arrayContaining([
      '/live/:grant/:name seg_0.m4v grant',
      '/live/:grant/file.m3u8 file.m3u8 link',
      '/live/:grant/poster.jpg file.m3u8 link',
    ]),
  );
  expect(sent.size).toBeGreaterThan(3);
  expect([...sent]).toContain('/live/:grant/vod/:start/:duration/thumbnails/:name');
  expect([...sent].filter((path) => path.includes('/sub/'))).not.toEqual([]);
});

it('neither reaches the camera nor sends its recorded video with masks, at any route', async () => {
  const found = vi.spyOn(FakeLiveCameras.prototype, 'get');
  await setMasks(MASKS);
  sent.clear();
  const statuses = await visitAll();
  const { uuid } = door.sharing.camera;
  expect(found.mock.calls.length).toBeGreaterThan(10);
  expect(found.mock.calls.filter(([cameraUuid]) => cameraUuid === uuid)).toEqual([]);
  expect([...sent]).toEqual([]);
  // The grant itself is still good.
  expect(statuses.get('/live/:grant/stream.m3u8 stream.m3u8 grant')).toBe(503);
  const served = [...statuses].filter(([route, status]) => status === 200 && wasServed.get(route) === 200);
  // What it reports about the camera is that it is offline. Of the past, there are lists and audio; no encoder makes video.
  const others = served.filter(([route]) => !/m3u8|hours.json|windows.json|status |[/]audio[/]/.test(route));
  expect(others).toEqual([]);
});
