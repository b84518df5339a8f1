/**
 * Cameras whose audio is not AAC: without a worker where browsers play it as FLAC; with `audio: aac`, one process has the
 * sound of all, and the video never waits for it; and picture and sound stay in sync.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare, type TestPlaylist } from '../support/hls.ts';
import { helpersOf, workersOf } from '../support/processes.ts';
import { soundBehindPictureMs } from '../support/sound-sync.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CAMERAS = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'];
const PLAIN = ['Plain one', 'Plain two', 'Plain three'];
const MAX_WORKERS = 1;
const MAX_OFF_MS = 80;

let camera: SyntheticCamera;
let guarded: SyntheticCamera;
let single: SyntheticCamera;
let encoded: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera(0, { isPcmu: true });
  const credentials = {
    username: 'viewer',
    password: new Secret('open-sesame-42'),
    algorithm: 'SHA-256',
  } as const;
  guarded = await startCamera(0, { isPcmu: true, credentials });
  single = await startCamera(0, { isPcmu: true, maxClients: 1 });
  encoded = await startCamera(0, { isPcmu: true });
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', idleStop: '5m' },
    ffmpeg: { maxWorkers: MAX_WORKERS, queueTimeout: '2s' },
    cameras: [
      ...CAMERAS.map((name) => ({ name, rtsp: camera.url, audio: 'aac' })),
      ...PLAIN.map((name) => ({ name, rtsp: camera.url })),
      { name: 'Mute', rtsp: camera.url, audio: 'off' },
      { name: 'Guarded', rtsp: guarded.url.replace('rtsp://', 'rtsp://viewer:open-sesame-42@') },
      { name: 'Single', rtsp: single.url },
      { name: 'As AAC', rtsp: encoded.url, audio: 'aac' },
      { name: 'Pulled', rtsp: camera.url, engine: 'ffmpeg' },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([camera, guarded, single, encoded].map((each) => each?.close()));
});

const workers = (): number[] => workersOf(gateway.child.process.pid!);
const soundServers = (): number[] => helpersOf(gateway.child.process.pid!, 'sound-server');

function logged(name: string, message: RegExp): Json[] {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line)).filter((line) => line.name === name && message.test(line.msg));
}

/** The state of the camera's audio according to the log. */
const soundOf = (uuid: string): string | undefined => {
  const lines = gateway.child.lines.filter((line) => line.startsWith('{') && line.includes('"camera audio '));
  const own = lines.map((line) => JSON.parse(line)).filter((line) => line.camera === uuid);
  return own.at(-1)?.msg;
};

async function soundByApi({ uuid }: { uuid: string }): Promise<string> {
  const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid: uuid });
  return fullCameraState.onCameraState.v0.sound;
}

async function pictures(name: string): Promise<{ uuid: string; url: string }> {
  const share = await gateway.share(name);
  const url = await openShare(share.m3u8Url);
  return { uuid: share.cameraUuid, url };
}

/** The init segment and the newest `count` segments. */
async function download(playlist: TestPlaylist, count: number): Promise<Buffer> {
  const whole = playlist.segments.slice(-count);
  const parts = [await fetchOk(new URL(whole[0]!.map.uri, playlist.url).href)];
  for (const { uri } of whole) parts.push(await fetchOk(new URL(uri, playlist.url).href));
  return Buffer.concat(parts);
}

