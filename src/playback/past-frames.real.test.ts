import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnedClockwise } from '../../test/support/clip-files.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { FoundSegment } from '../recording/recording-finder.ts';
import { LiveWindowBench, partBytes, TRACKS } from '../stream/window/live-window-fixture.ts';
import { OneShotDecoder, type PictureDecoder } from '../thumbnails/picture-decoder.ts';
import { WarmDecoder } from '../thumbnails/warm-decoder.ts';
import {
  type FoundFrame,
  type FrameInSegment,
  frameAt,
  type PastFrame,
  pastFrame,
  recentFrame,
} from './past-frames.ts';

const FRAMES = 48;
const FRAME_MS = 40;
const STARTED_MS = 1_700_000_000_000;
/** Between the grays of two frames. */
const STEP = 5;
const NONE = { kind: 'none' };

let pool: WorkerPool;
let decoders: readonly PictureDecoder[];

beforeAll(async () => {
  const jail = await createJail();
  pool = new WorkerPool({ maxWorkers: 4, waitTimeoutMs: 10_000, jail, clock: systemClock });
  const options = { binary: await findFfmpeg(), pool, clock: systemClock, log: silentLog };
  decoders = [new OneShotDecoder(options), new WarmDecoder({ ...options, slots: 1 })];
});
afterAll(() => pool.close());

/** A segment whose frame n is as bright as n says; `options` of the encoder and the file. */
function segment(...options: string[]): { init: Buffer; bytes: Buffer } {
  const source = `color=black:size=64x64:rate=25,format=gray,geq=lum='N*${STEP}+8'`;
  const { status, stdout, stderr } = spawnSync('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', String(FRAMES)],
    ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-color_range', 'tv', '-qp', '10', ...options],
    ...['-movflags', `+empty_moov+default_base_moof${options.includes('libx265') ? '+frag_keyframe' : ''}`],
    ...['-use_editlist', '0', '-f', 'mp4', 'pipe:1'],
  ]);
  if (status !== 0) throw new Error(String(stderr));
  const moof = stdout.indexOf('moof') - 4;
  return { init: stdout.subarray(0, moof), bytes: stdout.subarray(moof) };
}

/** The frame of a whole segment. */
function frameIn(init: Buffer, bytes: Buffer, epochMs: number, atMs: number): PastFrame {
  return found(frameAt(init, bytes, { epochMs, openDurationMs: null }, atMs));
}

function found(shown: FoundFrame | FrameInSegment): PastFrame {
  if (shown.kind !== 'frame') throw new Error(`no frame: ${shown.kind}`);
  return shown.frame;
}

/** The number of the synthetic frame, from its brightness. */
async function numberOf(decoder: PictureDecoder, frame: PastFrame): Promise<number> {
  const { bytes } = await decoder.decode(frame, { maxWidthPx: 64, crop: null });
  const mean = bytes.reduce((sum, value) => sum + value, 0) / bytes.length;
  return Math.round((mean - 8) / STEP);
}

it('a frame of video that is shown turned is turned', async () => {
  const bright = '[0:v]pad=64:32:0:0:black';
  const { status, stdout } = spawnSync('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'color=white:size=32x32:rate=25', '-frames:v', '2'],
    ...['-filter_complex', bright, '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
    ...['-movflags', '+empty_moov+default_base_moof', '-f', 'mp4', 'pipe:1'],
  ]);
  expect(status).toBe(0);
  const file = turnedClockwise(stdout);
  const moof = file.indexOf('moof') - 4;
  const frame = frameIn(file.subarray(0, moof), file.subarray(moof), STARTED_MS, STARTED_MS);
  for (const decoder of decoders) {
    const { bytes, widthPx, heightPx } = await decoder.decode(frame, { maxWidthPx: 64, crop: null });
    expect([widthPx, heightPx]).toEqual([32, 64]);
    const half = bytes.length / 2;
    const mean = (from: number) => bytes.subarray(from, from + half).reduce((a, b) => a + b, 0) / half;
    // What is on the left is on top after a quarter turn clockwise.
    expect(mean(0)).toBeGreaterThan(240);
    expect(mean(half)).toBeLessThan(15);
  }
});

describe.each([
  ['of one group of pictures', ['-bf', '0', '-g', '100', '-frag_duration', '100000000']],
  ['with reordered frames, in fragments', ['-bf', '3', '-g', '100', '-frag_duration', '200000']],
  [
    'of several groups, in fragments',
    ['-bf', '2', '-g', '12', '-sc_threshold', '0', '-frag_duration', '240000'],
  ],
])('a segment %s', (_how, options) => {
  let init: Buffer;
  let bytes: Buffer;
  beforeAll(() => {
    ({ init, bytes } = segment(...options));
  });

  it.each([0, 1, 2, 11, 12, 13, 23, 30, 46, 47])(
    'shows frame %i from its instant to the next',
    async (number) => {
      const from = STARTED_MS + number * FRAME_MS;
      for (const atMs of [from, from + FRAME_MS - 3]) {
        const frame = frameIn(init, bytes, STARTED_MS, atMs);
        expect(frame.atEpochMs).toBe(from);
        for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
      }
    },
  );

  it('hands over no more than it takes to decode the frame', () => {
    const lengthFor = (number: number) =>
      frameIn(init, bytes, STARTED_MS, STARTED_MS + number * FRAME_MS).fmp4[1]!.length;
    const isOneFragment = options.includes('100000000');
    if (isOneFragment) expect(lengthFor(2)).toBe(lengthFor(47));
    else expect(lengthFor(2)).toBeLessThan(bytes.length / 2);
    if (options.includes('12')) expect(lengthFor(47)).toBeLessThan(bytes.length / 2);
  });
});

