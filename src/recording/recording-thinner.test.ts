import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { readSegmentRuns } from '../isobmff/fragment-samples.ts';
import type { RecordedRendition } from '../store/recording.ts';
import {
  BASE_MS,
  type Bench,
  FOR_SHARES,
  RecordedCamera,
  recordedSegments,
  recorderBench,
} from './recorder-fixture.ts';
import { newStream, testFolder } from './recording-fixture.ts';
import { groupsOf } from './recording-thinner.ts';
import { endEpochMs, type RecordedSegment, type RecordedStream, recordingName } from './segment-index.ts';
import { verifyFile } from './verify-recording.ts';

const LIMITS = { keepMs: 20_000, keepSubMs: 20_000, keepKeyFramesMs: 3_600_000 };
const FILES = { limits: LIMITS, fileBytes: 80_000 };

/** The camera is recorded for so many seconds, and its file is ended. */
async function record(bench: Bench, seconds: number, stream = newStream()): Promise<RecordedStream> {
  bench.recorder.start();
  const camera = new RecordedCamera(bench, stream);
  bench.recorder.turn(stream, true);
  await camera.seconds(seconds, bench);
  bench.recorder.turn(stream, false);
  await bench.settle();
  camera.packager.close();
  return stream;
}

async function sweep(bench: Bench): Promise<void> {
  bench.keeper.sweepSoon();
  await bench.settle();
}

function of(stream: RecordedStream, rendition: RecordedRendition): RecordedStream {
  return { ...stream, rendition };
}

/** The whole seconds after BASE_MS that the stream has. */
async function secondsOf(bench: Bench, stream: RecordedStream): Promise<number[]> {
  const seconds = new Set<number>();
  for (const segment of await recordedSegments(bench, stream)) {
    const from = Math.round((segment.epochMs - BASE_MS) / 1_000);
    const to = Math.round((endEpochMs(segment) - BASE_MS) / 1_000);
    for (let second = from; second < to; second++) seconds.add(second);
  }
  return [...seconds].sort((a, b) => a - b);
}

