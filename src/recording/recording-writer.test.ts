import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { DecryptingStorage } from './decrypting-storage.ts';
import { FakeDisk } from './fake-disk.ts';
import { CountedNumbers } from './file-numbers.ts';
import { FileStorage } from './file-storage.ts';
import type { MediaStorage } from './media-storage.ts';
import { RecordingKeys } from './recording-cipher.ts';
import {
  BOOT_ID,
  type FakePart,
  FakeStream,
  newStream,
  OTHER_BOOT_ID,
  OTHER_VIDEO,
  segmentBytes,
  testFolder,
} from './recording-fixture.ts';
import { RecordingWriter, type RecordingWriterOptions, type WriterState } from './recording-writer.ts';
import { repairRecording } from './repair-recording.ts';
import {
  packIndex,
  type RecordedFile,
  type RecordedSegment,
  recordingName,
  timeSpanOf,
} from './segment-index.ts';

const LIMITS = { fileBytes: 4 * 1_048_576, syncIntervalMs: 5_000, minFreeBytes: 0 };

class Bench {
  readonly clock = new FakeClock();
  readonly disk = new FakeDisk();
  readonly storage: MediaStorage;
  readonly stream = newStream();
  readonly camera = new FakeStream(this.clock);
  readonly writer: RecordingWriter;
  readonly files: RecordedFile[] = [];
  readonly segments: RecordedSegment[] = [];
  readonly unfinished: number[] = [];
  readonly states: WriterState[] = [];
  dropped = 0;

  constructor(options: Partial<RecordingWriterOptions> = {}) {
    const files = new FileStorage(testFolder(), this.disk);
    this.storage = keys === null ? files : new DecryptingStorage(files, keys);
    this.writer = new RecordingWriter({
      stream: this.stream,
      storage: this.storage,
      limits: LIMITS,
      bootId: BOOT_ID,
      numbers: new CountedNumbers(0),
      keys,
      clock: this.clock,
      events: {
        onSegment: (_number, segment) => void this.segments.push(segment),
        onFile: (file) => void this.files.push(file),
        onUnfinished: (number) => void this.unfinished.push(number),
        onState: (state) => void this.states.push(state),
        onDropped: () => void this.dropped++,
      },
      ...options,
    });
  }

  async write(parts: readonly FakePart[]): Promise<void> {
    for (const { part, bytes } of parts) await this.writer.write(part, bytes);
  }

  async read(number: number, { offset, byteLength }: Pick<RecordedSegment, 'offset' | 'byteLength'>) {
    const reader = await this.storage.open(recordingName(this.stream, number));
    return reader.read(offset, byteLength).finally(() => reader.close());
  }

  repair(number: number, bootId = BOOT_ID): Promise<RecordedFile | null> {
    return repairRecording(this.storage, recordingName(this.stream, number), bootId);
  }
}

const SUITES = [
  ['in the clear', null],
  ['encrypted', new RecordingKeys(Buffer.alloc(32, 3))],
] as const;
/** Keys of all benches of a suite. */
let keys: RecordingKeys | null = null;