describe('a segment of H.265 with open groups of pictures', () => {
  const x265 = 'keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:open-gop=1:log-level=none:pools=1';
  let init: Buffer;
  let bytes: Buffer;
  beforeAll(() => {
    ({ init, bytes } = segment('-c:v', 'libx265', '-tag:v', 'hvc1', '-x265-params', x265));
  });

  it.each([0, 1, 10, 11, 12, 13, 14, 23, 24, 30, 46, 47])('shows frame %i', async (number) => {
    const atMs = STARTED_MS + number * FRAME_MS;
    const frame = frameIn(init, bytes, STARTED_MS, atMs);
    expect(frame.atEpochMs).toBe(atMs);
    for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
  });

  /** The first frame of the second fragment, which begins with a CRA picture; frames 9 to 11 are shown before that. */
  const CRA = 12;
  const SHOWN_FIRST = 9;
  const second = () => bytes.indexOf('moof', bytes.indexOf('moof') + 4) - 4;

  it.each([12, 13, 20, 24, 25, 47])(
    'shows frame %i if it begins with a CRA picture, without those before it',
    async (number) => {
      const atMs = STARTED_MS + number * FRAME_MS;
      const time = { epochMs: STARTED_MS + SHOWN_FIRST * FRAME_MS, openDurationMs: null };
      const frame = found(frameAt(init, bytes.subarray(second()), time, atMs));
      expect(frame.atEpochMs).toBe(atMs);
      for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
    },
  );

  it.each([8, 9, 10, 11, 12])(
    'shows frame %i across two segments: those before the CRA picture refer to the segment before',
    async (number) => {
      const bench = new LiveWindowBench();
      const pieces = [bytes.subarray(0, second()), bytes.subarray(second())];
      for (const [index, piece] of pieces.entries()) {
        const from = index * SHOWN_FIRST;
        bench.part({
          tracks: { ...TRACKS, init },
          isSegmentStart: true,
          isSegmentEnd: true,
          epochMs: STARTED_MS + from * FRAME_MS,
          bytes: partBytes(piece),
          durationTicks: (index === 0 ? SHOWN_FIRST : FRAMES - SHOWN_FIRST) * FRAME_MS * 90,
        });
      }
      const atMs = STARTED_MS + number * FRAME_MS + 5;
      const frame = found(recentFrame({ rendition: () => bench.window }, atMs));
      expect(frame.atEpochMs).toBe(atMs - 5);
      for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
    },
  );

  it('shows none of them without the segment before', () => {
    const time = { epochMs: STARTED_MS + SHOWN_FIRST * FRAME_MS, openDurationMs: null };
    const shown = (previous?: null) =>
      frameAt(
        init,
        bytes.subarray(second()),
        previous === undefined ? time : { ...time, previous },
        STARTED_MS + 10 * FRAME_MS,
      );
    expect(shown()).toEqual({ kind: 'previous' });
    expect(shown(null)).toEqual({ kind: 'gap', beforeMs: null, afterMs: STARTED_MS + CRA * FRAME_MS });
  });
});

describe('pastFrame', () => {
  const cameraUuid = newRuuid();
  const stored = () => {
    const { init, bytes } = segment('-bf', '0');
    const found: FoundSegment = {
      name: 'n',
      number: 1,
      segment: {
        offset: init.length,
        byteLength: bytes.length,
        startTicks: 0,
        durationTicks: FRAMES * FRAME_MS,
        timescaleHz: 1_000,
        epochMs: STARTED_MS,
        isDiscontinuity: false,
        init: { offset: 0, byteLength: init.length },
      },
    };
    const file = Buffer.concat([init, bytes]);
    const reads: number[] = [];
    const media = {
      seek: async () => found,
      read: async (_name: string, offset: number, length: number) => {
        reads.push(length);
        return file.subarray(offset, offset + length);
      },
    };
    return { media, reads };
  };

  it('is the frame of the instant, and null where nothing was recorded', async () => {
    const { media, reads } = stored();
    const endMs = STARTED_MS + FRAMES * FRAME_MS;
    expect(await pastFrame(media, cameraUuid, STARTED_MS + 100)).toMatchObject({
      frame: { atEpochMs: STARTED_MS + 80, frameIndex: 2, widthPx: 64, heightPx: 64 },
    });
    expect(await pastFrame(media, cameraUuid, endMs - 1)).toMatchObject({
      frame: { frameIndex: FRAMES - 1 },
    });
    const readSoFar = reads.length;
    // Instants before the first frame and after the last one find nothing.
    expect(await pastFrame(media, cameraUuid, STARTED_MS - 2)).toEqual(NONE);
    expect(await pastFrame(media, cameraUuid, endMs)).toEqual(NONE);
    expect(await pastFrame({ ...media, seek: async () => null }, cameraUuid, STARTED_MS)).toEqual(NONE);
    expect(reads.length).toBe(readSoFar);
  });
});