function seconds(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** When each picture of the stream begins, seconds after BASE_MS, and whether all are key frames. */
async function picturesOf(bench: Bench, stream: RecordedStream) {
  const atSec: number[] = [];
  let areKeys = true;
  for (const { name, epochMs, ...segment } of await recordedSegments(bench, stream)) {
    const reader = await bench.storage.open(name);
    for (const run of await readSegmentRuns((_, offset, length) => reader.read(offset, length), {
      name,
      ...segment,
    })) {
      let ticks = run.startTicks - segment.startTicks;
      for (const [i, durationTicks] of run.durationsTicks.entries()) {
        atSec.push(Math.round((epochMs - BASE_MS + (ticks / segment.timescaleHz) * 1_000) / 10) / 100);
        areKeys &&= run.keys[i] === 1;
        ticks += durationTicks;
      }
    }
    await reader.close();
  }
  return { atSec, areKeys };
}

describe('a recording that is too old', () => {
  it('leaves its key frames, one file for each, until their own time is over', async () => {
    const bench = await recorderBench(FILES);
    const stream = await record(bench, 60);
    const keyFrames = of(stream, 'key-frames');
    const before = await bench.recordings.byteLength(stream, 'unheld');
    await sweep(bench);
    const [first] = await secondsOf(bench, stream);
    expect(first).toBeGreaterThan(30);
    expect(await secondsOf(bench, keyFrames)).toEqual(seconds(0, first!));
    const { atSec, areKeys } = await picturesOf(bench, keyFrames);
    expect(areKeys).toBe(true);
    expect(atSec.map(Math.round)).toEqual(seconds(0, first!));
    const after = await bench.recordings.byteLength(keyFrames, 'unheld');
    expect(after).toBeLessThan((before * first!) / 60 / 4);
    // Lists of a year are short.
    expect((await recordedSegments(bench, keyFrames)).length).toBeLessThan(first! / 4);
    bench.clock.advance(3_600_000);
    await sweep(bench);
    expect(await bench.recordings.numbers(keyFrames)).toEqual([]);
    expect(await bench.recorder.call({ name: 'numbers', of: keyFrames })).toEqual([]);
  });

  it('has a chain of its own', async () => {
    const bench = await recorderBench(FILES);
    const stream = of(await record(bench, 50), 'key-frames');
    await sweep(bench);
    const segments = await recordedSegments(bench, stream);
    expect(segments.length).toBeGreaterThan(2);
    for (const number of await bench.recordings.numbers(stream)) {
      const name = recordingName(stream, number);
      const reader = await bench.storage.open(name);
      const own = segments.filter((segment) => segment.name === name);
      const findings: string[] = [];
      for await (const { finding } of verifyFile(reader, {
        of: stream,
        name,
        segments: own,
        keys: () => null,
      })) {
        findings.push(finding);
      }
      expect(new Set(findings)).toEqual(new Set(['unsigned']));
      await reader.close();
    }
  });

  it('leaves none where the substream stays, which leaves them in the end', async () => {
    const bench = await recorderBench({ ...FILES, limits: { ...LIMITS, keepSubMs: 200_000 } });
    const main = await record(bench, 40);
    const sub = of(main, 'sub');
    bench.clock.stepWallClock(-40_000);
    await record(bench, 40, sub);
    bench.clock.advance(30_000);
    await sweep(bench);
    expect(await secondsOf(bench, main)).toEqual([]);
    expect(await secondsOf(bench, of(main, 'key-frames'))).toEqual([]);
    bench.clock.advance(200_000);
    await sweep(bench);
    expect(await secondsOf(bench, sub)).toEqual([]);
    expect(await secondsOf(bench, of(main, 'key-frames'))).toEqual(seconds(0, 40));
  });

  it('leaves those of the time that the substream lacks', async () => {
    const bench = await recorderBench({ ...FILES, limits: { ...LIMITS, keepSubMs: 3_000_000 } });
    const main = await record(bench, 60);
    bench.clock.stepWallClock(-40_000);
    await record(bench, 20, of(main, 'sub'));
    bench.clock.advance(60_000);
    await sweep(bench);
    expect(await secondsOf(bench, main)).toEqual([]);
    const left = await secondsOf(bench, of(main, 'key-frames'));
    const sub = await secondsOf(bench, of(main, 'sub'));
    expect([...new Set([...left, ...sub])].sort((a, b) => a - b)).toEqual(seconds(0, 60));
    expect(left.filter((second) => sub.includes(second)).length).toBeLessThanOrEqual(2);
  });

  it('is neither thinned nor deleted while a legal hold includes it', async () => {
    const bench = await recorderBench(FILES);
    const { store } = bench;
    const stream = newStream();
    const [uuid, orgUuid] = [newRuuid(), newRuuid()];
    const { cameraUuid } = stream;
    await store.recordingHolds.save({ uuid, orgUuid, cameraUuid, startMs: BASE_MS, endMs: BASE_MS + 90_000 });
    await record(bench, 60, stream);
    bench.clock.advance(60_000);
    await sweep(bench);
    expect(await secondsOf(bench, stream)).toEqual(seconds(0, 60));
    expect(await bench.recordings.numbers(of(stream, 'key-frames'))).toEqual([]);
    await store.recordingHolds.remove(uuid);
    await sweep(bench);
    expect(await secondsOf(bench, of(stream, 'key-frames'))).toEqual(seconds(0, 60));
    // And now they are held.
    await store.recordingHolds.save({ uuid, orgUuid, cameraUuid, startMs: BASE_MS, endMs: BASE_MS + 90_000 });
    bench.clock.advance(7_200_000);
    await sweep(bench);
    expect(await secondsOf(bench, of(stream, 'key-frames'))).toEqual(seconds(0, 60));
  });

  it('leaves nothing of what was recorded only for shares, or without a time for key frames', async () => {
    const shared = await recorderBench({ ...FILES, limits: { ...LIMITS, keepForSharesMs: 20_000 } });
    shared.recorder.start();
    const camera = new RecordedCamera(shared);
    shared.recorder.follow(camera.stream, FOR_SHARES);
    await camera.seconds(30, shared);
    shared.recorder.turn(camera.stream, false);
    camera.packager.close();
    const without = await recorderBench({ ...FILES, limits: { ...LIMITS, keepKeyFramesMs: null } });
    const stream = await record(without, 30);
    for (const [bench, of_] of [
      [shared, camera.stream],
      [without, stream],
    ] as const) {
      bench.clock.advance(60_000);
      await sweep(bench);
      expect(await bench.recordings.usage()).toEqual([]);
      expect(await bench.recorder.call({ name: 'numbers', of: of(of_, 'key-frames') })).toEqual([]);
    }
  });

  it('stays while its key frames cannot be read or written, and is thinned when they can', async () => {
    const bench = await recorderBench(FILES);
    const stream = await record(bench, 40);
    bench.clock.advance(60_000);
    for (const fault of ['read', 'write', 'sync'] as const) {
      bench.disk.broken.add(fault);
      await sweep(bench);
      bench.disk.broken.clear();
      expect(await secondsOf(bench, stream)).toEqual(seconds(0, 40));
      expect(await bench.recordings.numbers(of(stream, 'key-frames'))).toEqual([]);
    }
    bench.disk.fill();
    await sweep(bench);
    expect(await secondsOf(bench, stream)).toEqual(seconds(0, 40));
    bench.disk.roomBytes = Number.POSITIVE_INFINITY;
    await sweep(bench);
    expect(await secondsOf(bench, stream)).toEqual([]);
    expect(await secondsOf(bench, of(stream, 'key-frames'))).toEqual(seconds(0, 40));
  });

  it('stays if nothing of it can be read, and lets the others pass', async () => {
    const folder = testFolder();
    const bench = await recorderBench({ ...FILES, folder });
    const stream = await record(bench, 40);
    const [first] = await recordedSegments(bench, stream);
    const path = join(folder, first!.name);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, first!.init.offset, first!.init.offset + first!.init.byteLength);
    writeFileSync(path, bytes);
    bench.clock.advance(60_000);
    await sweep(bench);
    expect(await bench.recordings.numbers(stream)).toEqual([0]);
    const left = await secondsOf(bench, of(stream, 'key-frames'));
    expect([left[0]! > 0, left.at(-1)]).toEqual([true, 39]);
    bench.clock.advance(3_600_000);
    await sweep(bench);
    expect(await bench.recordings.numbers(stream)).toEqual([]);
  });

  it('is not thinned twice, whenever the gateway is killed', async () => {
    const folder = testFolder();
    const bench = await recorderBench({ ...FILES, folder });
    const stream = await record(bench, 40);
    bench.clock.advance(60_000);
    // It can delete nothing: killed after the key frames are listed, before the recording is deleted.
    bench.disk.broken.add('remove');
    await sweep(bench);
    const after = await recorderBench({ ...FILES, folder });
    after.clock.advance(150_000);
    after.recorder.start();
    await after.settle();
    await sweep(after);
    expect(await secondsOf(after, stream)).toEqual([]);
    const keyFrames = await recordedSegments(after, of(stream, 'key-frames'));
    expect(await secondsOf(after, of(stream, 'key-frames'))).toEqual(seconds(0, 40));
    const ends = keyFrames.map((segment) => endEpochMs(segment)).sort((a, b) => a - b);
    const starts = keyFrames.map(({ epochMs }) => epochMs).sort((a, b) => a - b);
    for (const [i, startMs] of starts.slice(1).entries()) expect(startMs).toBeGreaterThan(ends[i]! - 100);
  });
});

