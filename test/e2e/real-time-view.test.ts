/** Access units over WebSocket, from a camera through a whole gateway, judged by ffprobe. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  askUpgrade,
  PictureClient,
  type ReceivedFrame,
} from '../../src/front-door/pictures/picture-client-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { StoppedViewer } from '../support/stopped-viewer.ts';
import { FRAMES_PER_SEC, makeClip, makeHeavyClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

/** A published limit. */
const CUT_OFF_SEC = 1;
const FRAME_MS = 1_000 / FRAMES_PER_SEC;

let main: SyntheticCamera;
let sub: SyntheticCamera;
let heavy: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  main = await startCamera();
  sub = await startCamera(0, { clip: await makeClip(160, 90) });
  heavy = await startCamera(0, { clip: await makeHeavyClip() });
  gateway = await TestGateway.start({
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    cameras: [
      { name: 'Dock', rtsp: main.url, substream: sub.url },
      { name: 'Heavy', rtsp: heavy.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([main, sub, heavy].map((camera) => camera?.close()));
});

/** Where a viewer of a new share finds its media; with a trailing slash. */
async function folderOf(m3u8Url: string): Promise<string> {
  return new URL('.', await openShare(m3u8Url)).href;
}

async function framesFrom(client: PictureClient, count: number): Promise<void> {
  await until(`${count} frames`, () => client.frames.length >= count);
}

async function metric(name: string): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

describe('access units over WebSocket', () => {
  it.each([
    ['ws', 320, 180],
    ['wsl', 160, 90],
  ])('of /%s decode without a complaint, frame by frame', async (name, width, height) => {
    const folder = await folderOf((await gateway.share('Dock')).m3u8Url);
    const client = await PictureClient.open(folder + name);
    await framesFrom(client, 3 * FRAMES_PER_SEC);
    client.leave();
    const { frames } = client;
    const bytes = frames.map((frame) => frame.bytes);
    expect(frames[0]!.isKey).toBe(true);
    for (const frame of frames) {
      expect([...frame.bytes.subarray(0, 4)]).toEqual([0, 0, 0, 1]);
      expect((frame.bytes[4]! & 0x1f) === 7).toBe(frame.isKey);
    }
    expect(await decodeErrors(bytes)).toBe('');
    const [stream] = await probeStreams(bytes);
    expect(stream).toMatchObject({
      codec_name: 'h264',
      width,
      height,
      nb_read_packets: String(frames.length),
    });
    // The first ones are from before: a viewer starts with the group of pictures so far.
    const live = frames.slice(FRAMES_PER_SEC);
    const steps = live.slice(1).map(({ epochMs }, index) => epochMs - live[index]!.epochMs);
    expect(Math.max(...steps.map((stepMs) => Math.abs(stepMs - FRAME_MS)))).toBeLessThan(FRAME_MS / 2);
  });

  it('start at once: with a key frame and all that follows it, when the camera is open already', async () => {
    const share = await gateway.share('Dock');
    const first = await PictureClient.open(`${await folderOf(share.m3u8Url)}ws`);
    await framesFrom(first, 1);
    for (let round = 0; round < 5; round++) {
      const folder = await folderOf(share.m3u8Url);
      const client = await PictureClient.open(`${folder}ws`);
      const openedEpochMs = Date.now();
      await framesFrom(client, 1);
      const [{ isKey, epochMs }] = client.frames as [ReceivedFrame];
      // Not the next key frame: one that came before the viewer.
      expect([isKey, epochMs <= openedEpochMs]).toEqual([true, true]);
      client.leave();
    }
    first.leave();
  });

  it('count as viewers, are in the metrics, and end when the share is withdrawn', async () => {
    const share = await gateway.share('Dock');
    const client = await PictureClient.open(`${await folderOf(share.m3u8Url)}ws`);
    await framesFrom(client, 1);
    await until('the socket in the metrics', async () => (await metric('sluice_realtime_sockets')) === 1);
    expect(await metric('sluice_realtime_frames_total')).toBeGreaterThan(0);
    await gateway.revoke(share);
    const revokedEpochMs = Date.now();
    await until('the end', () => client.end !== null);
    expect(client.frames.filter(({ epochMs }) => epochMs > revokedEpochMs + CUT_OFF_SEC * 1_000)).toEqual([]);
    expect(client.end).toBe('1008 revoked');
    const folder = await folderOf((await gateway.share('Dock')).m3u8Url);
    expect((await askUpgrade(`${folder}ws`)).status).toBe(101);
  });

  it('end when the schedule hides the stream, at that second', async () => {
    const hiddenAtSec = Math.ceil(Date.now() / 1_000) + 3;
    const { scheduleUuid } = await gateway.call('schedule/createAbsoluteSchedule', {
      schedule: { name: 'Soon hidden', intervalList: [{ b: hiddenAtSec - 60, e: hiddenAtSec }] },
    });
    const share = await gateway.share('Dock', { scheduleUuid });
    const client = await PictureClient.open(`${await folderOf(share.m3u8Url)}ws`);
    await framesFrom(client, 1);
    await until('the end', () => client.end !== null);
    expect(client.end).toBe('1008 hidden-by-schedule');
    const secondsAfter = client.frames.map(({ epochMs }) => epochMs / 1_000 - hiddenAtSec);
    // All of them until it was hidden, and no more than the gateway had not noticed it for.
    expect(secondsAfter.filter((sec) => sec > -1 && sec < -0.1)).not.toEqual([]);
    expect(secondsAfter.filter((sec) => sec > CUT_OFF_SEC)).toEqual([]);
  });
});

describe('a viewer that does not read', () => {
  it('misses frames up to a key frame, and is live again when it reads, while others miss nothing', async () => {
    const share = await gateway.share('Heavy');
    const other = await PictureClient.open(`${await folderOf(share.m3u8Url)}ws`);
    const viewer = new StoppedViewer(`${await folderOf(share.m3u8Url)}ws`);
    await until('frames', () => viewer.frames().length > FRAMES_PER_SEC);
    viewer.stop();
    await until(
      'frames that find no room',
      async () => (await metric('sluice_realtime_dropped_frames_total')) > FRAMES_PER_SEC,
    );
    viewer.goOn();
    const wentOnEpochMs = Date.now();
    await until('live frames', () =>
      viewer.frames().find(({ isKey, takenEpochMs }) => isKey && takenEpochMs > wentOnEpochMs),
    );
    const frames = viewer.frames();
    const gap = frames.findIndex(
      ({ takenEpochMs }, index) => index > 0 && takenEpochMs - frames[index - 1]!.takenEpochMs > 3 * FRAME_MS,
    );
    expect(gap).toBeGreaterThan(0);
    expect(frames[gap]!.isKey).toBe(true);
    expect(frames[gap - 1]!.takenEpochMs).toBeLessThan(wentOnEpochMs);
    const seen = other.frames.slice(FRAMES_PER_SEC);
    const longestMs = Math.max(...seen.slice(1).map(({ epochMs }, index) => epochMs - seen[index]!.epochMs));
    expect(longestMs).toBeLessThan(2 * FRAME_MS);
    await viewer.end();
    other.leave();
  });
});

describe('the gateway', () => {
  it('tells viewers when it stops, and is not held up by them', async () => {
    const client = await PictureClient.open(`${await folderOf((await gateway.share('Dock')).m3u8Url)}ws`);
    await framesFrom(client, 1);
    await gateway.end();
    expect(client.end).toBe('1001 restarting');
    await gateway.run();
  });
});
