/** The figures of a receiver report about one RTP source. RFC 3550 §6.4.1, A.1, A.3 and A.8. */

import { distance16, distance32 } from './serial-number.ts';

/** Figures since the previous report. */
export interface ReceptionFigures {
  /** Lost since the last report, as a fraction of 256. */
  readonly fractionLost: number;
  /** Since the start, 24 bits signed: duplicates can make it negative. */
  readonly cumulativeLost: number;
  readonly extendedHighestSequence: number;
  /** In units of the RTP clock. */
  readonly jitterTicks: number;
}

const MAX_CUMULATIVE_LOST = 0x7f_ffff;
const MIN_CUMULATIVE_LOST = -0x80_0000;
/** A.8: the jitter follows new differences by a sixteenth. */
const JITTER_GAIN = 1 / 16;

export class ReceptionStatistics {
  readonly #ticksPerMs: number;
  #isStarted = false;
  #baseSequence = 0;
  #highestSequence = 0;
  #received = 0;
  #expectedBefore = 0;
  #receivedBefore = 0;
  #lastRtpTimestamp = 0;
  #lastArrivalMonoMs = 0;
  #jitterTicks = 0;

  constructor(clockRateHz: number) {
    this.#ticksPerMs = clockRateHz / 1_000;
  }

  /** Starts over: another source, or the same one after a restart. */
  reset(): void {
    this.#isStarted = false;
    this.#received = 0;
    this.#expectedBefore = 0;
    this.#receivedBefore = 0;
    this.#jitterTicks = 0;
  }

  /** Hot: every packet as it arrives, duplicates and late ones included. */
  received(sequenceNumber: number, rtpTimestamp: number, arrivalMonoMs: number): void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#baseSequence = sequenceNumber;
      this.#highestSequence = sequenceNumber;
    } else {
      const ahead = distance16(this.#highestSequence & 0xffff, sequenceNumber);
      if (ahead > 0) this.#highestSequence += ahead;
      const arrivalTicks = (arrivalMonoMs - this.#lastArrivalMonoMs) * this.#ticksPerMs;
      const difference = Math.abs(arrivalTicks - distance32(this.#lastRtpTimestamp, rtpTimestamp));
      this.#jitterTicks += (difference - this.#jitterTicks) * JITTER_GAIN;
    }
    this.#received += 1;
    this.#lastRtpTimestamp = rtpTimestamp;
    this.#lastArrivalMonoMs = arrivalMonoMs;
  }

  /** Returns the figures and begins the next interval. */
  take(): ReceptionFigures {
    const expected = this.#isStarted ? this.#highestSequence - this.#baseSequence + 1 : 0;
    const expectedInterval = expected - this.#expectedBefore;
    const lostInterval = expectedInterval - (this.#received - this.#receivedBefore);
    this.#expectedBefore = expected;
    this.#receivedBefore = this.#received;
    const lost = expected - this.#received;
    return {
      fractionLost:
        expectedInterval <= 0 || lostInterval <= 0 ? 0 : Math.floor((lostInterval * 256) / expectedInterval),
      cumulativeLost: Math.max(MIN_CUMULATIVE_LOST, Math.min(MAX_CUMULATIVE_LOST, lost)),
      extendedHighestSequence: this.#highestSequence,
      jitterTicks: Math.min(Math.floor(this.#jitterTicks), 0xffff_ffff),
    };
  }
}
