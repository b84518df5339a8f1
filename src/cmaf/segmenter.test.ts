import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { AccessUnit } from '../codec/track.ts';
import { MAX_WAITING_BYTES } from './audio-lane.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import { type ReadRun, readFragment } from './fake-player.ts';
import type { PackagedContent } from './packaged-tracks.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS, type SegmenterLimits } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

const FRAME_TICKS = 3_600;

class Bench {
  readonly parts: CmafPart[] = [];
  readonly camera = new FakeCamera();
  readonly segmenter: Segmenter;

  constructor(
    limits: Partial<SegmenterLimits> = {},
    withAudio = true,
    originMonoMs: number | null = null,
    content: PackagedContent = withAudio ? 'video-and-audio' : 'video',
  ) {
    this.segmenter = new Segmenter({
      limits: { ...DEFAULT_SEGMENTER_LIMITS, ...limits },
      content,
      wallClock: new WallClock(0),
      ...(originMonoMs === null ? {} : { originMonoMs }),
      onPart: (part) => this.parts.push(part),
    });
    this.segmenter.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
  }

  /** Frames at 25 Hz from `fromTicks` on, a key frame first and then every `gop`. */
  pictures(count: number, gop: number, fromTicks = 0): this {
    for (let i = 0; i < count; i++)
      this.picture({ dtsTicks: fromTicks + i * FRAME_TICKS, isKey: i % gop === 0 });
    return this;
  }

  picture(fields: Partial<AccessUnit>): void {
    this.segmenter.push(this.camera.picture(fields));
  }

  get drops(): Record<string, number> {
    return Object.fromEntries(
      Object.entries(this.segmenter.drops.byReason()).filter(([, count]) => count > 0),
    );
  }

  segments(): CmafPart[][] {
    const segments: CmafPart[][] = [];
    for (const part of this.parts) {
      if (part.isSegmentStart) segments.push([]);
      segments.at(-1)!.push(part);
    }
    return segments;
  }

  /** Durations of complete segments, in milliseconds. */
  segmentsMs(): number[] {
    const complete = this.segments().filter((parts) => parts.at(-1)!.isSegmentEnd);
    return complete.map((parts) => parts.reduce((sum, part) => sum + part.durationTicks, 0) / 90);
  }

  runs(trackId: number): ReadRun[] {
    const runs = this.parts.flatMap((part) => readFragment(part.bytes.join()).runs);
    return runs.filter((run) => run.trackId === trackId);
  }
}

