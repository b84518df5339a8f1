/** A pulse in the ring: numbers at fixed places. */

import { DROP_REASONS } from '../../cmaf/drop-counts.ts';
import type { FrameCounts } from '../../cmaf/segmenter-progress.ts';
import { type CameraTime, CLOCK_VERDICTS, type ClockReading } from '../../rtp/camera-clock.ts';
import type { SourcePulse } from '../../stream/packaging/packaging-host.ts';

/** What arrived in place of access units, and what the packagers did with it since the last one. */
export interface HostedPulse {
  readonly pulse: SourcePulse;
  /** null: there is no other reading of the camera's clocks since the last one. */
  readonly clock: ClockReading | null;
  readonly counts: readonly (readonly [rendition: number, counts: FrameCounts])[];
}

/** Numbers before the counts, and of each of them. */
const NUMBERS = 17;
const COUNT_NUMBERS = 3 + DROP_REASONS.length;
/** In place of null. */
const NOTHING = Number.NaN;
/** In place of a verdict: there is no reading. */
const NO_READING = -1;
/** Most pulses tell of no drops. */
const NO_DROPS = DROP_REASONS.map(() => 0);

export function pulseWords({ counts }: HostedPulse): number {
  return NUMBERS + counts.length * COUNT_NUMBERS;
}

/** Beginning at `at` of `f64`. */
export function writePulse(f64: Float64Array, at: number, { pulse, clock, counts }: HostedPulse): void {
  f64[at] = pulse.lastUnitMonoMs;
  f64[at + 1] = pulse.pictures;
  f64[at + 2] = pulse.videoMonoMs ?? NOTHING;
  f64[at + 3] = pulse.soundMonoMs ?? NOTHING;
  f64[at + 4] = pulse.keyDistanceMs ?? NOTHING;
  f64[at + 5] = counts.length;
  f64[at + 6] = clock === null ? NO_READING : CLOCK_VERDICTS.indexOf(clock.verdict);
  if (clock !== null) writeClock(f64, at, clock);
  let to = at + NUMBERS;
  for (const [rendition, { frames, pictures, drops }] of counts) {
    f64[to] = rendition;
    f64[to + 1] = frames;
    f64[to + 2] = pictures;
    for (let i = 0; i < DROP_REASONS.length; i++) f64[to + 3 + i] = drops[i]!;
    to += COUNT_NUMBERS;
  }
}

export function readPulse(f64: Float64Array, at: number): HostedPulse {
  const counts: [number, FrameCounts][] = [];
  const end = at + NUMBERS + f64[at + 5]! * COUNT_NUMBERS;
  for (let from = at + NUMBERS; from < end; from += COUNT_NUMBERS) {
    const [frames, pictures] = [f64[from + 1]!, f64[from + 2]!];
    counts.push([f64[from]!, { frames, pictures, drops: dropsAt(f64, from + 3) }]);
  }
  const pulse = {
    lastUnitMonoMs: f64[at]!,
    pictures: f64[at + 1]!,
    videoMonoMs: orNull(f64[at + 2]!),
    soundMonoMs: orNull(f64[at + 3]!),
    keyDistanceMs: orNull(f64[at + 4]!),
  };
  return { pulse, clock: f64[at + 6] === NO_READING ? null : clockAt(f64, at), counts };
}

function writeClock(f64: Float64Array, at: number, clock: ClockReading): void {
  f64[at + 7] = clock.driftPpm ?? NOTHING;
  f64[at + 8] = clock.driftUncertaintyPpm ?? NOTHING;
  f64[at + 9] = clock.uncertaintyMs ?? NOTHING;
  f64[at + 10] = clock.jumps;
  f64[at + 11] = clock.offsetMs ?? NOTHING;
  f64[at + 12] = clock.cameraTime?.mediaMs ?? NOTHING;
  f64[at + 13] = clock.cameraTime?.epochMs ?? NOTHING;
  f64[at + 14] = clock.reportedTime?.mediaMs ?? NOTHING;
  f64[at + 15] = clock.reportedTime?.epochMs ?? NOTHING;
  f64[at + 16] = clock.soundDriftPpm ?? NOTHING;
}

function clockAt(f64: Float64Array, at: number): ClockReading {
  return {
    driftPpm: orNull(f64[at + 7]!),
    driftUncertaintyPpm: orNull(f64[at + 8]!),
    uncertaintyMs: orNull(f64[at + 9]!),
    jumps: f64[at + 10]!,
    offsetMs: orNull(f64[at + 11]!),
    verdict: CLOCK_VERDICTS[f64[at + 6]!]!,
    cameraTime: timeAt(f64, at + 12),
    reportedTime: timeAt(f64, at + 14),
    soundDriftPpm: orNull(f64[at + 16]!),
  };
}

function timeAt(f64: Float64Array, at: number): CameraTime | null {
  const [mediaMs, epochMs] = [orNull(f64[at]!), orNull(f64[at + 1]!)];
  return mediaMs === null || epochMs === null ? null : { mediaMs, epochMs };
}

function dropsAt(f64: Float64Array, at: number): readonly number[] {
  for (let i = 0; i < DROP_REASONS.length; i++) {
    if (f64[at + i] !== 0) return Array.from(f64.subarray(at, at + DROP_REASONS.length));
  }
  return NO_DROPS;
}

function orNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
