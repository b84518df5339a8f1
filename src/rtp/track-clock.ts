/** One track's RTP timestamps on the session's timeline. RFC 3550 §5.1, §6.4.1. */

import { ClockCorrection } from './clock-correction.ts';
import { PauseWatch } from './pause-watch.ts';
import { distance32 } from './serial-number.ts';

/** The content of a sender report: an RTP timestamp and the camera's wall clock at the same instant. */
export interface SenderClock {
  /** Milliseconds since 1900. */
  readonly ntpMs: number;
  readonly rtpTimestamp: number;
}

/** B-frames go back by a few frames; a larger step means that the camera restarted its clock. */
const MAX_BACKWARD_MS = 1_000;
/** A step forward by more than this, and by more than the time that has passed, is not a gap but a different clock. */
const MAX_FORWARD_MS = 10_000;

/**
 * Unanchored until `anchor`. Ticks are in the RTP clock rate, do not wrap, and follow the timestamps exactly, except
 * for jumps, which are bridged by the elapsed time, and for a correction: a slow one, or that of a wrong rate.
 */
export class TrackClock {
  readonly rateHz: number;
  /** The newest report; null before the first one and after a jump, which makes it meaningless. */
  senderClock: SenderClock | null = null;
  /** Timestamp at the instant at which PLAY began; null when unknown. */
  startRtpTimestamp: number | null = null;
  #isAnchored = false;
  #lastRtpTimestamp = 0;
  #lastTicks = 0;
  #lastArrivalMonoMs = 0;
  #jumps = 0;
  readonly #pause = new PauseWatch();
  readonly correction: ClockCorrection;
  #longestGapMs = 0;

  constructor(rateHz: number) {
    this.rateHz = rateHz;
    this.correction = new ClockCorrection(rateHz);
  }

  get isAnchored(): boolean {
    return this.#isAnchored;
  }

  /** Timestamps that did not follow from earlier ones. */
  get jumps(): number {
    return this.#jumps;
  }

  /** Position of the newest frame in uncorrected milliseconds. */
  get uncorrectedNewestMs(): number {
    return (this.#lastTicks * 1_000) / this.rateHz;
  }

  anchor(rtpTimestamp: number, ticks: number, arrivalMonoMs: number): void {
    this.#isAnchored = true;
    this.#lastRtpTimestamp = rtpTimestamp;
    this.#lastTicks = ticks;
    this.#lastArrivalMonoMs = arrivalMonoMs;
  }

  /** Position of a timestamp within some hours of the last one, in uncorrected milliseconds. */
  uncorrectedMs(rtpTimestamp: number): number {
    return ((this.#lastTicks + distance32(this.#lastRtpTimestamp, rtpTimestamp)) * 1_000) / this.rateHz;
  }

  /** The longest time without a frame since the last call. */
  takeLongestGapMs(nowMonoMs: number): number {
    const gapMs = Math.max(this.#longestGapMs, nowMonoMs - this.#lastArrivalMonoMs);
    this.#longestGapMs = 0;
    return gapMs;
  }

  /** The next frame's time in ticks. `otherGapMs`: the longest time without a frame of the other track since the last one. */
  advance(rtpTimestamp: number, arrivalMonoMs: number, otherGapMs: number): number {
    const elapsedMs = arrivalMonoMs - this.#lastArrivalMonoMs;
    let deltaTicks = distance32(this.#lastRtpTimestamp, rtpTimestamp);
    const deltaMs = (deltaTicks * 1_000) / this.rateHz;
    if (deltaMs < -MAX_BACKWARD_MS || (deltaMs > MAX_FORWARD_MS && deltaMs > elapsedMs + MAX_FORWARD_MS)) {
      deltaTicks = this.#bridge(elapsedMs);
    } else {
      const stillMs = this.#pause.frame(elapsedMs, deltaMs, otherGapMs, arrivalMonoMs);
      if (stillMs > 0) deltaTicks += this.#bridge(stillMs);
    }
    this.#longestGapMs = Math.max(this.#longestGapMs, elapsedMs);
    this.#lastRtpTimestamp = rtpTimestamp;
    this.#lastArrivalMonoMs = arrivalMonoMs;
    this.#lastTicks += deltaTicks;
    this.correction.advance(deltaTicks);
    return Math.round(this.#lastTicks + this.correction.ticks);
  }

  /** The timestamps are useless (they do not advance, or go back a little and stay there): continue from `ticks`. */
  restart(rtpTimestamp: number, ticks: number, arrivalMonoMs: number): void {
    this.#bridge(0);
    this.#lastRtpTimestamp = rtpTimestamp;
    this.#lastArrivalMonoMs = arrivalMonoMs;
    this.#lastTicks = ticks - this.correction.ticks;
  }

  /**
   * Ticks for a jump: the time since the last frame, or for which the clock was frozen. Earlier relations to the wall clock
   * no longer hold.
   */
  #bridge(elapsedMs: number): number {
    this.#jumps += 1;
    this.#pause.reset();
    this.senderClock = null;
    this.startRtpTimestamp = null;
    this.correction.hold();
    return Math.max(1, Math.round((elapsedMs * this.rateHz) / 1_000));
  }
}