describe('segments', () => {
  it.each([
    ['GOP of 2 s', 50, [2_000, 2_000, 2_000]],
    ['GOP of 1 s: two GOPs make a segment', 25, [1_000, 2_000, 2_000]],
    ['GOP of 1.5 s: another one would be too long', 38, [1_520, 1_520, 1_520, 1_520]],
    ['GOP of 0.4 s', 10, [400, 2_000, 2_000]],
    ['GOP of 0.2 s: the first segment is one part', 5, [400, 2_000, 2_000]],
    ['key frames only: the first segment is one part', 1, [320, 1_920, 1_920]],
    ['GOP of 3 s: longer than the target', 75, [3_000, 3_000]],
  ])(
    'end at the right key frame, the first segment at the first one after its start: %s',
    (_title, gop, expected) => {
      const bench = new Bench().pictures(160, gop);
      expect(bench.segmentsMs().slice(0, expected.length)).toEqual(expected);
      expect(bench.segmentsMs().length - expected.length).toBeLessThanOrEqual(1);
    },
  );

  it('end early only once: not after a reconnect, when players have segments to play', () => {
    const bench = new Bench().pictures(60, 25);
    bench.segmenter.discontinuity();
    bench.pictures(60, 25, 7_000_000);
    expect(bench.segmentsMs()).toEqual([1_000, 1_400, 2_000]);
  });

  it('are not doubled when key frames of a 2 s GOP arrive early', () => {
    const bench = new Bench();
    for (let i = 0; i < 200; i++) {
      bench.picture({ dtsTicks: i * FRAME_TICKS - (i % 50 === 0 && i > 0 ? 900 : 0), isKey: i % 50 === 0 });
    }
    expect(bench.segmentsMs()).toEqual([1_990, 2_000, 2_000]);
  });

  it.each([
    ['CMAF without audio', false, 'stypmsdh\0\0\0\0msdhcmfscmffcmfl'],
    ['not CMAF with audio', true, 'stypmsdh\0\0\0\0msdhiso6'],
  ])('have brands of %s, whether or not any audio arrives', (_title, withAudio, expected) => {
    const bench = new Bench({}, withAudio).pictures(60, 25);
    for (const [first] of bench.segments()) {
      const bytes = first!.bytes.join();
      expect(bytes.toString('latin1', 4, bytes.readUInt32BE(0))).toBe(expected);
    }
  });

  it('begin with styp and a key frame', () => {
    for (const [first, ...rest] of new Bench().pictures(160, 25).segments()) {
      expect(readFragment(first!.bytes.join())).toMatchObject({ boxes: ['styp', 'moof', 'mdat'] });
      expect(readFragment(first!.bytes.join()).runs[0]!.samples[0]!.isKey).toBe(true);
      expect(first!.isIndependent).toBe(true);
      for (const part of rest) expect(readFragment(part.bytes.join()).boxes).toEqual(['moof', 'mdat']);
    }
  });

  it('are cut at the limit when no key frame arrives, until one does', () => {
    const bench = new Bench({ maxSegmentMs: 4_000 }).pictures(150, 1_000).pictures(60, 50, 150 * FRAME_TICKS);
    expect(bench.segmentsMs()).toEqual([4_000, 2_000]);
    expect(bench.drops).toEqual({ 'gop-too-long': 1, 'awaiting-key': 49 });
    expect(bench.segments().map(([part]) => part!.hasDiscontinuity)).toEqual([false, true, false]);
  });

  it('are cut at the byte limit', () => {
    const bench = new Bench({ maxSegmentBytes: 100_000 });
    for (let i = 0; i < 40; i++) {
      bench.picture({ dtsTicks: i * FRAME_TICKS, isKey: i % 30 === 0, data: new Uint8Array(10_000) });
    }
    const bytes = bench
      .segments()
      .map((parts) => parts.reduce((sum, part) => sum + part.bytes.byteLength, 0));
    expect(Math.max(...bytes)).toBeLessThan(100_000);
    expect(bench.drops).toEqual({ 'gop-too-long': 2, 'awaiting-key': 20 });
  });
});

