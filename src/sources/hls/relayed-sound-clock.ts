/**
 * Places sound that comes in the segments of its video. Timestamps of a segment usually give its place. But some cameras
 * stamp sound by the samples that they have counted, and write it as it was recorded. Their sound drifts from the pictures
 * as far as the sound card is off: each segment holds less sound, or more, than video. So a frame's place in its segment
 * stands for its arrival, and sound follows as over RTSP (docs/design/live-timing.md#audio-that-runs-fast-or-slow). A
 * server that sorts both by their timestamps shows no difference, and nothing is moved.
 */

import { ClockCorrection } from '../../rtp/clock-correction.ts';
import { SoundDrift } from '../../rtp/sound-drift.ts';

const TICKS_PER_SEC = 1_000;

export class RelayedSoundClock {
  readonly #drift = new SoundDrift();
  readonly #correction = new ClockCorrection(TICKS_PER_SEC);
  #lastMs = Number.NaN;

  /** The times before do not continue. */
  restart(): void {
    this.#correction.hold();
    this.#drift.restart(this.#correction.ms);
    this.#lastMs = Number.NaN;
  }

  /** A picture at `ms`. */
  picture(ms: number): void {
    this.#drift.picture(ms, ms);
  }

  /** By how much the next frame of sound belongs later than its timestamp says. Its segment has it at `placeMs` of its video. */
  laterMs(ms: number, placeMs: number): number {
    if (!Number.isNaN(this.#lastMs)) this.#correction.advance(ms - this.#lastMs);
    this.#lastMs = ms;
    if (this.#drift.sound(ms, placeMs)) {
      const goal = this.#drift.goal(ms);
      if (goal !== null) this.#correction.follow(goal.laterMs, goal.rate);
    }
    return this.#correction.ms;
  }
}