describe.each(SUITES)('RecordingWriter, %s', (_, ofSuite) => {
  beforeEach(() => {
    keys = ofSuite;
  });

  it('writes each segment as viewers got it, with its wall time and its init segment', async () => {
    const bench = new Bench();
    const parts = bench.camera.segments(4);
    await bench.write(parts);
    await bench.writer.close();
    const expected = segmentBytes(parts);
    expect(expected).toHaveLength(4);
    expect(bench.segments).toHaveLength(4);
    expect(bench.files).toMatchObject([{ ...bench.stream, number: 0, segments: bench.segments }]);
    for (const [i, segment] of bench.segments.entries()) {
      expect(await bench.read(0, segment)).toEqual(expected[i]);
      expect(await bench.read(0, segment.init)).toEqual(parts[0]!.part.init);
      expect(segment).toMatchObject({ durationTicks: 90_000, timescaleHz: 90_000, isDiscontinuity: i === 0 });
      expect(segment.epochMs).toBeCloseTo(Date.UTC(2026, 0, 1) + i * 1_000, 0);
    }
  });

  it('announces a segment when it is complete, not before', async () => {
    const bench = new Bench();
    const parts = bench.camera.segments(1);
    await bench.write(parts.slice(0, -1));
    expect(bench.segments).toHaveLength(0);
    await bench.write(parts.slice(-1));
    expect(bench.segments).toHaveLength(1);
  });

  it('reads the same index from the file as it has in memory', async () => {
    const bench = new Bench();
    await bench.write(bench.camera.segments(3));
    bench.camera.discontinuity();
    bench.camera.setVideo(OTHER_VIDEO);
    await bench.write(bench.camera.frames(75));
    await bench.writer.close();
    const [written] = bench.files;
    expect(new Set(written!.segments.map(({ init }) => init.offset)).size).toBe(2);
    const scanned = await bench.repair(0);
    expect(scanned).toEqual({ ...written, segments: scanned!.segments });
    expect(packIndex(scanned!.segments)).toBe(packIndex(written!.segments));
    // A power cut makes no difference to what matches its CRC.
    expect(packIndex((await bench.repair(0, OTHER_BOOT_ID))!.segments)).toBe(packIndex(written!.segments));
  });

  it('begins another file when the next segment might not fit', async () => {
    const fileBytes = 60_000;
    const bench = new Bench({ limits: { ...LIMITS, fileBytes } });
    await bench.write(bench.camera.segments(12));
    await bench.writer.close();
    expect(bench.files.length).toBeGreaterThan(1);
    expect(bench.files.map(({ number }) => number)).toEqual(bench.files.map((_, i) => i));
    for (const { byteLength } of bench.files) expect(byteLength).toBeLessThanOrEqual(fileBytes);
    const all = bench.files.flatMap(({ segments }) => segments);
    expect(all).toHaveLength(12);
    // Only the first one continues nothing: the next file continues the one before.
    expect(all.map(({ isDiscontinuity }) => isDiscontinuity)).toEqual(all.map((_, i) => i === 0));
  });

  it('begins another file after an hour, so that old ones can be deleted', async () => {
    const bench = new Bench();
    await bench.write(bench.camera.segments(2));
    bench.camera.discontinuity();
    bench.clock.advance(3_600_000);
    await bench.write(bench.camera.frames(50));
    await bench.writer.close();
    expect(bench.files).toHaveLength(2);
    for (const { segments } of bench.files) {
      const { startMs, endMs } = timeSpanOf(segments);
      expect(endMs - startMs).toBeLessThan(3_600_000 + 20_000);
    }
  });

  it('ends a segment early whose rest was left out, and marks the gap', async () => {
    const bench = new Bench();
    const parts = bench.camera.segments(3);
    const starts = parts.flatMap(({ part }, i) => (part.isSegmentStart ? [i] : []));
    // The last part of the first segment, and all of the second.
    const kept = [...parts.slice(0, starts[1]! - 1), ...parts.slice(starts[2]!)];
    await bench.write(kept);
    await bench.writer.close();
    expect(bench.segments).toHaveLength(2);
    expect(bench.segments[0]!.durationTicks).toBeLessThan(90_000);
    expect(bench.segments[1]).toMatchObject({ isDiscontinuity: true, durationTicks: 90_000 });
    for (const [i, bytes] of segmentBytes(kept).entries()) {
      expect(await bench.read(0, bench.segments[i]!)).toEqual(bytes);
    }
    expect(bench.segments[1]!.epochMs - bench.segments[0]!.epochMs).toBeCloseTo(2_000, 0);
  });

  it('syncs when the interval is over, not with every part', async () => {
    const bench = new Bench();
    await bench.write(bench.camera.segments(4));
    const few = bench.disk.syncs;
    for (let sec = 0; sec < 8; sec++) await bench.write(bench.camera.frames(25));
    expect(few).toBeLessThanOrEqual(1);
    expect(bench.disk.syncs).toBeGreaterThanOrEqual(1);
    expect(bench.disk.syncs).toBeLessThanOrEqual(3);
  });

  it.each([
    ['is full', 'RECORDING_DISK_FULL', (disk: FakeDisk) => disk.fill()],
    ['fails', 'RECORDING_IO', (disk: FakeDisk) => disk.breakWrites()],
  ])('ends at the last whole part if the disk %s, and records again later', async (_, code, breakIt) => {
    const bench = new Bench();
    const before = bench.camera.segments(2);
    await bench.write(before);
    breakIt(bench.disk);
    await bench.write(bench.camera.frames(25));
    expect(bench.states).toMatchObject([{ state: 'failed', error: { code } }]);
    expect([bench.unfinished, bench.dropped > 0]).toEqual([[0], true]);
    bench.disk.roomBytes = Number.POSITIVE_INFINITY;
    bench.disk.broken.clear();
    const rescued = await bench.repair(0);
    expect(rescued!.segments).toHaveLength(2);
    for (const [i, bytes] of segmentBytes(before).entries()) {
      expect(await bench.read(0, rescued!.segments[i]!)).toEqual(bytes);
    }
    for (let sec = 0; sec < 6; sec++) await bench.write(bench.camera.frames(25));
    await bench.writer.close();
    expect(bench.states.at(-1)).toEqual({ state: 'recording' });
    expect(bench.files).toMatchObject([{ number: 1 }]);
    expect(bench.files[0]!.segments[0]).toMatchObject({ isDiscontinuity: true });
  });

  it('waits longer after each failure', async () => {
    const bench = new Bench();
    bench.disk.broken.add('open');
    for (let sec = 0; sec < 120; sec++) await bench.write(bench.camera.frames(25));
    const failures = bench.states.length;
    // After 2, 4, 8, 16, 32 and 60 seconds.
    expect(failures).toBeGreaterThanOrEqual(5);
    expect(failures).toBeLessThanOrEqual(7);
    expect(bench.dropped).toBeGreaterThan(110);
  });

  it('waits longer after each failure also if the disk takes bytes and never syncs them', async () => {
    const bench = new Bench();
    bench.disk.broken.add('sync');
    for (let sec = 0; sec < 180; sec++) await bench.write(bench.camera.frames(25));
    const failures = bench.states.filter(({ state }) => state === 'failed').length;
    // Each has taken 5 s of video, and the pauses are of 2 to 60 s.
    expect(failures).toBeGreaterThanOrEqual(5);
    expect(failures).toBeLessThanOrEqual(7);
  });

  it.each([1, 2, 3])(
    'leaves no zeros if another node finishes its file while it is frozen after %i parts of a segment',
    async (parts) => {
      const bench = new Bench();
      const whole = bench.camera.segments(2);
      const next = bench.camera.frames(25);
      await bench.write(whole);
      await bench.write(next.slice(0, parts));
      // On another machine, the segment in progress is not trusted.
      const other = await bench.repair(0, Buffer.alloc(BOOT_ID.length, 9));
      await bench.write(next.slice(parts));
      for (let sec = 0; sec < 3; sec++) await bench.write(bench.camera.frames(25));
      await bench.writer.close();
      // It looks at the file, as it does at any that it could not finish, and finds what the other one has listed.
      expect(bench.unfinished).toEqual([0]);
      const listed = await bench.repair(0);
      expect(listed).toEqual(other);
      for (const [i, bytes] of segmentBytes(whole).slice(0, listed!.segments.length).entries()) {
        expect(await bench.read(0, listed!.segments[i]!)).toEqual(bytes);
      }
      // Recording continues with the next segment, without a pause.
      expect(bench.states).toEqual([]);
      const [file] = bench.files;
      expect(file).toMatchObject({ number: 1, segments: [{ isDiscontinuity: true }, {}, {}] });
      const bytes = await bench.read(1, file!.segments[0]!);
      expect(bytes.subarray(4, 8).toString('latin1')).toBe('styp');
    },
  );

  it('does not finish a file that another node has finished', async () => {
    const bench = new Bench();
    await bench.write(bench.camera.segments(2));
    await bench.write(bench.camera.frames(25).slice(0, 2));
    const other = await bench.repair(0, Buffer.alloc(BOOT_ID.length, 9));
    await bench.writer.close();
    expect([bench.files, bench.unfinished]).toEqual([[], [0]]);
    expect(await bench.repair(0)).toEqual(other);
  });

  it('leaves room on the disk', async () => {
    const bench = new Bench({ limits: { ...LIMITS, minFreeBytes: 10_000_000 } });
    bench.disk.roomBytes = 10_000_000;
    await bench.write(bench.camera.segments(2));
    expect(bench.states).toMatchObject([{ state: 'failed', error: { code: 'RECORDING_DISK_FULL' } }]);
    expect(await bench.storage.list('')).toEqual([]);
  });
});

