/**
 * What a video recorder has, played by its users: the frame numbers say whether each frame is the one of its wall time. Judged by
 * ffmpeg.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import { withPcmuSound } from '../../src/synthetic-camera/pcmu-sound-fixture.ts';
import { FakeRecorder, type RecordedTime, type RecorderHabits } from '../support/fake-recorder.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { type TestConfig, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, fetchRuns } from '../support/hls.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { BY_KEY } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PICTURE = { widthPx: 320, heightPx: 180 };
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const HOUR_MS = 3_600_000;
const WAIT_MS = 60_000;

let clip: Clip;
let gateway: TestGateway;
const recorders = new Map<string, FakeRecorder>();
/** Two hours ago, on a whole second. */
const startMs = Math.floor((Date.now() - 2 * HOUR_MS) / 1_000) * 1_000;
/** 20 s, a gap of 15 s, 20 s. */
const SPANS: readonly RecordedTime[] = [
  { fromMs: startMs, toMs: startMs + 20_000 },
  { fromMs: startMs + 35_000, toMs: startMs + 55_000 },
];
const RANGE = { startSec: startMs / 1_000 - 5, durationSec: 70 };

const AHEAD_MS = 7 * 60_000;
const RECORDERS: readonly (readonly [name: string, kind: string, path: string, habits: RecorderHabits])[] = [
  ['Hikvision', 'hikvision', '/Streaming/Channels/101', { clockAheadMs: AHEAD_MS, zoneMs: 8 * HOUR_MS }],
  [
    'Dahua',
    'dahua',
    '/cam/realmonitor?channel=1&subtype=0',
    { clockAheadMs: -AHEAD_MS, zoneMs: -5 * HOUR_MS, ends: 'close' },
  ],
  ['Onvif', 'onvif', '/live', { clockAheadMs: AHEAD_MS, zoneMs: 2 * HOUR_MS }],
  ['Short', 'onvif', '/live', { stopsAfterMs: 6_500, maxSessions: 1 }],
  ['Blind', 'hikvision', '/Streaming/Channels/101', { ignoresEnd: true, ends: 'silence', maxSessions: 1 }],
  ['New', 'hikvision', '/Streaming/Channels/101', { stopsAfterMs: 9_500, maxSessions: 1 }],
  ['Newest', 'onvif', '/live', { clockAheadMs: AHEAD_MS }],
];
/** These record H.265, with G.711. */
const OF_H265: ReadonlySet<string> = new Set(['New', 'Newest']);

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx, { audio: false });
  const h265 = { audio: false, codec: 'h265', durationSec: 16 } as const;
  const newClip = withPcmuSound(await makeClip(PICTURE.widthPx, PICTURE.heightPx, h265));
  const config: { nvrs: object[]; cameras: object[] } & TestConfig = { nvrs: [], cameras: [] };
  for (const [name, kind, path, habits] of RECORDERS) {
    const recorder = await FakeRecorder.start(OF_H265.has(name) ? newClip : clip, SPANS, habits);
    recorders.set(name, recorder);
    config.nvrs.push({ name, playback: kind, playbackUrl: recorder.httpUrl });
    config.cameras.push({ name, nvr: name, rtsp: `${recorder.rtspUrl}${path}` });
  }
  gateway = await TestGateway.start({ ...config, recording: { minFree: '16MiB' } });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([...recorders.values()].map((recorder) => recorder.close()));
});

async function folderOf(name: string, range = RANGE): Promise<string> {
  const cameraUuid = await gateway.cameraUuid(name);
  const { wanVodM3u8UriTemplate } = await gateway.call('camera/getMediaUris', { cameraUuid });
  const uri = (wanVodM3u8UriTemplate as string)
    .replace('{START_TIME}', `${range.startSec}`)
    .replace('{DURATION}', `${range.durationSec}`);
  const text = await (await fetch(uri, { headers: BY_KEY })).text();
  const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  if (variant === undefined) throw new Error(text);
  return new URL('.', new URL(variant, uri)).href;
}

describe.each(RECORDERS.map(([name]) => name))('the recordings of %s', (name) => {
  it('play with the true times, each frame once, and with their gap', async () => {
    const folder = await folderOf(name);
    await until(
      'all of the range',
      async () => (await fetchPlaylist(`${folder}file.m3u8`)).text.includes('#EXT-X-ENDLIST'),
      WAIT_MS,
    );
    const runs = await fetchRuns(`${folder}file.m3u8`);
    const shown: { wallMs: number; number: number | null }[] = [];
    for (const { segments, media } of runs) {
      const numbers = await decodedFrameNumbers(media, PICTURE);
      const fromMs = segments[0]!.programDateTime!;
      for (const [index, number] of numbers.entries())
        shown.push({ number, wallMs: fromMs + index * FRAME_MS });
    }
    const recorder = recorders.get(name)!;
    const expected = SPANS.flatMap(({ fromMs, toMs }) =>
      Array.from({ length: Math.round((toMs - fromMs) / FRAME_MS) }, (_, i) => fromMs + i * FRAME_MS),
    );
    const numbers = shown.map(({ number }) => number);
    expect(
      differences(
        numbers,
        expected.map((wallMs) => recorder.numberAt(wallMs)),
      ),
    ).toEqual([]);
    // Clocks of recorders are read in whole seconds.
    const offBySec = shown.map(({ wallMs }, i) => Math.abs(Math.round((wallMs - expected[i]!) / 1_000)));
    expect(offBySec.filter((seconds) => seconds > 1)).toEqual([]);
  });
});

it.each([...OF_H265])(
  'the recordings of %s are H.265 with their sound, as long as the video',
  async (name) => {
    const folder = await folderOf(name);
    await until(
      'all of the range',
      async () => (await fetchPlaylist(`${folder}file.m3u8`)).text.includes('#EXT-X-ENDLIST'),
      WAIT_MS,
    );
    let pictures = 0;
    for (const { media } of await fetchRuns(`${folder}file.m3u8`)) {
      expect(await decodeErrors(media)).toBe('');
      expect((await probeStreams(media)).map(({ codec_name }) => codec_name)).toEqual(['hevc', 'flac']);
      const [video, audio] = [await probePackets(media, 'v'), await probePackets(media, 'a')];
      pictures += video.length;
      for (const at of [0, -1] as const) {
        const apartSec = Number(video.at(at)!.pts_time) - Number(audio.at(at)!.pts_time);
        expect(Math.abs(apartSec)).toBeLessThan(0.25);
      }
    }
    expect(pictures).toBe(40 * FRAMES_PER_SEC);
  },
);

/** The first places at which two lists differ, and their lengths. */
function differences(found: readonly (number | null)[], expected: readonly number[]): string[] {
  const texts = expected.flatMap((number, i) =>
    found[i] === number ? [] : [`${i}: ${found[i]}, not ${number}`],
  );
  if (found.length !== expected.length) texts.unshift(`${found.length} frames, not ${expected.length}`);
  return texts.slice(0, 10);
}
