/** ffmpeg workers as processes: replaced when they fail, never more than allowed, gone when the gateway is. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { argumentsOf, helpersOf, isAlive, workersOf } from '../support/processes.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;
let lobby: TestShare;
let yard: TestShare;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '4s' },
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '2s' },
    ffmpeg: { maxWorkers: 1, queueTimeout: '500ms' },
    cameras: ['Lobby', 'Yard'].map((name) => ({ name, rtsp: camera.url, engine: 'ffmpeg' })),
  });
  lobby = await gateway.share('Lobby');
  yard = await gateway.share('Yard');
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

const workers = (): number[] => workersOf(gateway.child.process.pid!);

/** The gateway's log lines with this message. */
function logged(message: string): Json[] {
  const lines = gateway.child.lines.filter((line) => line.includes(`"msg":"${message}"`));
  return lines.map((line) => JSON.parse(line));
}

/** The share's playlist once the worker after `discontinuities` earlier ones has put video into it. */
async function played(share: TestShare, discontinuities = 0) {
  const playlistUrl = await until('the camera to play', () => openShare(share.m3u8Url));
  return until('pictures', async () => {
    const playlist = await fetchPlaylist(playlistUrl);
    const seams = playlist.segments.filter((segment) => segment.discontinuity).length;
    const isThere = playlist.discontinuitySequence + seams >= discontinuities;
    return isThere && playlist.segments.length > 0 ? playlist : null;
  });
}

it.each([
  ['is killed', 'SIGKILL', { code: 'FFMPEG_KILLED', signal: 'SIGKILL' }],
  ['goes silent', 'SIGSTOP', { kind: 'timeout' }],
] as const)('a worker that %s is replaced, and viewers play on', async (_title, signal, reason) => {
  const before = await played(lobby);
  const [pid] = workers();
  const outages = logged('camera offline').length;
  const openings = logged('stream opened').length;
  process.kill(pid!, signal);
  const outage = await until('the loss', async () => {
    await fetchPlaylist(before.url);
    return logged('camera offline')[outages];
  });
  expect(outage.err).toMatchObject(reason);
  const opened = await until('another worker', async () => {
    await fetchPlaylist(before.url).catch(() => null); // 503 in the meantime is correct
    return logged('stream opened')[openings];
  });
  expect(opened).toMatchObject({ name: 'Lobby', engine: 'ffmpeg' });
  expect(opened.pid).not.toBe(pid);
  expect(workers()).toEqual([opened.pid]);
  expect(isAlive(pid!)).toBe(false);
  const after = await played(lobby, before.discontinuitySequence + 1);
  expect(after.mediaSequence).toBeGreaterThanOrEqual(before.mediaSequence);
});

it('a camera beyond maxWorkers is 503 and busy, and plays once a worker is free', async () => {
  const held = await played(lobby);
  const refused = await until('a refusal', async () => {
    await fetchPlaylist(held.url);
    const response = await fetch(yard.m3u8Url);
    return response.status === 503 ? response : null;
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refused.json()).toMatchObject({
    error: true,
    reason: 'busy',
    errorMsg: 'The gateway currently has no capacity for this camera.',
  });
  expect(logged('camera offline').at(-1)?.err).toMatchObject({ code: 'FFMPEG_POOL_FULL', maxWorkers: 1 });
  expect(workers()).toHaveLength(1);
  // No one requests the first camera any more: it is closed, and its worker is free for the second.
  await played(yard);
  expect(workers()).toHaveLength(1);
});

it('a spawner that is killed takes its workers along, and another one starts the next', async () => {
  const before = await played(yard);
  const [pid] = workers();
  const [spawner] = helpersOf(gateway.child.process.pid!, 'sluice-jail').filter((one) =>
    argumentsOf(one).includes('--spawner'),
  );
  process.kill(spawner!, 'SIGKILL');
  await until('the worker to be gone', () => !isAlive(pid!));
  expect((await until('the loss', () => logged('ffmpeg spawner ended')[0])).workers).toBeGreaterThan(0);
  await played(yard, before.discontinuitySequence + 1);
  expect(workers()).toHaveLength(1);
});

it.each(['SIGTERM', 'SIGKILL'] as const)('no worker outlives a gateway ended by %s', async (signal) => {
  await played(yard);
  expect(workers()).toHaveLength(1);
  const pids = helpersOf(gateway.child.process.pid!, 'ffmpeg');
  await gateway.end(signal);
  await until('the workers to be gone', () => !pids.some(isAlive));
  await until('the camera to be left alone', () => camera.connectedClients() === 0);
  if (signal === 'SIGTERM') await gateway.run();
});
