/**
 * Places a publisher's pictures and sound. Both have timestamps of one clock (FlvTimeline). But many devices stamp sound by
 * the samples that they have counted. Such sound drifts from the pictures as far as the sound card is off, and follows them
 * by arrival here, as over RTSP (docs/design/live-timing.md#audio-that-runs-fast-or-slow).
 */

import { ClockCorrection } from '../../rtp/clock-correction.ts';
import { PauseWatch } from '../../rtp/pause-watch.ts';
import { SoundDrift } from '../../rtp/sound-drift.ts';
import { FlvTimeline } from './flv/flv-timeline.ts';

const TICKS_PER_SEC = 1_000;

/** One track as it arrives. */
class Arrivals {
  readonly #pause = new PauseWatch();
  #lastMs = Number.NaN;
  #lastArrivalMonoMs = Number.NEGATIVE_INFINITY;
  #longestGapMs = 0;

  /** How much later its newest frame is stamped than the one before it. */
  deltaMs = 0;

  reset(): void {
    this.#pause.reset();
  }

  /** Places a frame at `ms`. Returns how long its clock was frozen, see PauseWatch. */
  advance(ms: number, arrivalMonoMs: number, other: Arrivals): number {
    const isFirst = Number.isNaN(this.#lastMs);
    this.deltaMs = isFirst ? 0 : ms - this.#lastMs;
    const elapsedMs = arrivalMonoMs - this.#lastArrivalMonoMs;
    this.#lastMs = ms;
    this.#lastArrivalMonoMs = arrivalMonoMs;
    const otherGapMs = other.#takeLongestGapMs(arrivalMonoMs);
    if (isFirst) return 0;
    this.#longestGapMs = Math.max(this.#longestGapMs, elapsedMs);
    return this.#pause.frame(elapsedMs, this.deltaMs, otherGapMs, arrivalMonoMs);
  }

  #takeLongestGapMs(nowMonoMs: number): number {
    const gapMs = Math.max(this.#longestGapMs, nowMonoMs - this.#lastArrivalMonoMs);
    this.#longestGapMs = 0;
    return gapMs;
  }
}

export class PushedTimeline {
  readonly #stamps = new FlvTimeline();
  readonly #pictures = new Arrivals();
  readonly #sounds = new Arrivals();
  readonly #drift = new SoundDrift();
  readonly #correction = new ClockCorrection(TICKS_PER_SEC);
  /** How long the clock of the track was frozen. */
  #pictureStillMs = 0;
  #soundStillMs = 0;

  /** By how much sound frames are further apart at present than their timestamps say, as a share. */
  get stretch(): number {
    return this.#correction.stretch;
  }

  /** Where a picture with this timestamp belongs, in milliseconds. Hot: once per picture. */
  videoMs(timestamp: number, arrivalMonoMs: number): number {
    const jumpsBefore = this.#stamps.jumps;
    const stampedMs = this.#stamps.videoMs(timestamp, arrivalMonoMs);
    if (this.#stamps.jumps !== jumpsBefore) this.#restart();
    const stillMs = this.#pictures.advance(stampedMs, arrivalMonoMs, this.#sounds);
    if (stillMs > 0) {
      this.#pictureStillMs += Math.round(stillMs);
      this.#restart();
    }
    const ms = stampedMs + this.#pictureStillMs;
    this.#drift.picture(ms, arrivalMonoMs);
    return ms;
  }

  /** The same for sound. */
  audioMs(timestamp: number, arrivalMonoMs: number): number {
    const jumpsBefore = this.#stamps.jumps;
    const stampedMs = this.#stamps.audioMs(timestamp, arrivalMonoMs);
    if (this.#stamps.jumps !== jumpsBefore) this.#restart();
    const stillMs = this.#sounds.advance(stampedMs, arrivalMonoMs, this.#pictures);
    if (stillMs > 0) {
      this.#soundStillMs += Math.round(stillMs);
      this.#restart();
    }
    const ms = stampedMs + this.#soundStillMs;
    this.#correction.advance(this.#sounds.deltaMs);
    if (this.#drift.sound(ms, arrivalMonoMs)) this.#follow(ms);
    return ms + this.#correction.ms;
  }

  #follow(ms: number): void {
    const goal = this.#drift.goal(ms);
    if (goal !== null) this.#correction.follow(goal.laterMs, goal.rate);
  }

  /** Earlier arrivals do not apply to later frames. A known drift still does. */
  #restart(): void {
    this.#pictures.reset();
    this.#sounds.reset();
    this.#correction.hold();
    this.#drift.restart(this.#correction.ms);
  }
}