describe('a timeline', () => {
  it('begins at the time since its origin, the same for all renditions of a camera; never before 0', () => {
    const startsTicks = [1_000, 1_740, 500].map((arrivalMonoMs) => {
      const bench = new Bench({}, true, 1_000);
      bench.picture({ isKey: true, dtsTicks: 55, arrivalMonoMs });
      bench.segmenter.discontinuity();
      return bench.runs(1)[0]!.endTicks - bench.parts[0]!.durationTicks;
    });
    expect(startsTicks).toEqual([0, 740 * 90, 0]);
  });

  it('continues where it ended when another instance begins, and says so', () => {
    const bench = new Bench().pictures(30, 50);
    bench.segmenter.discontinuity();
    bench.pictures(30, 50, 7_000_000);
    bench.segmenter.discontinuity();
    expect(bench.segments().map(([part]) => part!.hasDiscontinuity)).toEqual([false, true]);
    expect(bench.runs(1).reduce((sum, run) => sum + run.samples.length, 0)).toBe(60);
    expect(bench.runs(1).at(-1)!.endTicks).toBe(60 * FRAME_TICKS);
  });

  it('waits for a key frame, and gives its only frame a duration', () => {
    const bench = new Bench();
    bench.picture({ dtsTicks: 0 });
    bench.picture({ dtsTicks: FRAME_TICKS, isKey: true });
    expect(bench.drops).toEqual({ joining: 1 });
    expect([bench.segmenter.drops.total, bench.segmenter.drops.joining]).toEqual([0, 1]);
    bench.segmenter.discontinuity();
    expect(bench.parts).toMatchObject([
      { durationTicks: FRAME_TICKS, isSegmentStart: true, isSegmentEnd: true },
    ]);
    bench.picture({ dtsTicks: 5 * FRAME_TICKS });
    expect(bench.drops).toEqual({ joining: 1, 'awaiting-key': 1 });
  });

  it('keeps the timeline across the hole of a lost group of pictures: the last frame freezes', () => {
    const bench = new Bench().pictures(30, 50).pictures(30, 50, 60 * FRAME_TICKS);
    bench.segmenter.discontinuity();
    expect(bench.segments().map(([part]) => part!.hasDiscontinuity)).toEqual([false, false]);
    expect(bench.segmentsMs()).toEqual([2_400, 1_200]);
    expect(bench.drops).toEqual({});
  });

  it('leaves out the time in which the camera sent nothing for more than five seconds', () => {
    const bench = new Bench().pictures(30, 50).pictures(30, 50, (30 + 5 * 25) * FRAME_TICKS);
    bench.segmenter.discontinuity();
    expect(bench.segments().map(([part]) => part!.hasDiscontinuity)).toEqual([false, true]);
    expect(bench.segmentsMs()).toEqual([1_200, 1_200]);
    expect(bench.drops).toEqual({});
  });

  it('shows a frame longer when only a few after it are missing', () => {
    const bench = new Bench().pictures(30, 50);
    for (let i = 40; i < 60; i++) bench.picture({ dtsTicks: i * FRAME_TICKS, isKey: i === 50 });
    expect(bench.segmentsMs()).toEqual([2_000]);
  });

  it('starts over at a key frame that jumps back or far ahead', () => {
    const bench = new Bench().pictures(30, 50, 90_000_000).pictures(30, 50, 0).pictures(30, 50, 90_000_000);
    expect(bench.segments().map(([part]) => part!.hasDiscontinuity)).toEqual([false, true, true]);
    expect(bench.drops).toEqual({});
  });

  it('survives another timescale with other parameter sets', () => {
    const bench = new Bench().pictures(30, 50);
    bench.segmenter.setTracks([{ ...FAKE_VIDEO, timescaleHz: 45_000 }]);
    for (let i = 0; i < 30; i++) bench.picture({ dtsTicks: i * 1_800, isKey: i === 0 });
    const second = bench.segments()[1]![0]!;
    expect(second).toMatchObject({ startTicks: 30 * 1_800, hasDiscontinuity: true });
    expect(second.tracks.fingerprint).not.toBe(bench.parts[0]!.tracks.fingerprint);
  });

  it('continues unbroken when the same tracks are announced again', () => {
    const bench = new Bench().pictures(30, 50);
    bench.segmenter.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
    for (let i = 30; i < 60; i++) bench.picture({ dtsTicks: i * FRAME_TICKS, isKey: i === 50 });
    expect(bench.segmentsMs()).toEqual([2_000]);
  });
});

describe('bad frames are dropped and counted', () => {
  it.each<[string, Partial<AccessUnit>, string]>([
    ['the same time again', { dtsTicks: 29 * FRAME_TICKS }, 'timestamp-back'],
    ['an earlier time', { dtsTicks: 5 * FRAME_TICKS }, 'timestamp-back'],
    ['a key frame twice', { dtsTicks: 29 * FRAME_TICKS, isKey: true }, 'timestamp-back'],
    ['presented before decoded', { dtsTicks: 30 * FRAME_TICKS, ptsTicks: 0 }, 'bad-timestamp'],
    ['presented in an hour', { dtsTicks: 30 * FRAME_TICKS, ptsTicks: 4e8 }, 'bad-timestamp'],
    ['no time', { dtsTicks: Number.NaN, ptsTicks: Number.NaN }, 'bad-timestamp'],
    ['half a tick', { dtsTicks: 30 * FRAME_TICKS + 0.5 }, 'bad-timestamp'],
    ['no arrival', { dtsTicks: 30 * FRAME_TICKS, arrivalMonoMs: Number.NaN }, 'bad-timestamp'],
    ['no bytes', { dtsTicks: 30 * FRAME_TICKS, data: new Uint8Array() }, 'empty'],
    ['too many bytes', { dtsTicks: 30 * FRAME_TICKS, data: new Uint8Array(8_388_609) }, 'oversized'],
  ])('%s', (_title, fields, reason) => {
    const bench = new Bench().pictures(30, 50);
    bench.picture(fields);
    for (let i = 30; i < 60; i++) bench.picture({ dtsTicks: i * FRAME_TICKS, isKey: i === 50 });
    expect(bench.drops).toEqual({ [reason]: 1 });
    expect(bench.segmentsMs()).toEqual([2_000]);
  });

  it('an oversized key frame costs its group of pictures', () => {
    const bench = new Bench().pictures(50, 50);
    bench.picture({ dtsTicks: 50 * FRAME_TICKS, isKey: true, data: new Uint8Array(8_388_609) });
    bench.picture({ dtsTicks: 51 * FRAME_TICKS });
    bench.pictures(20, 50, 100 * FRAME_TICKS);
    expect(bench.drops).toEqual({ oversized: 1, 'awaiting-key': 1 });
    expect(bench.segments()[1]![0]!.hasDiscontinuity).toBe(true);
  });

  it('units before tracks', () => {
    const bench = new Bench();
    bench.segmenter.setTracks([]);
    bench.picture({ isKey: true });
    expect(bench.drops).toEqual({ 'no-track': 1 });
  });
});

