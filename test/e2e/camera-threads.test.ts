/** Camera threads in a whole gateway: what becomes of cameras and viewers when one of them fails or hangs. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { INSPECTED, runInThread } from '../support/gateway-threads.ts';
import { fetchOk, fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const NAMES = ['Lobby', 'Yard', 'Gate', 'Roof'];
const THREADS = 2;
const PICTURE = { widthPx: 320, heightPx: 180 };
const DISCONTINUITY = /^#EXT-X-DISCONTINUITY$/gm;

interface Watched {
  readonly name: string;
  readonly cameraUuid: string;
  readonly playlistUrl: string;
  readonly viewer: TestViewer;
}

let clip: Clip;
let camera: SyntheticCamera;
let gateway: TestGateway;
let watched: Watched[];

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx);
  camera = await startCamera(0, { clip });
  gateway = await TestGateway.start(
    {
      threads: { cameras: THREADS },
      hls: { segmentTarget: '1s', partTarget: '200ms', window: '60s', idleStop: '5m' },
      cameras: NAMES.map((name) => ({ name, rtsp: camera.url, recording: 'always' })),
    },
    { nodeArgs: INSPECTED },
  );
  watched = [];
  for (const name of NAMES) {
    const share = await gateway.share(name);
    const playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    await fetchOk(playlistUrl);
    const viewer = new TestViewer(playlistUrl, { isPatient: true });
    watched.push({ name, cameraUuid: share.cameraUuid, playlistUrl, viewer });
  }
  await until('parts', () => watched.every(({ viewer }) => viewer.parts >= 10));
});
afterAll(async () => {
  await Promise.all((watched ?? []).map(({ viewer }) => viewer.stop()));
  await gateway?.dispose();
  await camera?.close();
});

/** How often the camera went offline because its thread ended. */
function failuresOf({ cameraUuid }: Watched): number {
  return gateway.child.lines
    .filter((line) => line.includes('"camera offline"') && line.includes(cameraUuid))
    .filter((line) => (JSON.parse(line) as Json).err.code === 'CAMERA_THREAD_FAILED').length;
}

async function breaksOf({ playlistUrl }: Watched): Promise<number> {
  const { text } = await fetchPlaylist(playlistUrl);
  return text.match(DISCONTINUITY)?.length ?? 0;
}

/** Resolves once the camera has a part behind one more discontinuity. */
async function untilBack(one: Watched, breaks: number): Promise<void> {
  await until(`${one.name}, back`, async () => {
    const { text } = await fetchPlaylist(one.playlistUrl);
    const afterBreak = text.split(DISCONTINUITY)[breaks + 1];
    const part = /^#EXT-X-PART:.*URI="([^"]+)"/m.exec(afterBreak ?? '')?.[1];
    if (part === undefined) return false;
    return (await fetchOk(new URL(part, one.playlistUrl).href)).length > 0;
  });
}

/** Frames that do not follow the one before, in what the playlist lists between its discontinuities. */
async function lostFrames({ playlistUrl }: Watched): Promise<number[]> {
  const lost: number[] = [];
  for (const { media } of await fetchRuns(playlistUrl)) {
    const numbers = await decodedFrameNumbers(media, PICTURE);
    expect(numbers).not.toContain(null);
    for (let i = 1; i < numbers.length; i++) {
      if (numbers[i] !== (numbers[i - 1]! + 1) % clip.pictures.length) lost.push(numbers[i]!);
    }
  }
  return lost;
}

/** Runs `code` in a camera thread; its cameras return, and the others lose nothing. */
async function harm(thread: number, code: string): Promise<void> {
  const breaks = await Promise.all(watched.map(breaksOf));
  const failures = watched.map(failuresOf);
  const shown = watched.map(({ viewer }) => ({ ...viewer }));
  await runInThread(gateway, `sluice-cameras-${thread}`, code);
  const hit = (index: number): boolean => failuresOf(watched[index]!) > failures[index]!;
  const indexes = await until('its end', () => {
    const found = watched.keys().filter(hit).toArray();
    return found.length === NAMES.length / THREADS ? found : null;
  });
  await Promise.all(indexes.map((index) => untilBack(watched[index]!, breaks[index]!)));
  // Everyone plays on, behind a discontinuity if the camera's thread ended.
  await until('viewers, playing', () =>
    watched.every(({ viewer }, index) => viewer.parts >= shown[index]!.parts + 15),
  );
  for (const [index, one] of watched.entries()) {
    const isHit = indexes.includes(index);
    expect(one.viewer.failures).toEqual([]);
    expect(one.viewer.discontinuities - shown[index]!.discontinuities).toBe(isHit ? 1 : 0);
    expect(await breaksOf(one)).toBe(breaks[index]! + (isHit ? 1 : 0));
    expect(await lostFrames(one)).toEqual([]);
    if (!isHit) expect(one.viewer.refusals).toBe(shown[index]!.refusals);
  }
}

async function metric(name: string): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

it('a defect ends one thread: its cameras have new parts, and the others lose no frame', async () => {
  await harm(1, "setImmediate(() => { throw new Error('defect') })");
  expect(await metric('sluice_camera_threads_starts_total')).toBe(THREADS + 1);
});

it('a thread that hangs is ended and replaced, and the others lose no frame', async () => {
  await harm(2, 'setImmediate(() => { for (;;); })');
  expect(await metric('sluice_camera_threads_starts_total')).toBe(THREADS + 2);
});
