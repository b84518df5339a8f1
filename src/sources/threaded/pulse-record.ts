/** A pulse in the ring: numbers at fixed places. */

import { DROP_REASONS } from '../../cmaf/drop-counts.ts';
import type { FrameCounts } from '../../cmaf/segmenter-progress.ts';
import type { SourcePulse } from '../../stream/packaging-host.ts';

/** What arrived in place of access units, and what the packagers did with it since the last one. */
export interface HostedPulse {
  readonly pulse: SourcePulse;
  readonly counts: readonly (readonly [rendition: number, counts: FrameCounts])[];
}

/** Numbers before the counts, and of each of them. */
const NUMBERS = 6;
const COUNT_NUMBERS = 3 + DROP_REASONS.length;
/** In place of null. */
const NOTHING = Number.NaN;
/** Most pulses tell of no drops. */
const NO_DROPS = DROP_REASONS.map(() => 0);

export function pulseWords({ counts }: HostedPulse): number {
  return NUMBERS + counts.length * COUNT_NUMBERS;
}

/** Beginning at `at` of `f64`. */
export function writePulse(f64: Float64Array, at: number, { pulse, counts }: HostedPulse): void {
  f64[at] = pulse.lastUnitMonoMs;
  f64[at + 1] = pulse.pictures;
  f64[at + 2] = pulse.videoMonoMs ?? NOTHING;
  f64[at + 3] = pulse.soundMonoMs ?? NOTHING;
  f64[at + 4] = pulse.keyDistanceMs ?? NOTHING;
  f64[at + 5] = counts.length;
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
  return { pulse, counts };
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