describe('audio', () => {
  /** Audio frames up to `untilSec`, late by the seconds that `delaySec` returns. */
  function withAudio(bench: Bench, seconds: number, delaySec = 0): Bench {
    let audioTicks = 0;
    for (let i = 0; i < seconds * 25; i++) {
      for (; audioTicks / 48_000 <= i / 25 - delaySec; audioTicks += 1_024) {
        bench.segmenter.push(bench.camera.audio(audioTicks));
      }
      bench.picture({ dtsTicks: i * FRAME_TICKS, isKey: i % 50 === 0 });
    }
    return bench;
  }

  it('goes with the video of its time, without a gap', () => {
    const bench = withAudio(new Bench(), 10);
    const runs = bench.runs(2);
    for (const [index, run] of runs.entries())
      if (index > 0) expect(run.startTicks).toBe(runs[index - 1]!.endTicks);
    for (const part of bench.parts) {
      const endMs = (part.startTicks + part.durationTicks) / 90;
      const audio = readFragment(part.bytes.join()).runs[1]!;
      expect(Math.abs(audio.endTicks / 48 - endMs)).toBeLessThan(45);
    }
    expect(bench.drops).toEqual({ joining: 1 });
  });

  it('that arrives late makes its part wait for it, without a gap', () => {
    const bench = withAudio(new Bench(), 10, 0.7);
    const runs = bench.runs(2);
    expect(runs[0]!.startTicks).toBe(0);
    for (const [index, run] of runs.entries())
      if (index > 0) expect(run.startTicks).toBe(runs[index - 1]!.endTicks);
  });

  it('is not waited for when more bytes are held than a segment may have, even if the video’s time does not advance', () => {
    const maxSegmentBytes = 200_000;
    const bench = withAudio(new Bench({ maxSegmentBytes }), 10, 0.7);
    const before = bench.parts.length;
    const data = new Uint8Array(50_000);
    for (let i = 0; i < 100; i++) bench.picture({ dtsTicks: 10 * 90_000 + i, isKey: true, data });
    const published = bench.parts.slice(before).reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    expect(100 * data.length - published).toBeLessThanOrEqual(2 * maxSegmentBytes);
  });

  it('is left out of a silent rendition', () => {
    const bench = withAudio(new Bench({}, false), 4);
    expect(bench.runs(2)).toEqual([]);
    expect(bench.parts[0]!.tracks.audio).toBeNull();
    expect(bench.drops).toEqual({});
  });

  it('can be packaged alone, cut where the video is cut', () => {
    const both = withAudio(new Bench(), 10);
    const alone = withAudio(new Bench({}, true, null, 'audio'), 10);
    expect(alone.runs(2)).toEqual([]);
    expect(alone.runs(1).flatMap(({ samples }) => samples)).toEqual(
      both.runs(2).flatMap(({ samples }) => samples),
    );
    expect(alone.parts).toHaveLength(both.parts.length);
    for (const [index, part] of alone.parts.entries()) {
      const { isSegmentStart, isSegmentEnd, startTicks, durationTicks } = both.parts[index]!;
      expect([part.isSegmentStart, part.isSegmentEnd]).toEqual([isSegmentStart, isSegmentEnd]);
      expect(part.timescaleHz).toBe(48_000);
      expect(Math.abs(part.startTicks / 48 - startTicks / 90)).toBeLessThan(45);
      const endMs = (startTicks + durationTicks) / 90;
      expect(Math.abs((part.startTicks + part.durationTicks) / 48 - endMs)).toBeLessThan(45);
    }
    expect(alone.drops).toEqual({ joining: 1 });
  });

  it('alone ends its timeline where the video does', () => {
    const alone = new Bench({}, true, null, 'audio');
    withAudio(alone, 3);
    alone.segmenter.setTracks([{ ...FAKE_VIDEO, widthPx: 320 }, FAKE_AUDIO]);
    withAudio(alone, 3);
    expect(alone.segments().map((parts) => parts[0]!.hasDiscontinuity)).toContain(true);
    const fingerprints = new Set(alone.parts.map(({ tracks }) => tracks.fingerprint));
    expect(fingerprints.size).toBe(1);
  });

  it('alone of a camera without audio is nothing, and nothing is lost', () => {
    const alone = new Bench({}, true, null, 'audio');
    alone.segmenter.setTracks([FAKE_VIDEO]);
    alone.pictures(100, 50);
    expect([alone.parts, alone.drops, alone.segmenter.isFed]).toEqual([[], {}, false]);
  });

  it('stays in sync with the video across a reconnect', () => {
    const bench = withAudio(new Bench(), 3);
    bench.segmenter.discontinuity();
    withAudio(bench, 3);
    bench.segmenter.discontinuity();
    const runs = bench.runs(2);
    expect(Math.abs(runs.at(-1)!.endTicks / 48 - 6_000)).toBeLessThan(45);
    for (const [index, run] of runs.entries()) {
      if (index > 0) expect(run.startTicks).toBeGreaterThanOrEqual(runs[index - 1]!.endTicks);
    }
  });

  it('comes back after a silence', () => {
    const bench = new Bench();
    for (let i = 0; i < 500; i++) {
      if (i < 50 || i >= 450) bench.segmenter.push(bench.camera.audio(i * 1_920));
      bench.picture({ dtsTicks: i * FRAME_TICKS, isKey: i % 50 === 0 });
    }
    const samples = bench.runs(2).flatMap((run) => run.samples);
    expect(new Set(samples.map(({ durationTicks }) => durationTicks))).toEqual(new Set([1_024]));
    expect(bench.runs(2).at(-1)!.endTicks).toBeGreaterThan(480 * 1_920);
    expect(bench.drops).toEqual({ joining: 1 });
  });

  it('without video is limited', () => {
    const bench = new Bench().pictures(2, 50);
    const data = Buffer.alloc(8_192);
    for (let i = 0; i < 400; i++) bench.segmenter.push(bench.camera.audio(i * 1_024, { data }));
    bench.segmenter.push(bench.camera.audio(13 * 48_000));
    expect(bench.drops).toEqual({
      'audio-backlog': 400 - MAX_WAITING_BYTES / data.length,
      'bad-timestamp': 1,
    });
  });
});

