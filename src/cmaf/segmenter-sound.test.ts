/** Sources without video: the audio sets the pace. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { silentOpusPacket } from '../codec/opus/opus-packet.ts';
import { opusTrackOf } from '../codec/opus/opus-track.ts';
import type { AacTrack, AudioTrack } from '../codec/track.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import { readFragment } from './fake-player.ts';
import type { PackagedContent } from './packaged-tracks.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

const FRAME = 1_024;
const PHONE_AUDIO: AacTrack = { ...FAKE_AUDIO, timescaleHz: 8_000, sampleRateHz: 8_000, channelCount: 1 };
const OPUS = opusTrackOf(1, 0);

class Bench {
  readonly parts: CmafPart[] = [];
  readonly segmenter: Segmenter;
  readonly #camera = new FakeCamera();
  readonly #track: AudioTrack;

  constructor(content: PackagedContent = 'video-and-audio', track: AudioTrack = FAKE_AUDIO) {
    this.#track = track;
    this.segmenter = new Segmenter({
      limits: DEFAULT_SEGMENTER_LIMITS,
      content,
      wallClock: new WallClock(1_000_000),
      onPart: (part) => this.parts.push(part),
    });
    this.segmenter.setTracks([track]);
  }

  /** A frame that arrives when its last sample was recorded. */
  frame(dtsTicks: number, data?: Uint8Array): void {
    const arrivalMonoMs = ((dtsTicks + this.#track.samplesPerFrame) * 1_000) / this.#track.timescaleHz;
    const fields = data === undefined ? { arrivalMonoMs } : { arrivalMonoMs, data };
    this.segmenter.push({ ...this.#camera.audio(dtsTicks, fields), trackIndex: 0 });
  }

  frames(seconds: number, fromTicks = 0, step = this.#track.samplesPerFrame): this {
    const { timescaleHz } = this.#track;
    for (let ticks = fromTicks; ticks < fromTicks + seconds * timescaleHz; ticks += step) this.frame(ticks);
    return this;
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
    return complete.map((parts) =>
      Math.round(parts.reduce((sum, part) => sum + (part.durationTicks * 1_000) / part.timescaleHz, 0)),
    );
  }

  get drops(): Record<string, number> {
    const counted = Object.entries(this.segmenter.drops.byReason()).filter(([, count]) => count > 0);
    return Object.fromEntries(counted);
  }
}

/** Every part starts where the one before ended, and lasts as long as its frames. */
function expectGapless(parts: readonly CmafPart[]): void {
  let endTicks = parts[0]!.startTicks;
  for (const part of parts) {
    const { runs } = readFragment(part.bytes.join());
    expect(runs).toHaveLength(1);
    expect([part.startTicks, runs[0]!.startTicks]).toEqual([endTicks, endTicks]);
    endTicks += part.durationTicks;
    expect(runs[0]!.endTicks).toBe(endTicks);
  }
}

describe('a source without video', () => {
  it.each([
    ['AAC at 48 kHz', FAKE_AUDIO, 2_048],
    ['AAC at 8 kHz, 128 ms a frame', PHONE_AUDIO, 1_920],
  ])('%s: segments end with the part that is closest to the target', (_name, track, usualMs) => {
    const bench = new Bench('video-and-audio', track).frames(20);
    const [firstMs, ...restMs] = bench.segmentsMs();
    // One part, for players that do not know parts.
    expect(firstMs).toBeLessThan(450);
    expect(restMs.length).toBeGreaterThan(7);
    for (const ms of restMs) expect(ms).toBe(usualMs);
    expectGapless(bench.parts);
    expect(bench.drops).toEqual({});
  });

  it('has one track with ID 1, no picture, and parts of equal length that can all begin playback', () => {
    const bench = new Bench().frames(10);
    const targetMs = bench.segmenter.partTargetMs;
    for (const part of bench.parts) {
      expect(part).toMatchObject({ isIndependent: true, keySample: null, pictures: 0, timescaleHz: 48_000 });
      expect(part.tracks).toMatchObject({ video: null, hasVideo: false, audioTrackId: 1 });
      expect(readFragment(part.bytes.join()).runs[0]!.trackId).toBe(1);
      const partMs = (part.durationTicks * 1_000) / part.timescaleHz;
      expect(partMs).toBeLessThanOrEqual(targetMs);
      if (!part.isSegmentEnd) expect(partMs).toBeGreaterThanOrEqual(0.85 * targetMs);
    }
    const init = bench.parts[0]!.tracks.init;
    expect([init.includes('soun'), init.includes('vide')]).toEqual([true, false]);
  });

  it('is the same where only the audio is packaged', () => {
    const both = new Bench('video-and-audio').frames(10);
    const audio = new Bench('audio').frames(10);
    expect(audio.parts.map((part) => part.bytes.join().toString('hex'))).toEqual(
      both.parts.map((part) => part.bytes.join().toString('hex')),
    );
  });

  it('gives nothing to those who want only video, and that is no loss', () => {
    const bench = new Bench('video').frames(10);
    expect([bench.parts.length, bench.drops, bench.segmenter.isFed]).toEqual([0, {}, false]);
  });

  it('dates its parts by arrival', () => {
    const bench = new Bench().frames(10);
    for (const part of bench.parts) {
      const mediaMs = (part.startTicks * 1_000) / 48_000;
      expect(part.epochMs - mediaMs).toBeCloseTo(
        bench.parts[0]!.epochMs - (bench.parts[0]!.startTicks * 1_000) / 48_000,
        3,
      );
    }
  });

  it('Opus packets that change their length last as long as they say', () => {
    const bench = new Bench('video-and-audio', OPUS);
    let ticks = 0;
    for (let i = 0; ticks < 48_000 * 8; i++) {
      const samples = [960, 2_880, 480][Math.floor(i / 40) % 3]!;
      bench.frame(ticks, silentOpusPacket(samples, 1)!);
      ticks += samples;
    }
    expectGapless(bench.parts);
    for (const ms of bench.segmentsMs().slice(1)) expect(Math.abs(ms - 2_000)).toBeLessThan(250);
  });
});

describe('holes and jumps without video', () => {
  it('fills a hole of 2 s with silence, in parts that are not longer than others', () => {
    const bench = new Bench().frames(4);
    const before = bench.parts.length;
    bench.frames(4, Math.ceil((6 * 48_000) / FRAME) * FRAME);
    expect(bench.parts.length).toBeGreaterThan(before + 10);
    for (const part of bench.parts) {
      expect((part.durationTicks * 1_000) / 48_000).toBeLessThanOrEqual(bench.segmenter.partTargetMs);
      expect(part.hasDiscontinuity).toBe(false);
    }
    expectGapless(bench.parts);
  });

  it.each([
    ['a hole of 6 s', 10],
    ['a jump of an hour ahead', 3_600],
    ['a jump of 4 s back', 0],
  ])('%s is one discontinuity, and output time goes on without a gap', (_name, toSec) => {
    const bench = new Bench().frames(4);
    bench.frames(4, Math.ceil((toSec * 48_000) / FRAME) * FRAME);
    expect(bench.parts.filter(({ hasDiscontinuity }) => hasDiscontinuity)).toHaveLength(1);
    expectGapless(bench.parts);
    expect(bench.drops).toEqual({});
  });

  it('a frame that comes again is left out', () => {
    const bench = new Bench().frames(4);
    bench.frames(0.2, 48_000 * 4 - 20 * FRAME);
    bench.frames(4, Math.ceil((48_000 * 4) / FRAME) * FRAME);
    expect(Object.keys(bench.drops)).toEqual(['timestamp-back']);
    expect(bench.parts.some(({ hasDiscontinuity }) => hasDiscontinuity)).toBe(false);
    expectGapless(bench.parts);
  });

  it('video that appears with the next instance begins with a discontinuity and another init segment', () => {
    const bench = new Bench().frames(4);
    const camera = new FakeCamera();
    const last = bench.parts.length;
    bench.segmenter.discontinuity();
    bench.segmenter.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
    for (let i = 0; i < 200; i++) {
      bench.segmenter.push(camera.picture({ dtsTicks: i * 3_600, isKey: i % 50 === 0 }));
    }
    const joined = bench.parts.slice(last).find(({ tracks }) => tracks.hasVideo)!;
    expect([joined.hasDiscontinuity, joined.isSegmentStart]).toEqual([true, true]);
    const soundEndSec = bench.parts
      .filter(({ tracks }) => !tracks.hasVideo)
      .map(({ startTicks, durationTicks }) => (startTicks + durationTicks) / 48_000)
      .at(-1)!;
    expect(joined.startTicks / 90_000).toBeCloseTo(soundEndSec, 3);
  });

  it('any timestamps give parts without a gap or an overlap', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(FRAME) },
        fc.integer({ min: -400_000, max: 700_000 }),
        fc.integer({ min: -3 * FRAME, max: 3 * FRAME }),
      ),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(steps, (each) => {
        const bench = new Bench();
        let ticks = 0;
        for (const step of each) {
          ticks = Math.max(0, ticks + step);
          bench.frame(ticks);
        }
        bench.segmenter.discontinuity();
        if (bench.parts.length > 0) expectGapless(bench.parts);
      }),
      randomRuns(100),
    );
  });
});
