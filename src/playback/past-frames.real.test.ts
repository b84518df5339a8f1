import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import type { FoundSegment } from '../recording/recording-finder.ts';
import { LiveWindowBench, partBytes, TRACKS } from '../stream/live-window-fixture.ts';
import { OneShotDecoder, type PictureDecoder } from '../thumbnails/picture-decoder.ts';
import { WarmDecoder } from '../thumbnails/warm-decoder.ts';
import { frameAt, pastFrame, recentFrame } from './past-frames.ts';

const FRAMES = 48;
const FRAME_MS = 40;
const STARTED_MS = 1_700_000_000_000;
/** Between the grays of two frames. */
const STEP = 5;

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

/** Of the synthetic frame, from its brightness. */
async function numberOf(decoder: PictureDecoder, frame: ReturnType<typeof frameAt>): Promise<number> {
  const { bytes } = await decoder.decode(frame, { maxWidthPx: 64, crop: null });
  const mean = bytes.reduce((sum, value) => sum + value, 0) / bytes.length;
  return Math.round((mean - 8) / STEP);
}

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
        const frame = frameAt(init, bytes, { epochMs: STARTED_MS }, atMs);
        expect(frame.atEpochMs).toBe(from);
        for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
      }
    },
  );

  it('hands over no more than it takes to decode the frame', () => {
    const lengthFor = (number: number) =>
      frameAt(init, bytes, { epochMs: STARTED_MS }, STARTED_MS + number * FRAME_MS).fmp4[1]!.length;
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
    const frame = frameAt(init, bytes, { epochMs: STARTED_MS }, atMs);
    expect(frame.atEpochMs).toBe(atMs);
    for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
  });

  it.each([12, 13, 20, 24, 25, 47])(
    'shows frame %i if it begins with a CRA picture, without those before it',
    async (number) => {
      const second = bytes.indexOf('moof', bytes.indexOf('moof') + 4) - 4;
      const atMs = STARTED_MS + number * FRAME_MS;
      const frame = frameAt(init, bytes.subarray(second), { epochMs: STARTED_MS + 12 * FRAME_MS }, atMs);
      expect(frame.atEpochMs).toBe(atMs);
      for (const decoder of decoders) expect(await numberOf(decoder, frame)).toBe(number);
    },
  );
});

describe('pastFrame', () => {
  const cameraUuid = newRuuid();
  const stored = () => {
    const { init, bytes } = segment('-bf', '0');
    const found: FoundSegment = {
      ...{ name: 'n', number: 1 },
      segment: {
        ...{ offset: init.length, byteLength: bytes.length, startTicks: 0, durationTicks: FRAMES * FRAME_MS },
        ...{ timescaleHz: 1_000, epochMs: STARTED_MS, isDiscontinuity: false },
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
      ...{ atEpochMs: STARTED_MS + 80, frameIndex: 2, widthPx: 64, heightPx: 64 },
    });
    expect(await pastFrame(media, cameraUuid, endMs - 1)).toMatchObject({ frameIndex: FRAMES - 1 });
    const readSoFar = reads.length;
    // What comes next was not there yet, and what is over is not there anymore.
    expect(await pastFrame(media, cameraUuid, STARTED_MS - 2)).toBeNull();
    expect(await pastFrame(media, cameraUuid, endMs)).toBeNull();
    expect(await pastFrame({ ...media, seek: async () => null }, cameraUuid, STARTED_MS)).toBeNull();
    expect(reads.length).toBe(readSoFar);
  });
});

describe('recentFrame', () => {
  /** A live window with these fragments as parts of one segment that goes on. */
  const playing = () => {
    const { init, bytes } = segment('-bf', '2', '-g', '100', '-frag_duration', '240000');
    const bench = new LiveWindowBench();
    const starts: number[] = [];
    for (let at = bytes.indexOf('moof'); at >= 0; at = bytes.indexOf('moof', at + 4)) starts.push(at - 4);
    const epochMs = STARTED_MS;
    for (const [index, start] of starts.entries()) {
      bench.part({
        ...{ tracks: { ...TRACKS, init }, isSegmentStart: index === 0, epochMs: epochMs + index * 240 },
        ...{ durationTicks: 240 * 90, bytes: partBytes(bytes.subarray(start, starts[index + 1])) },
      });
    }
    const playedMs = starts.length * 240;
    return { window: bench.window, init, bytes, playedMs, partCount: starts.length };
  };

  it('shows what is not recorded yet, also of a segment that goes on, and nothing else', async () => {
    const { window, init, bytes, playedMs, partCount } = playing();
    expect(partCount).toBeGreaterThan(4);
    for (const name of ['main', 'main-silent']) {
      const camera = { rendition: (asked: string) => (asked === name ? window : null) };
      for (const number of [0, 1, 17, 30]) {
        const atMs = STARTED_MS + number * FRAME_MS + 5;
        const frame = recentFrame(camera, atMs)!;
        expect(frame).toEqual(frameAt(init, bytes, { epochMs: STARTED_MS }, atMs));
        expect(await numberOf(decoders[0]!, frame)).toBe(number);
      }
      expect(recentFrame(camera, STARTED_MS - 1)).toBeNull();
      expect(recentFrame(camera, STARTED_MS + playedMs)).toBeNull();
    }
    expect(recentFrame({ rendition: () => null }, STARTED_MS)).toBeNull();
    expect(window.segmentAt(STARTED_MS, bytes.length)?.bytes).toEqual(bytes);
    expect(window.segmentAt(STARTED_MS, bytes.length - 1)).toBeNull();
  });

  it('lends nothing: a segment that is forgotten is free', () => {
    const { window, init, bytes } = playing();
    const frame = recentFrame({ rendition: () => window }, STARTED_MS + 100)!;
    window.close();
    expect(window.overdueBytes).toBe(0);
    expect(frame).toEqual(frameAt(init, bytes, { epochMs: STARTED_MS }, STARTED_MS + 100));
  });
});
