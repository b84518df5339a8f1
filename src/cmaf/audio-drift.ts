/**
 * When a frame of sound is put in or left out, because the frames last longer or shorter than their timestamps are apart:
 * the sound card runs fast or slow, or samples at another rate than the one that it states. Frames cannot be made longer
 * (docs/design/live-timing.md#audio-that-runs-fast-or-slow), so every now and then there is one too many or too few. It is
 * heard least where the sound is quietest, and such a moment is awaited for as long as the sound is close to its time.
 */

import { aacLoudness } from '../codec/aac/loudness.ts';
import type { AudioTrack } from '../codec/track.ts';
import { RecentMaximum } from './recent-maximum.ts';
import { msToTicks } from './ticks.ts';

/** In frames: how much the sound must be ahead of its time for one more, behind it for one less. No value is both. */
const MIN_AHEAD_FRAMES = 0.5;
const MIN_BEHIND_FRAMES = 0.75;
/** Beyond this, no quiet moment is awaited. Lower sampling rates, whose frames are long, have the second. */
const MAX_OFF_FRAMES = 2;
const MAX_OFF_MS = 60;
/** Frames of 128 ms: at least this. */
const MAX_AHEAD_FRAMES = 0.75;
const MAX_BEHIND_FRAMES = 0.625;
/** A frame is quiet if the quietest of the last seconds is quieter by no more than this, in steps of 1.5 dB. */
const QUIET_STEPS = 4;
const QUIET_SPAN_MS = 3_000;
const LOUDEST = 255;

export class AudioDrift {
  readonly #isAac: boolean;
  readonly #frameTicks: number;
  readonly #maxAheadTicks: number;
  readonly #maxBehindTicks: number;
  readonly #quietness: RecentMaximum;
  #isQuiet = true;

  /** `frameTicks`: of a frame of the track. */
  constructor(track: AudioTrack, frameTicks: number) {
    this.#isAac = track.codec === 'aac';
    this.#frameTicks = frameTicks;
    const maxOffTicks = msToTicks(MAX_OFF_MS, track.timescaleHz);
    const bound = (leastFrames: number) =>
      Math.min(frameTicks * MAX_OFF_FRAMES, Math.max(frameTicks * leastFrames, maxOffTicks));
    this.#maxAheadTicks = bound(MAX_AHEAD_FRAMES);
    this.#maxBehindTicks = bound(MAX_BEHIND_FRAMES);
    this.#quietness = new RecentMaximum(msToTicks(QUIET_SPAN_MS, track.timescaleHz));
  }

  /** Hot: once per frame, borrowed, before the questions about it. */
  hear(frame: Uint8Array, stampedTicks: number): void {
    const loudness = this.#isAac ? aacLoudness(frame) : null;
    if (loudness !== null) this.#quietness.add(stampedTicks, LOUDEST - loudness);
    this.#isQuiet = loudness === null || LOUDEST - loudness + QUIET_STEPS >= this.#quietness.value;
  }

  /** Whether one more frame belongs before the one that was heard last, which would begin `aheadTicks` too early. */
  needsOneMore(aheadTicks: number): boolean {
    if (aheadTicks >= this.#maxAheadTicks) return true;
    return this.#isQuiet && aheadTicks >= this.#frameTicks * MIN_AHEAD_FRAMES;
  }

  /** Whether the frame that was heard last, which would begin `behindTicks` too late, is one too many. */
  isOneTooMany(behindTicks: number): boolean {
    if (behindTicks > this.#maxBehindTicks) return true;
    return this.#isQuiet && behindTicks > this.#frameTicks * MIN_BEHIND_FRAMES;
  }
}