describe('cameras with G.711', () => {
  it('are all heard, without a worker', async () => {
    const opened = await Promise.all(PLAIN.map((name) => pictures(name)));
    for (const [index, { uuid, url }] of opened.entries()) {
      await until('sound', () => soundOf(uuid) === 'camera audio live');
      const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid: uuid });
      expect(fullCameraState.onCameraState.v0.sound).toBe('live');
      const [opening] = logged(PLAIN[index]!, /^stream opened$/);
      expect(opening?.codecs).toEqual([expect.stringMatching(/^avc1/), 'fLaC']);
      expect((await fetchPlaylist(url)).segments.length).toBeGreaterThan(0);
    }
    expect(workers()).toEqual([]);
  });

  it('are silent where the configuration says so, and nothing is set up for their sound', async () => {
    const { uuid, url } = await pictures('Mute');
    const { segments, url: playlistUrl } = await fetchPlaylist(url);
    const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid: uuid });
    expect(fullCameraState.onCameraState.v0.sound).toBe('none');
    const init = await fetchOk(new URL(segments[0]!.map.uri, playlistUrl).href);
    expect([init.includes('avcC'), init.includes('soun')]).toEqual([true, false]);
    expect(workers()).toEqual([]);
  });

  it('seven that are to be heard as AAC share one process, and are heard again after its end', async () => {
    const opened = await Promise.all(CAMERAS.map((name) => pictures(name)));
    for (const { url } of opened) await fetchPlaylist(url);
    for (const name of CAMERAS) {
      const [opening, ...more] = logged(name, /^stream opened$/);
      expect([opening?.engine, opening?.codecs, more]).toEqual([
        'direct',
        [expect.stringMatching(/^avc1/), 'mp4a.40.2'],
        [],
      ]);
    }
    await until('all with sound', () => opened.every(({ uuid }) => soundOf(uuid) === 'camera audio live'));
    expect([soundServers().length, workers()]).toEqual([1, []]);
    const [killed] = soundServers();
    process.kill(killed!, 'SIGKILL');
    await until('another process', () => soundServers().some((pid) => pid !== killed));
    const { uri } = (await fetchPlaylist(opened[0]!.url)).segments.at(-1)!;
    // Longer than a camera counts as live without a sound.
    await until('six more segments', async () => {
      const { segments } = await fetchPlaylist(opened[0]!.url);
      return segments.findIndex((segment) => segment.uri === uri) < segments.length - 6;
    });
    const told = (): Promise<string[]> => Promise.all(opened.map(soundByApi));
    await until('all with sound again', async () => (await told()).every((state) => state === 'live'));
    expect(soundServers()).toHaveLength(1);
    // The process took no video with it.
    expect(camera.connectedClients()).toBe(CAMERAS.length + PLAIN.length + 1);
    expect(gateway.child.lines.filter((line) => line.includes('camera offline'))).toEqual([]);
  });

  it('give the place of their process to a camera that cannot do without a worker', async () => {
    const opened = await Promise.all(CAMERAS.map((name) => pictures(name)));
    const { url } = await until('pictures of the pulled camera', () => pictures('Pulled'));
    expect((await fetchPlaylist(url)).segments.length).toBeGreaterThan(0);
    await until('all to say so', () =>
      opened.every(({ uuid }) => soundOf(uuid) === 'camera audio waiting for a worker'),
    );
    expect([soundServers(), workers().length]).toEqual([[], MAX_WORKERS]);
    for (const { url: silentUrl } of opened) {
      expect((await fetchPlaylist(silentUrl)).segments.length).toBeGreaterThan(0);
    }
  });

  it.each<[string, () => SyntheticCamera]>([
    ['Guarded', () => guarded],
    ['Single', () => single],
    ['As AAC', () => encoded],
  ])('a login that a worker cannot have is had once, and heard in sync: %s', async (name, cameraOf) => {
    await gateway.restart();
    const { uuid, url } = await pictures(name);
    await until('sound', () => soundOf(uuid) === 'camera audio live');
    const media = await until('segments with sound', async () => {
      const playlist = await fetchPlaylist(url);
      return playlist.segments.length >= 6 ? await download(playlist, 4) : null;
    });
    expect(cameraOf().connectedClients()).toBe(1);
    const behindMs = await soundBehindPictureMs(media);
    expect(workers()).toEqual([]);
    expect(behindMs.length).toBeGreaterThanOrEqual(2);
    process.stdout.write(`${name}: sound behind picture by ${behindMs.map(Math.round).join(', ')} ms\n`);
    for (const each of behindMs) expect(Math.abs(each)).toBeLessThan(MAX_OFF_MS);
  });
});
