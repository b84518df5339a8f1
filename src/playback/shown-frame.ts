/**
 * Which frame of a segment is shown at an instant, by the presentation times of its samples. A segment may still grow, and
 * with reordered frames, or an open group of pictures, what it holds so far does not yet say which frame it is.
 */

import { ticksToMs } from '../cmaf/ticks.ts';

/** Times are stored in whole milliseconds. */
export const ROUNDING_MS = 1;
/** A frame that is shown longer, and longer than twice its usual time, stands for frames that are missing. */
export const MAX_SHOWN_MS = 1_000;
const MAX_SHOWN_FRAMES = 2;

export interface VideoSample {
  readonly dtsTicks: number;
  readonly ptsTicks: number;
  readonly isKey: boolean;
  /** Which fragment holds it. */
  readonly fragment: number;
  /** H.265: refers to pictures before its key frame. */
  readonly isRasl: boolean;
}

/** When a segment's samples are shown. */
export interface SegmentTime {
  /** Wall time of the frame that it shows first. */
  readonly epochMs: number;
  readonly timescaleHz: number;
  /** Its duration so far; null: it is complete. */
  readonly openDurationMs: number | null;
}

/** Frames around an instant that has none. Whole epoch milliseconds; null: not in this segment. */
export interface FrameGap {
  readonly kind: 'gap';
  readonly beforeMs: number | null;
  readonly afterMs: number | null;
}

/** `coming`: a sample that is not there yet may be shown at the instant. */
export type ShownFrame<Sample = VideoSample> =
  | { readonly kind: 'frame'; readonly sample: Sample; readonly atEpochMs: number }
  | FrameGap
  | { readonly kind: 'coming' };

/** The instant is not before the segment's; `samples`, at least one, are in the order of decoding. */
export function shownFrame<Sample extends VideoSample>(
  samples: readonly Sample[],
  time: SegmentTime,
  atEpochMs: number,
): ShownFrame<Sample> {
  const msOf = (ticks: number) => ticksToMs(ticks, time.timescaleHz);
  // With an open group of pictures, the first one that is shown comes after the key frame.
  const earliest = samples.reduce((one, other) => (other.ptsTicks < one.ptsTicks ? other : one));
  const shownAtMs = ({ ptsTicks }: VideoSample) => time.epochMs + msOf(ptsTicks - earliest.ptsTicks);
  let wanted = earliest;
  let after: Sample | null = null;
  let lagTicks = 0;
  for (const sample of samples) {
    lagTicks = Math.max(lagTicks, sample.dtsTicks - sample.ptsTicks);
    if (shownAtMs(sample) <= atEpochMs + ROUNDING_MS) {
      if (sample.ptsTicks > wanted.ptsTicks) wanted = sample;
    } else if (after === null || sample.ptsTicks < after.ptsTicks) after = sample;
  }
  // A sample that is not there yet is decoded later than all of these, and shown no earlier than it is decoded.
  const delayMs = msOf(earliest.ptsTicks - samples[0]!.dtsTicks + lagTicks);
  const { openDurationMs } = time;
  if (openDurationMs !== null && atEpochMs + ROUNDING_MS >= time.epochMs + openDurationMs - delayMs) {
    return { kind: 'coming' };
  }
  const wantedAtMs = shownAtMs(wanted);
  const usualMs = msOf(usualTicks(samples));
  if (atEpochMs - wantedAtMs > Math.max(MAX_SHOWN_MS, usualMs * MAX_SHOWN_FRAMES)) {
    const afterMs = after === null ? null : Math.ceil(shownAtMs(after));
    return { kind: 'gap', beforeMs: Math.round(wantedAtMs), afterMs };
  }
  return { kind: 'frame', sample: wanted, atEpochMs: Math.round(wantedAtMs) };
}

/** The usual time from one frame to the next. A single frame has no limit. */
function usualTicks(samples: readonly VideoSample[]): number {
  const shown = samples.map(({ ptsTicks }) => ptsTicks).toSorted((a, b) => a - b);
  const steps = shown.slice(1).map((ticks, index) => ticks - shown[index]!);
  if (steps.length === 0) return Number.POSITIVE_INFINITY;
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)]!;
}