describe('whatever a camera sends', () => {
  const unit = fc.record({
    kind: fc.constantFrom('picture', 'picture', 'picture', 'picture', 'audio', 'reconnect'),
    stepTicks: fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 2_700, max: 4_500 }) },
      { weight: 1, arbitrary: fc.integer({ min: -100_000, max: 2_000_000 }) },
    ),
    isKey: fc.nat(11).map((roll) => roll === 0),
    compositionFrames: fc.nat(3),
    sizeBytes: fc.integer({ min: 0, max: 2_000 }),
  });

  it('the output is a legal stream', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 300 }), (units) => {
        const bench = new Bench();
        let dtsTicks = 1e9;
        let audioTicks = Math.round((dtsTicks / 90_000) * 48_000);
        let fill = 0;
        for (const { kind, stepTicks, isKey, compositionFrames, sizeBytes } of units) {
          if (kind === 'reconnect') bench.segmenter.discontinuity();
          else if (kind === 'audio') {
            audioTicks += 1_024;
            bench.segmenter.push(bench.camera.audio(audioTicks));
          } else {
            dtsTicks += stepTicks;
            const data = new Uint8Array(sizeBytes).fill(++fill);
            const ptsTicks = dtsTicks + compositionFrames * FRAME_TICKS;
            bench.picture({ dtsTicks, ptsTicks, isKey, data });
          }
        }
        bench.segmenter.discontinuity();
        expectLegal(bench);
      }),
      randomRuns(300),
    );
  });
});