describe.each(SUITES)('repairRecording, %s', (_, ofSuite) => {
  beforeEach(() => {
    keys = ofSuite;
  });

  /** A file with two segments and the parts of a third, not closed. */
  async function interrupted() {
    const bench = new Bench();
    const parts = bench.camera.segments(3).slice(0, -1);
    await bench.write(parts);
    const reader = await bench.storage.open(recordingName(bench.stream, 0));
    const content = await (reader.stored ?? reader).read(0, reader.byteLength);
    await reader.close();
    const store = async (bytes: Buffer) => {
      const number = 1 + (await bench.storage.list(`${bench.stream.cameraUuid}/main`)).length;
      const appender = await bench.storage.create(recordingName(bench.stream, number), 0);
      await appender.append([bytes]);
      await appender.abandon();
      return number;
    };
    return { bench, parts, content, store };
  }

  it('keeps every whole part after a kill', async () => {
    const { bench, parts } = await interrupted();
    const repaired = await bench.repair(0);
    const expected = segmentBytes(parts);
    expect(repaired!.segments).toHaveLength(3);
    for (const [i, segment] of repaired!.segments.entries()) {
      expect(await bench.read(0, segment)).toEqual(expected[i]);
    }
    const whole = parts.slice(parts.findLastIndex(({ part }) => part.isSegmentStart));
    const durationTicks = whole.reduce((sum, { part }) => sum + part.durationTicks, 0);
    expect(repaired!.segments[2]!.durationTicks).toBe(durationTicks);
    // Once more changes nothing.
    expect(await bench.repair(0)).toEqual(repaired);
  });

  it('drops a segment without a trailer after a power cut', async () => {
    const { bench } = await interrupted();
    expect((await bench.repair(0, OTHER_BOOT_ID))!.segments).toHaveLength(2);
  });

  it('ends before the first segment whose bytes are not all there after a power cut', async () => {
    const { bench, content, store } = await interrupted();
    const second = bench.segments[1]!;
    const torn = Buffer.from(content);
    torn.fill(0, second.offset + 1_000, second.offset + 2_000);
    const number = await store(torn);
    expect((await bench.repair(number, OTHER_BOOT_ID))!.segments).toHaveLength(1);
  });

  it('finds every whole part at whatever byte the file ends', async () => {
    const { bench, content, store, parts } = await interrupted();
    let before = 0;
    for (let end = 8; end < content.length; end += 1 + (end % 1_997)) {
      for (const reserved of [0, 5_000]) {
        const number = await store(Buffer.concat([content.subarray(0, end), Buffer.alloc(reserved)]));
        // A header that is cut is not there in a real file, since its first bytes come last.
        const repaired = await bench.repair(number).catch((error) => {
          expect(error.code).toBe('RECORDING_DAMAGED');
          return null;
        });
        const bytes = repaired?.segments.reduce((sum, { byteLength }) => sum + byteLength, 0) ?? 0;
        if (reserved === 0) {
          expect(bytes).toBeGreaterThanOrEqual(before);
          expect(bytes).toBeLessThanOrEqual(end);
          before = bytes;
        }
        for (const segment of repaired?.segments ?? []) {
          const start = parts.findIndex(({ part }) => Math.abs(part.epochMs - segment.epochMs) < 1);
          expect(parts[start]!.part.isSegmentStart).toBe(true);
        }
      }
    }
    expect(before).toBeGreaterThan(0);
  });

  it('deletes a file in which nothing was written', async () => {
    const { bench, store } = await interrupted();
    const number = await store(Buffer.alloc(100_000));
    expect(await bench.repair(number)).toBeNull();
    expect(await bench.storage.list(`${bench.stream.cameraUuid}/main`)).toHaveLength(1);
  });

  it('leaves alone what it does not know', async () => {
    const { bench, store } = await interrupted();
    const number = await store(Buffer.from('not a recording, but somebody’s file'));
    await expect(bench.repair(number)).rejects.toMatchObject({ code: 'RECORDING_DAMAGED' });
    expect(await bench.storage.list(`${bench.stream.cameraUuid}/main`)).toHaveLength(2);
  });
});
