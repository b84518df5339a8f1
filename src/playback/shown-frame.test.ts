import { describe, expect, it } from 'vitest';
import { type SegmentTime, shownFrame, type VideoSample } from './shown-frame.ts';

const STARTED_MS = 1_700_000_000_000;
const FRAME_MS = 40;
const TIME: SegmentTime = { epochMs: STARTED_MS, timescaleHz: 1_000, openDurationMs: null };

/** Shown in the order of these numbers, decoded in that of the list; the first one is the key frame. */
function decoded(numbers: readonly number[], delayFrames = 0): VideoSample[] {
  return numbers.map((number, index) => ({
    dtsTicks: 10_000 + (index - delayFrames) * FRAME_MS,
    ptsTicks: 10_000 + number * FRAME_MS,
    isKey: index === 0,
    fragment: 0,
    isRasl: false,
  }));
}

/** The number of the frame that is shown `atMs` after the first one, or why none is. */
function shown(samples: readonly VideoSample[], atMs: number, time: Partial<SegmentTime> = {}) {
  const result = shownFrame(samples, { ...TIME, ...time }, STARTED_MS + atMs);
  return result.kind === 'frame' ? (result.sample.ptsTicks - 10_000) / FRAME_MS : result.kind;
}

const IN_ORDER = [0, 1, 2, 3, 4, 5, 6, 7];
/** I P B B …: frames 2 and 3 are decoded after 4. */
const REORDERED = [0, 1, 4, 2, 3, 7, 5, 6];

describe('the frame of an instant', () => {
  it.each([
    ['in order', decoded(IN_ORDER)],
    ['reordered', decoded(REORDERED, 2)],
  ])('is the newest one that was taken by then, %s', (_how, samples) => {
    for (let number = 0; number < 8; number++) {
      for (const afterMs of [0, 20, 38]) {
        expect(shown(samples, number * FRAME_MS + afterMs)).toBe(number);
      }
    }
  });

  it('has its own time, whole milliseconds', () => {
    const samples = decoded(IN_ORDER);
    const result = shownFrame(samples, { ...TIME, epochMs: STARTED_MS + 0.4 }, STARTED_MS + 100);
    expect(result).toMatchObject({ kind: 'frame', atEpochMs: STARTED_MS + 80 });
  });

  it('of a segment that grows is known once no frame can come in between', () => {
    // 2 and 3 are not there yet, and 4 is.
    const samples = decoded(REORDERED.slice(0, 3), 2);
    const openDurationMs = 3 * FRAME_MS;
    expect([0, 20, 38].map((atMs) => shown(samples, atMs, { openDurationMs }))).toEqual([0, 0, 0]);
    expect([40, 60, 80, 119].map((atMs) => shown(samples, atMs, { openDurationMs }))).toEqual(
      Array(4).fill('coming'),
    );
    const grown = decoded(REORDERED.slice(0, 5), 2);
    expect([40, 80, 110].map((atMs) => shown(grown, atMs, { openDurationMs: 5 * FRAME_MS }))).toEqual([
      1, 2, 2,
    ]);
  });

  it('of a segment that grows without reordered frames is known up to its end', () => {
    const samples = decoded(IN_ORDER.slice(0, 3));
    const openDurationMs = 3 * FRAME_MS;
    expect(shown(samples, 118, { openDurationMs })).toBe(2);
    expect(shown(samples, 120, { openDurationMs })).toBe('coming');
  });

  it('may be one that is shown before the key frame, which is the first one of its segment', () => {
    // An open group of pictures: the key frame is shown 120 ms after the segment's start.
    const samples = decoded([3, 0, 1, 2, 4], 2);
    expect([0, 40, 80, 120, 160].map((atMs) => shown(samples, atMs + 5))).toEqual([0, 1, 2, 3, 4]);
    // With the key frame alone, that is not known yet.
    expect(shown(samples.slice(0, 2), 5, { openDurationMs: 2 * FRAME_MS })).toBe('coming');
  });

  it('is missing where the camera sent none for over a second', () => {
    const samples = decoded([0, 1, 2, 40, 41, 42]);
    expect(shown(samples, 2 * FRAME_MS + 999)).toBe(2);
    expect(shownFrame(samples, TIME, STARTED_MS + 1_300)).toEqual({
      kind: 'gap',
      beforeMs: STARTED_MS + 2 * FRAME_MS,
      afterMs: STARTED_MS + 40 * FRAME_MS,
    });
    expect(shown(samples, 40 * FRAME_MS)).toBe(40);
  });

  it('lasts as long as the camera takes for the next one: one frame in 5 s', () => {
    const samples = decoded([0, 125, 250]);
    expect(shown(samples, 124 * FRAME_MS)).toBe(0);
    expect(shown(samples, 249 * FRAME_MS)).toBe(125);
    expect(shown(decoded([0]), 4_900)).toBe(0);
  });
});
