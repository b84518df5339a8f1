/** A node that has lost touch with the owner of a camera sends viewers elsewhere, whatever they request. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

const NAMES = [
  'file.m3u8',
  'stream.m3u8',
  'index.m3u8',
  'file.m3u8?_HLS_msn=0&_HLS_part=1',
  'file.m3u8?_HLS_msn=99',
  'seg_0.0.m4v',
  'seg_0.m4v',
  'seg_99.0.m4v',
  'seg_99.m4v',
  'seg_0.99.m4v',
  'seg_init.mp4',
  'file.mpd',
  'video/seg_0.m4v',
  'audio/seg_99.m4a',
  'poster.jpg',
  'snapshot.jpeg',
  'ws',
];

it('answers 503 with Retry-After for playlists, media, manifests, stills and WebSockets, and counts as interest', async () => {
  door.camera.isClustered = true;
  door.camera.start();
  door.camera.fake('main').publishSegments(2);
  const folder = await door.openShare(await door.share());
  const served = await Promise.all(['file.m3u8', 'seg_0.m4v'].map((name) => door.get(folder + name)));
  expect(served.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  door.camera.isCutOff = true;
  const cdn = `/cdn/${door.camera.uuid}/main/signed/`;
  const paths = [...NAMES.map((name) => folder + name), `${cdn}seg_0.m4v`, `${cdn}seg_99.0.m4v`];
  door.camera.touches.length = 0;
  const outcomes = [];
  for (const path of paths) {
    const { statusCode, headers } = await door.get(path);
    outcomes.push([path, statusCode, headers['retry-after']]);
  }
  expect(outcomes).toEqual(paths.map((path) => [path, 503, '1']));
  expect(door.camera.touches).toContain('sound');
  door.camera.isCutOff = false;
  expect((await door.get(`${folder}file.m3u8`)).statusCode).toBe(200);
});