describe('pastFrame, between two recorded segments', () => {
  /** The second one follows `laterMs` after the end of the first. */
  const seamed = (laterMs: number, isDiscontinuity: boolean) => {
    const { init, bytes } = segment('-bf', '0');
    const file = Buffer.concat([init, bytes]);
    const endMs = STARTED_MS + FRAMES * FRAME_MS;
    const segments = [STARTED_MS, endMs + laterMs].map((epochMs, number) => ({
      name: 'n',
      number,
      segment: {
        offset: init.length,
        byteLength: bytes.length,
        startTicks: 0,
        durationTicks: FRAMES * FRAME_MS,
        timescaleHz: 1_000,
        epochMs,
        isDiscontinuity: number === 1 && isDiscontinuity,
        init: { offset: 0, byteLength: init.length },
      },
    }));
    const media = {
      seek: async (_stream: unknown, atMs: number): Promise<FoundSegment | null> =>
        segments.find(({ segment: { epochMs } }) => epochMs + FRAMES * FRAME_MS > atMs) ?? null,
      read: async (_name: string, offset: number, length: number) => file.subarray(offset, offset + length),
    };
    return (atMs: number) => pastFrame(media, newRuuid(), endMs + atMs);
  };

  it('is the last frame of the first one where wall time moved against the durations', async () => {
    const at = seamed(10, false);
    for (const ms of [-1, 0, 4, 8]) {
      expect(await at(ms)).toMatchObject({ frame: { frameIndex: FRAMES - 1 } });
    }
    expect(await at(10)).toMatchObject({ frame: { frameIndex: 0 } });
  });

  it('is none where the recording stopped', async () => {
    expect(await seamed(10, true)(4)).toEqual(NONE);
    const at = seamed(400, false);
    expect([await at(4), await at(390)]).toEqual([NONE, NONE]);
  });
});

describe('recentFrame', () => {
  /** A live window with these fragments as parts of one segment that continues. */
  const playing = () => {
    const { init, bytes } = segment('-bf', '2', '-g', '100', '-frag_duration', '240000');
    const bench = new LiveWindowBench();
    const starts: number[] = [];
    for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 4)) starts.push(at - 4);
    const epochMs = STARTED_MS;
    for (const [index, start] of starts.entries()) {
      bench.part({
        tracks: { ...TRACKS, init },
        isSegmentStart: index === 0,
        epochMs: epochMs + index * 240,
        durationTicks: 240 * 90,
        bytes: partBytes(bytes.subarray(start, starts[index + 1])),
      });
    }
    const playedMs = starts.length * 240;
    return { window: bench.window, init, bytes, playedMs, partCount: starts.length };
  };

  it('shows what is not recorded yet, also of a segment that goes on, and nothing else', async () => {
    const { window, init, bytes, playedMs, partCount } = playing();
    expect(partCount).toBeGreaterThan(4);
    for (const name of ['main', 'main-silent']) {
      const camera = { rendition: (requested: string) => (requested === name ? window : null) };
      for (const number of [0, 1, 17, 30]) {
        const atMs = STARTED_MS + number * FRAME_MS + 5;
        const frame = found(recentFrame(camera, atMs));
        expect(frame).toEqual(frameIn(init, bytes, STARTED_MS, atMs));
        expect(await numberOf(decoders[0]!, frame)).toBe(number);
      }
      expect(recentFrame(camera, STARTED_MS - 1)).toEqual(NONE);
      expect(recentFrame(camera, STARTED_MS + playedMs)).toEqual(NONE);
    }
    expect(recentFrame({ rendition: () => null }, STARTED_MS)).toEqual(NONE);
    expect(window.segmentAt(STARTED_MS, bytes.length)?.bytes).toEqual(bytes);
    expect(window.segmentAt(STARTED_MS, bytes.length - 1)).toBeNull();
  });

  it('shows none of the newest frames while others that come may be shown before them', async () => {
    const { window, playedMs } = playing();
    const camera = { rendition: () => window };
    const kinds = [200, 120, 40].map(
      (beforeEndMs) => recentFrame(camera, STARTED_MS + playedMs - beforeEndMs).kind,
    );
    expect(kinds).toEqual(['frame', 'frame', 'coming']);
  });

  it('lends nothing: a segment that is forgotten is free', () => {
    const { window, init, bytes } = playing();
    const frame = found(recentFrame({ rendition: () => window }, STARTED_MS + 100));
    window.close();
    expect(window.overdueBytes).toBe(0);
    expect(frame).toEqual(frameIn(init, bytes, STARTED_MS, STARTED_MS + 100));
  });
});
