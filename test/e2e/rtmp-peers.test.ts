/** RTMP with real peers: an ffmpeg that pushes enhanced RTMP, and node-media-server as an origin to pull from. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installNewerFfmpeg } from '../../scripts/api-tools.mjs';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist, fetchRuns, openShare, type TestRun } from '../support/hls.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { freePort } from '../support/ports.ts';
import { type EncoderOptions, RtmpEncoder } from '../support/rtmp-encoder.ts';
import { RtmpOrigin } from '../support/rtmp-origin.ts';
import { until } from '../support/until.ts';

const keyOf = (name: string): string => `${name}-0123456789abcdefghij`;

let newerFfmpeg: string;
let port: number;
let origin: RtmpOrigin;
let gateway: TestGateway;
let encoders: RtmpEncoder[] = [];

beforeAll(async () => {
  newerFfmpeg = await installNewerFfmpeg();
  port = await freePort();
  origin = await RtmpOrigin.start();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '3s' },
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '15s' },
    rtmp: { listen: `127.0.0.1:${port}` },
    cameras: [
      ...['Barn', 'Mill'].map((name) => ({ name, publishKey: keyOf(name) })),
      ...['Yard', 'Gate'].map((name) => ({ name, rtsp: origin.url(name) })),
    ],
  });
});

afterEach(async () => {
  for (const encoder of encoders) await encoder.end();
  encoders = [];
});

afterAll(async () => {
  await gateway?.dispose();
  await origin?.kill();
});

function push(url: string, options: EncoderOptions = {}): RtmpEncoder {
  const encoder = new RtmpEncoder(url, options);
  encoders.push(encoder);
  return encoder;
}

/** What a viewer has received once there are four segments. */
async function watched(share: TestShare): Promise<TestRun> {
  const url = await until('the camera to play', () => openShare(share.m3u8Url));
  await until('four segments', async () => (await fetchPlaylist(url)).segments.length >= 4);
  const runs = await fetchRuns(url);
  expect(runs).toHaveLength(1);
  return runs[0]!;
}

describe("H.265 from ffmpeg's own enhanced RTMP", () => {
  it.each([
    ['without B-frames', 'Barn', 0],
    ['with B-frames', 'Mill', 3],
  ] as const)('%s plays as hvc1, decodes without a flaw and keeps time', async (_title, name, bFrames) => {
    const url = `rtmp://127.0.0.1:${port}/live/${keyOf(name)}`;
    const encoder = push(url, { program: newerFfmpeg, video: 'h265', bFrames });
    const share = await gateway.share(name);
    const { media } = await watched(share);
    expect(await decodeErrors(media, ['-err_detect', 'explode'])).toBe('');
    expect(await probeStreams(media)).toMatchObject([
      { codec_name: 'hevc', codec_tag_string: 'hvc1', width: 320, height: 180 },
      { codec_name: 'aac' },
    ]);
    const packets = await probePackets(media, 'v');
    expect(packets.length).toBeGreaterThan(70);
    const decodeTimes = packets.map(({ dts_time }) => Number(dts_time));
    const showTimes = packets.map(({ pts_time }) => Number(pts_time));
    const inOrder = showTimes.toSorted((a, b) => a - b);
    expect(decodeTimes).toEqual(decodeTimes.toSorted((a, b) => a - b));
    if (bFrames > 0) expect(showTimes).not.toEqual(inOrder);
    for (let i = 1; i < inOrder.length; i++) {
      expect(Math.abs(inOrder[i]! - inOrder[i - 1]! - 0.04)).toBeLessThan(0.003);
    }
    expect((await fetchOk(share.m3u8Url)).toString()).toMatch(
      /CODECS="hvc1\.1\.6\.L\d+\.[0-9A-F.]+,mp4a\.40\.2"/,
    );
    expect(encoder.errors).toBe('');
    const opened = gateway.child.lines.find(
      (line) => line.includes('stream opened') && line.includes(`"${name}"`),
    );
    expect(opened).toContain('"engine":"rtmp"');
  });
});

describe('node-media-server as an origin', () => {
  it('is pulled from, and what was pushed into it decodes', async () => {
    push(origin.url('Yard'), { bFrames: 2 });
    const { media } = await watched(await gateway.share('Yard'));
    expect(await decodeErrors(media, ['-err_detect', 'explode'])).toBe('');
    expect(await probeStreams(media)).toMatchObject([
      { codec_name: 'h264', width: 320, height: 180 },
      { codec_name: 'aac' },
    ]);
  });

  it('that is killed and comes back with its publisher: the camera does too', async () => {
    push(origin.url('Gate'));
    const share = await gateway.share('Gate');
    const url = await until('the camera to play', () => openShare(share.m3u8Url));
    await until('two segments', async () => (await fetchPlaylist(url)).segments.length >= 2);
    await origin.kill();
    await until('the camera to be offline', async () => {
      const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
      return cameraStates.find(({ name }: { name: string }) => name === 'Gate').connectionStatus === 'RED';
    });
    origin = await RtmpOrigin.start(origin.port);
    push(origin.url('Gate'));
    await until('a segment after the break', async () =>
      (await fetchPlaylist(url)).segments.some(({ discontinuity }) => discontinuity === true),
    );
  });
});
