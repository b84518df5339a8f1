import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { RECORDING_BOX_BYTES } from './recording-boxes.ts';
import { newStream } from './recording-fixture.ts';
import {
  endEpochMs,
  packIndex,
  type RecordedSegment,
  recordingName,
  recordingNumber,
  timeSpanOf,
  unpackIndex,
  unpackSpans,
} from './segment-index.ts';

const BASE_MS = Date.UTC(2026, 0, 1);
const BETWEEN_BYTES = RECORDING_BOX_BYTES.trailer + RECORDING_BOX_BYTES.segment;

/** Segments of about two seconds at 29.97 frames a second, whose wall time drifts a little. */
function segmentsOf(count: number): RecordedSegment[] {
  const segments: RecordedSegment[] = [];
  let offset = 1_000;
  let startTicks = 7_000;
  for (let i = 0; i < count; i++) {
    const byteLength = 1_000_000 + ((i * 7_919) % 50_000);
    const durationTicks = 60 * 3_003;
    segments.push({
      offset,
      byteLength,
      startTicks,
      durationTicks,
      timescaleHz: 90_000,
      epochMs: BASE_MS + (startTicks - 7_000) / 90 + (i % 3) * 0.4,
      isDiscontinuity: i === 0,
      init: { offset: 150, byteLength: 700 },
    });
    offset += byteLength + BETWEEN_BYTES;
    startTicks += durationTicks;
  }
  return segments;
}

describe('segment index', () => {
  it('returns what was packed, times to the millisecond', () => {
    const first = segmentsOf(200);
    const last = first.at(-1)!;
    const segments: RecordedSegment[] = [
      ...first,
      // A gap on the same timeline, other parameter sets after it, and another timeline.
      {
        ...last,
        offset: last.offset + 9_000_000,
        startTicks: last.startTicks + 900_000,
        isDiscontinuity: true,
      },
      {
        ...last,
        offset: last.offset + 19_000_000,
        startTicks: last.startTicks + 900_000 + last.durationTicks,
        init: { offset: last.offset + 18_000_000, byteLength: 800 },
      },
      { ...last, offset: last.offset + 29_000_000, startTicks: 0, epochMs: BASE_MS - 3_600_000 },
    ];
    const unpacked = unpackIndex(packIndex(segments));
    expect(unpacked).toHaveLength(segments.length);
    for (const [i, { epochMs, ...exact }] of segments.entries()) {
      const { epochMs: foundMs, ...found } = unpacked[i]!;
      expect(found).toEqual(exact);
      expect(Math.abs(foundMs - epochMs)).toBeLessThanOrEqual(1);
    }
  });

  it('says when there are segments, as the segments do', () => {
    const pauses = fc.array(fc.constantFrom(0, 0, 0, 300, 999, 1_001, 90_000, -700, -3_600_000), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pauses, fc.constantFrom(0, 1_000), (given, joinMs) => {
        let aheadMs = 0;
        const segments = segmentsOf(given.length).map((segment, i) => {
          aheadMs += given[i]!;
          return { ...segment, epochMs: segment.epochMs + aheadMs, isDiscontinuity: given[i]! > 1_000 };
        });
        const packed = packIndex(segments);
        const expected: { startMs: number; endMs: number }[] = [];
        for (const segment of unpackIndex(packed)) {
          const last = expected.at(-1);
          const endMs = endEpochMs(segment);
          const isNext = last !== undefined && segment.epochMs <= last.endMs + joinMs;
          if (isNext && segment.epochMs >= last.startMs) last.endMs = Math.max(last.endMs, endMs);
          else expected.push({ startMs: segment.epochMs, endMs });
        }
        const spans = unpackSpans(packed, joinMs);
        expect(spans).toHaveLength(expected.length);
        for (const [i, { startMs, endMs }] of spans.entries()) {
          expect(startMs).toBeCloseTo(expected[i]!.startMs, 3);
          expect(endMs).toBeCloseTo(expected[i]!.endMs, 3);
        }
      }),
      randomRuns(200),
    );
  });

  it('takes about twenty bytes per segment', () => {
    const packed = packIndex(segmentsOf(1_000));
    expect(packed.length / 1_000).toBeLessThan(20);
  });

  it('knows the time that it covers', () => {
    const [first] = segmentsOf(1);
    const early = { ...first!, epochMs: BASE_MS - 10_000.5 };
    expect(timeSpanOf([first!, early])).toEqual({ startMs: BASE_MS - 10_001, endMs: BASE_MS + 2_002 });
  });

  it('names files so that their names sort as their numbers', () => {
    const stream = newStream();
    const name = recordingName(stream, 1_234);
    expect(name).toBe(`${stream.cameraUuid}/main/000000001234.mp4`);
    expect(recordingNumber(name.split('/').at(-1)!)).toBe(1_234);
    for (const other of ['1234.mp4', '000000001234.mp4.tmp', 'lost+found']) {
      expect(recordingNumber(other)).toBeNull();
    }
  });
});