describe('a disk without room', () => {
  it('thins a camera that has too much before it deletes key frames', async () => {
    const limits = { ...LIMITS, keepMs: 3_600_000, maxCameraBytes: 300_000 };
    const bench = await recorderBench({ ...FILES, limits });
    const stream = await record(bench, 60);
    await sweep(bench);
    await sweep(bench);
    const usage = await bench.recordings.usage();
    expect(usage.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(300_000);
    const [first] = await secondsOf(bench, stream);
    expect(first).toBeGreaterThan(10);
    expect(await secondsOf(bench, of(stream, 'key-frames'))).toEqual(seconds(0, first!));
  });

  it('deletes what cannot be thinned, because others need its room', async () => {
    const limits = { ...LIMITS, keepMs: 3_600_000, maxCameraBytes: 300_000 };
    const bench = await recorderBench({ ...FILES, limits });
    const stream = await record(bench, 60);
    bench.disk.broken.add('read');
    await sweep(bench);
    bench.disk.broken.clear();
    expect((await secondsOf(bench, stream))[0]).toBeGreaterThan(10);
    expect(await bench.recordings.numbers(of(stream, 'key-frames'))).toEqual([]);
  });
});

describe('groupsOf', () => {
  const HZ = 1_000;
  const segment = (atSec: number, fields: Partial<RecordedSegment> = {}): RecordedSegment => ({
    offset: 0,
    byteLength: 1,
    startTicks: atSec * HZ,
    durationTicks: 2 * HZ,
    timescaleHz: HZ,
    epochMs: atSec * 1_000,
    isDiscontinuity: false,
    init: { offset: 0, byteLength: 1 },
    ...fields,
  });
  const atOf = (groups: readonly (readonly RecordedSegment[])[]) =>
    groups.map((group) => group.map(({ epochMs }) => epochMs / 1_000));

  it.each([
    [
      'joins up to ten seconds',
      [0, 2, 4, 6, 8, 10, 12],
      [],
      [
        [0, 2, 4, 6, 8],
        [10, 12],
      ],
    ],
    [
      'begins again after a gap',
      [0, 2, 6, 8],
      [],
      [
        [0, 2],
        [6, 8],
      ],
    ],
    ['leaves out what another stream has', [0, 2, 4, 6], [{ startMs: 1_950, endMs: 6_050 }], [[0], [6]]],
    [
      'leaves alone what another stream overlaps',
      [0, 2, 4, 6],
      [{ startMs: 3_000, endMs: 3_500 }],
      [[0], [2], [4, 6]],
    ],
    ['has nothing where another stream has all', [0, 2], [{ startMs: -9_000, endMs: 9_000 }], []],
  ] as const)('%s', (_, at, others, expected) => {
    expect(
      atOf(
        groupsOf(
          at.map((sec) => segment(sec)),
          others,
        ),
      ),
    ).toEqual(expected);
  });

  it('divides at another init segment, and at a discontinuity', () => {
    const init = { offset: 9, byteLength: 1 };
    const segments = [segment(0), segment(2, { init }), segment(4, { init, isDiscontinuity: true })];
    expect(atOf(groupsOf(segments, []))).toEqual([[0], [2], [4]]);
  });
});
