/** When the frames of a source no longer belong to one timeline: it jumped back, or left a hole that nothing can fill. */

import { msToTicks } from './ticks.ts';

/** A longer pause than this between two video frames ends the timeline. */
const MAX_FRAME_GAP_MS = 10_000;
/** The same before a key frame: it shows what the camera sees now, and no viewer has to wait for that time. */
const MAX_GAP_BEFORE_KEY_MS = 5_000;
/** Without video, a longer hole in the audio ends the timeline. Silence fills a shorter one. */
const MAX_SOUND_GAP_MS = 5_000;
/** So does a longer step back; what a shorter one repeats is left out. */
const MAX_SOUND_BACK_MS = 1_500;

/**
 * Whether a video frame that comes `durationTicks` after the one before begins another timeline. `usualTicks`: the longest
 * distance that is normal for this camera; null if only one frame has come.
 */
export function isVideoBreak(
  durationTicks: number,
  isKey: boolean,
  usualTicks: number | null,
  timescaleHz: number,
): boolean {
  if (durationTicks < 0 || durationTicks > msToTicks(MAX_FRAME_GAP_MS, timescaleHz)) return true;
  // At the second frame, the usual distance is unknown: a camera may send only key frames, seconds apart.
  if (!isKey || usualTicks === null) return false;
  return durationTicks > msToTicks(MAX_GAP_BEFORE_KEY_MS, timescaleHz) && durationTicks > 2 * usualTicks;
}

/** Whether an audio frame of a source without video, `aheadTicks` after the end of the one before, begins another timeline. */
export function isSoundBreak(aheadTicks: number, timescaleHz: number): boolean {
  const isFarAhead = aheadTicks > msToTicks(MAX_SOUND_GAP_MS, timescaleHz);
  return isFarAhead || -aheadTicks > msToTicks(MAX_SOUND_BACK_MS, timescaleHz);
}