/** Invariants of any output. */
function expectLegal(bench: Bench): void {
  const targetTicks = bench.segmenter.partTargetMs * 90;
  let endTicks = 0;
  let audioEndTicks = 0;
  let sequenceNumber = 0;
  let isExpectingStart = true;
  for (const part of bench.parts) {
    const read = readFragment(part.bytes.join());
    const [video, audio] = read.runs;
    expect(read.sequenceNumber).toBe(++sequenceNumber);
    expect(part.isSegmentStart).toBe(isExpectingStart);
    isExpectingStart = part.isSegmentEnd;
    expect([video!.trackId, video!.startTicks, video!.endTicks - video!.startTicks]).toEqual([
      1,
      endTicks,
      part.durationTicks,
    ]);
    expect(video!.samples.length).toBe(part.pictures);
    for (const { durationTicks, data } of video!.samples) {
      expect(durationTicks).toBeGreaterThan(0);
      expect(data.every((byte) => byte === data[0])).toBe(true);
    }
    if (part.isSegmentStart) expect(video!.samples[0]!.isKey).toBe(true);
    if (part.hasDiscontinuity) expect(part.isSegmentStart).toBe(true);
    if (part.pictures > 1) expect(part.durationTicks).toBeLessThanOrEqual(targetTicks);
    if (audio !== undefined) {
      expect(audio.trackId).toBe(2);
      expect(audio.startTicks).toBeGreaterThanOrEqual(audioEndTicks);
      audioEndTicks = audio.endTicks;
    }
    endTicks = video!.endTicks;
    // Late audio is waited for at most 1.6 s, whatever arrives.
    expect(endTicks / 90 - audioEndTicks / 48).toBeLessThan(1_650);
  }
  expect(isExpectingStart).toBe(true);
}

describe('a segmenter that goes on where another one stopped', () => {
  it('has its time, its part target and its numbers, and begins with a discontinuity', () => {
    const earlier = new Bench().pictures(60, 50);
    expect(new Bench().segmenter.progress()).toBeNull();
    const progress = earlier.segmenter.progress()!;
    const written = earlier.parts.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
    expect(progress).toMatchObject({ endTicks: written, timescaleHz: 90_000, hasEndedSegment: true });
    const later = new Bench();
    later.segmenter.goOn({ ...progress, partTargetMs: 700 });
    later.pictures(60, 50, 1_000_000);
    expect(later.parts[0]).toMatchObject({
      startTicks: written,
      hasDiscontinuity: true,
      isSegmentStart: true,
    });
    expect(later.segmenter.partTargetMs).toBe(700);
    expect(later.parts[0]!.durationTicks / 90).toBeGreaterThan(500);
    expect(later.segmenter.progress()!.sequenceNumber).toBe(progress.sequenceNumber + later.parts.length);
  });

  it('counts its end in what its tracks are counted in', () => {
    const later = new Bench();
    const counted = { timescaleHz: 1_000, partTargetMs: 400, sequenceNumber: 7, hasEndedSegment: false };
    const start = { ...counted, hasSetsInBand: false };
    later.segmenter.goOn({ ...start, endTicks: 2_000, soundEndSec: 2.01 });
    later.pictures(60, 50);
    expect(later.parts[0]).toMatchObject({ startTicks: 180_000 });
    expect(later.runs(2)[0]!.startTicks).toBe(96_480);
  });
});
