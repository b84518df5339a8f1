/**
 * How soon a viewer has video: the first part of a camera that is open already, and of one that the viewer opens; and how far
 * frames in real time are behind the camera's. The references are ffmpeg, which reads the camera without a gateway until it
 * has decoded one frame, and the time from frame to frame.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PictureClient } from '../../../src/front-door/pictures/picture-client-fixture.ts';
import { TestGateway, type TestShare } from '../../../test/support/gateway.ts';
import { fetchOk, openShare } from '../../../test/support/hls.ts';
import { readPlaylistText } from '../../../test/support/playlist-text.ts';
import { FRAMES_PER_SEC, startCamera } from '../../../test/support/synthetic.ts';
import { until } from '../../../test/support/until.ts';
import { median } from '../../report.ts';
import type { MeasuredDelays } from '../delays.ts';

const run = promisify(execFile);
const REAL_TIME_FRAMES = 8 * FRAMES_PER_SEC;

export async function measureFirstPicture(rounds: number): Promise<MeasuredDelays> {
  const camera = await startCamera();
  const cold = Array.from({ length: rounds }, (_, index) => `Cold ${index}`);
  const gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: ['Dock', ...cold].map((name) => ({ name, rtsp: camera.url })),
  });
  try {
    const dock = await gateway.share('Dock');
    await firstPartMs(dock);
    const [coldMs, warmMs, ffmpegMs]: number[][] = [[], [], []];
    for (const name of cold) {
      coldMs!.push(await firstPartMs(await gateway.share(name)));
      warmMs!.push(await firstPartMs(dock));
      ffmpegMs!.push(await timeOf(() => ffmpegReads(camera.url)));
    }
    const delaysMs = await realTimeDelaysMs(dock);
    const referenceMs = median(ffmpegMs!);
    return {
      rows: [
        { case: 'first part, cold', 'median ms': median(coldMs!), 'ffmpeg ms': referenceMs },
        { case: 'first part, warm', 'median ms': median(warmMs!), 'ffmpeg ms': referenceMs },
        { case: 'a frame in real time', 'median ms': median(delaysMs), 'frame ms': 1_000 / FRAMES_PER_SEC },
      ],
      figures: {
        firstPartColdVsFfmpeg: median(coldMs!) / referenceMs,
        firstPartWarmVsFfmpeg: median(warmMs!) / referenceMs,
        realTimeVsFrame: median(delaysMs) / (1_000 / FRAMES_PER_SEC),
      },
    };
  } finally {
    await gateway.dispose();
    await camera.close();
  }
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await act();
  return performance.now() - sinceMs;
}

/** Time from the request of the bare URL to the bytes of a part. */
function firstPartMs({ m3u8Url }: TestShare): Promise<number> {
  return timeOf(async () => {
    const url = (await openShare(m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    const { segments, openParts } = readPlaylistText((await fetchOk(url)).toString());
    const part = [...segments.flatMap(({ parts }) => parts), ...openParts].at(-1)!;
    await fetchOk(new URL(part.uri, url).href);
  });
}

async function ffmpegReads(url: string): Promise<void> {
  const input = ['-nostdin', '-v', 'error', '-rtsp_transport', 'tcp', '-analyzeduration', '0', '-i', url];
  await run('ffmpeg', [...input, '-map', '0:v', '-frames:v', '1', '-f', 'null', '-']);
}

/** Delays from the arrival at the gateway to the arrival at the viewer, without frames from before the viewer. */
async function realTimeDelaysMs({ m3u8Url }: TestShare): Promise<number[]> {
  const client = await PictureClient.open(new URL('ws', await openShare(m3u8Url)).href);
  await until('frames', () => client.frames.length >= REAL_TIME_FRAMES);
  client.leave();
  return client.frames.slice(2 * FRAMES_PER_SEC).map((frame) => frame.receivedEpochMs - frame.epochMs);
}
