/** A gateway that encrypts recordings and clips, and uploads them to S3, over a restart: they play from there. */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3Objects } from '../../src/recording/s3-objects.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type TestConfig, TestGateway } from '../support/gateway.ts';
import { fetchOk } from '../support/hls.ts';
import { decodeErrors } from '../support/media-check.ts';
import { TestS3Server } from '../support/s3-server.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'hush-hush-hush' };
const HEADERS = { 'x-auth-scheme': 'api', 'x-auth-apikey': API_KEY };

let s3: TestS3Server;
let objects: S3Objects;
let camera: SyntheticCamera;
let gateway: TestGateway;
let cameraUuid = '';
/** From then on it is recorded. */
let startedSec = 0;

/** `tiers`: where recordings are by their age. */
function configOf(tiers: Record<string, string>): TestConfig {
  return {
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '2s' },
    recording: { fileSize: '4MiB', minFree: '16MiB', encrypt: 'true', tiers },
    s3: { bucket: 'past', endpoint: s3.endpoint, prefix: 'x', ...CREDENTIALS, spoolSize: '64MiB' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  };
}

const uploaded = () => objects.list(`${cameraUuid}/main`);

async function segments(): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  return Number(/sluice_recording_segments_total\{[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
}

/** The init segment, and the segments of the first run. */
async function mediaFrom(startSec: number, durationSec: number): Promise<Buffer[]> {
  const entry = `${gateway.mediaUrl}/media/${cameraUuid}/local/vod/${startSec}/${durationSec}/file.m3u8`;
  const top = await (await fetch(entry, { headers: HEADERS })).text();
  const base = new URL(top.split('\n').find((line) => line !== '' && !line.startsWith('#'))!, entry);
  const playlist = (await fetchOk(base.href)).toString();
  const [run = ''] = playlist.split('#EXT-X-DISCONTINUITY');
  const names = run.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const media: Buffer[] = [];
  for (const name of [/URI="([^"]*)"/.exec(playlist)![1]!, ...names]) {
    media.push(await fetchOk(new URL(name, base).href));
  }
  return media;
}

beforeAll(async () => {
  s3 = await TestS3Server.start();
  await s3.createBucket('past');
  const { endpoint } = s3;
  objects = new S3Objects({
    bucket: 'past',
    region: 'us-east-1',
    endpoint,
    prefix: 'x/',
    // The SDK marks the object that it gets.
    credentials: { ...CREDENTIALS },
  });
  camera = await startCamera(0, { clip: await makeClip(320, 180) });
  gateway = await TestGateway.start(configOf({}));
  cameraUuid = await gateway.cameraUuid('Lobby');
  await until('segments', async () => (await segments()) >= 5);
  const recent = { cameraUuid, startTimeSec: Math.floor(Date.now() / 1_000) - 600, durationSec: 600 };
  const { presenceWindows } = await gateway.call('camera/getPresenceWindows', recent);
  startedSec = presenceWindows.VideoCloud[0].startSeconds;
  await gateway.restart();
  await until('the first file in S3', async () => (await uploaded()).length >= 1);
});

afterAll(async () => {
  objects?.close();
  await gateway?.dispose();
  await camera?.close();
  await s3?.stop();
});

describe('recordings in S3', () => {
  it('play from there, decrypted', async () => {
    const media = await mediaFrom(startedSec, 30);
    expect(media.length).toBeGreaterThan(3);
    expect(await decodeErrors(media)).toBe('');
    const [name] = await uploaded();
    const object = `${cameraUuid}/main/${name}`;
    const stored = await objects.read(object, 0, (await objects.byteLength(object))!);
    expect(stored.length).toBeGreaterThan(media[1]!.length);
    // Our boxes are in the clear, the media is not.
    expect([stored.includes(cameraUuid), stored.includes('mdat'), stored.includes(media[0]!)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('are copied into clips, which are encrypted in S3 as well when they are finished', async () => {
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [cameraUuid],
      startTimeMillis: (startedSec + 1) * 1_000,
      durationSec: 2,
    });
    const folder = `clips/${clipUuid}`;
    const names = async () => (await objects.list(folder)).toSorted();
    await until('the clip in S3', async () => (await names()).length === 2);
    expect(await names()).toEqual([`${cameraUuid}.jpeg`, `${cameraUuid}.mp4`]);
    const spooled = join(gateway.folder, 'data', 'recordings', 'spool', folder, `${cameraUuid}.mp4`);
    await until('room in the spool', () => !existsSync(spooled));
    const url = `${gateway.mediaUrl}/media/metadata/${cameraUuid}/local/${clipUuid}.mp4`;
    await until('the clip', async () => (await fetch(url, { method: 'HEAD', headers: HEADERS })).ok);
    const whole = Buffer.from(await (await fetch(url, { headers: HEADERS })).arrayBuffer());
    expect(await decodeErrors([whole])).toBe('');
    const part = await fetch(url, { headers: { ...HEADERS, range: 'bytes=33-777' } });
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(33, 778));
    const object = `${folder}/${cameraUuid}.mp4`;
    const stored = await objects.read(object, 0, (await objects.byteLength(object))!);
    expect([stored.includes('moov'), stored.includes(whole.subarray(0, 32))]).toEqual([false, false]);
    await gateway.call('event/deleteSavedClip', { savedClipUuid: clipUuid });
    await until('an empty folder', async () => (await names()).length === 0);
    expect((await fetch(url, { headers: HEADERS })).status).toBe(404);
  });

  it('wait on the disk while S3 is down, over a restart, without a credential in the log', async () => {
    const before = (await uploaded()).length;
    s3.cut(true);
    await gateway.restart();
    // What the restart finished.
    await gateway.child.line(/"msg":"recordings not uploaded, trying again"/, 30_000);
    await until('segments', async () => (await segments()) >= 2);
    s3.cut(false);
    await gateway.child.line(/"msg":"recordings uploaded again"/, 60_000);
    expect((await uploaded()).length).toBeGreaterThan(before);
    expect(gateway.child.lines.join('\n')).not.toMatch(/hush|AKIATEST/);
  });

  it('stay on the disk as long as the configuration says, play from there, and move when it says otherwise', async () => {
    await gateway.configure(configOf({ local: '1h' }));
    await gateway.restart();
    const spool = join(gateway.folder, 'data', 'recordings', 'spool', cameraUuid, 'main');
    const marks = join(gateway.folder, 'data', 'recordings', 'spool-marks', cameraUuid, 'main');
    const isAnySealed = async () => {
      const names = new Set(existsSync(spool) ? await readdir(spool) : []);
      return (await readdir(marks)).some((name) => names.has(name));
    };
    await until('segments', async () => (await segments()) >= 2);
    const fromSec = Math.floor(Date.now() / 1_000);
    await until('segments', async () => (await segments()) >= 5);
    const before = await uploaded();
    await gateway.restart();
    await until('a sealed file on the disk', isAnySealed);
    const media = await mediaFrom(fromSec, 3);
    expect(media.length).toBeGreaterThan(1);
    expect(await decodeErrors(media)).toBe('');
    const [kept] = (await readdir(spool)).filter((name) => !before.includes(name));
    expect(await uploaded()).toEqual(before);
    await gateway.configure(configOf({}));
    await gateway.restart();
    await until('the file in S3', async () => (await uploaded()).includes(kept!));
  });
});
