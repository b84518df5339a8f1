/**
 * Puts NAL units that are sent in another order back into decoding order: the de-packetization buffer of RFC 7798 §6.
 *
 * Each NAL unit has a decoding order number (DON) of 16 bits, which becomes a number that does not wrap: AbsDon (§4.5).
 * The one with the smallest AbsDon is passed on as soon as none can come before it:
 *
 * - The greatest AbsDon is sprop-max-don-diff ahead of it (condition A), or more than sprop-depack-buf-nalus wait
 *   (condition B), or more bytes than sprop-depack-buf-bytes.
 * - The limits below are reached, whatever the description says. What then comes too late is RTP_REORDER_LIMIT.
 * - It follows the one before without a step, and no two have had the same number so far (DISTINCT_AFTER). §6 would wait
 *   here too; but encoders that number what they send in decoding order, with bounds far too large, need no wait.
 *
 * Where packets were lost, AbsDon shows the missing unit: it was sent after all that came before the gap and before all
 * that came after it, so it is at most sprop-max-don-diff behind the former and ahead of the latter. Each step in AbsDon
 * there may hide a loss, and elsewhere none does (§4.5: numbers may be left out). What was sent before the first packet is
 * lost in the same way.
 */

import type { RtpErrorCode } from '../errors.ts';
import type { DepacketizationBounds } from './depacketization-bounds.ts';

/** A NAL unit that waits for its turn. */
export interface WaitingNalu {
  readonly absDon: number;
  /** With its header. */
  readonly bytes: Uint8Array;
  readonly rtpTimestamp: number;
  readonly arrivalMonoMs: number;
  /** The last one, in decoding order, of an access unit of which everything has come. */
  isLast: boolean;
}

/** Called synchronously, in decoding order. */
export interface DecodingOrderSink {
  /** `arrivalMonoMs`: when the packet came that released it. */
  onOrdered(nalu: WaitingNalu, arrivalMonoMs: number): void;
  /** NAL units may be missing before the next one. */
  onMissing(code: RtpErrorCode): void;
  /** A NAL unit came after one of its successors had been passed on, and is dropped. */
  onLate(code: RtpErrorCode): void;
}

/** Limits on what waits: more than 30 pictures of many slices, and the largest picture (MAX_FRAME_BYTES). */
export const MAX_WAITING_NALUS = 1_024;
export const MAX_WAITING_BYTES = 8 * 1_048_576;
/** How long the next NAL unit may wait for one before it. No encoder looks ahead as far. */
export const MAX_WAITING_MS = 5_000;
/** NAL units without equal numbers among them after which all numbers are taken to be distinct. */
export const DISTINCT_AFTER = 64;
/** NAL units in a row that come too late before their numbers count as new ones. */
const MAX_LATE_IN_ROW = 16;
const DON_RANGE = 0x1_0000;
const NOTHING_LOST = Number.NEGATIVE_INFINITY;

export class DecodingOrderBuffer {
  readonly #bounds: DepacketizationBounds;
  readonly #sink: DecodingOrderSink;
  /** By AbsDon, smallest first; equal ones as they came. */
  readonly #waiting: WaitingNalu[] = [];
  #waitingBytes = 0;
  /** DON and AbsDon of the NAL unit that came last; -1 before the first. */
  #don = -1;
  #absDon = 0;
  /** The greatest AbsDon that came, and the one that was passed on last. */
  #highest = Number.NEGATIVE_INFINITY;
  #passed = Number.NEGATIVE_INFINITY;
  /** Up to here, NAL units were passed on because of a limit. */
  #forcedUntil = Number.NEGATIVE_INFINITY;
  #lateInRow = 0;
  /** How many came while no two had the same number; -Infinity: some had. */
  #distinct = 0;
  /** Why something is missing, and where: from one AbsDon to another. null: nothing is. */
  #lossCode: RtpErrorCode | null = 'RTP_PACKET_LOSS';
  #lossFrom = Number.NEGATIVE_INFINITY;
  #lossUntil = Number.POSITIVE_INFINITY;
  /** It need not be reported: it was, or it was before the first packet. */
  #isLossFound = true;

  constructor(bounds: DepacketizationBounds, sink: DecodingOrderSink) {
    this.#bounds = bounds;
    this.#sink = sink;
  }

  get waitingNalus(): number {
    return this.#waiting.length;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Takes over `bytes`: a NAL unit of the current packet. Call `endPacket` after the last one. */
  put(don: number, bytes: Uint8Array, rtpTimestamp: number, arrivalMonoMs: number): void {
    const absDon = this.#absDonOf(don);
    if (absDon < this.#highest - this.#bounds.maxDonDiff) this.#beginAnew(arrivalMonoMs);
    else if (absDon < this.#passed && !this.#isTooLate(absDon, arrivalMonoMs)) return;
    this.#lateInRow = 0;
    this.#distinct = absDon === this.#passed ? Number.NEGATIVE_INFINITY : this.#distinct + 1;
    this.#highest = Math.max(this.#highest, absDon);
    this.#lossUntil = Math.min(this.#lossUntil, absDon + this.#bounds.maxDonDiff);
    this.#insert({ absDon, bytes, rtpTimestamp, arrivalMonoMs, isLast: false });
    this.#waitingBytes += bytes.length;
    if (this.#waiting.length > MAX_WAITING_NALUS) this.#release(arrivalMonoMs);
  }

  /** The packet is over. `isMarked`: it was the last one of its access unit. Passes on all NAL units that are due. */
  endPacket(rtpTimestamp: number, isMarked: boolean, arrivalMonoMs: number): void {
    // A packet that was lost before may belong to this access unit.
    if (isMarked && this.#lossCode === null) {
      const last = this.#waiting.findLast((nalu) => nalu.rtpTimestamp === rtpTimestamp);
      if (last !== undefined) last.isLast = true;
    }
    this.#release(arrivalMonoMs);
  }

  /** The packets before the next one are missing, or cannot be read. */
  lose(code: RtpErrorCode): void {
    if (this.#lossCode === null) {
      this.#lossCode = code;
      this.#lossFrom = this.#highest - this.#bounds.maxDonDiff;
    }
    this.#isLossFound = false;
    this.#lossUntil = Number.POSITIVE_INFINITY;
  }

  /** §4.5. Of two numbers that are half the range apart, the greater one is the earlier one. */
  #absDonOf(don: number): number {
    let step = this.#don < 0 ? 0 : don - this.#don;
    if (step >= DON_RANGE / 2) step -= DON_RANGE;
    else if (step <= -DON_RANGE / 2) step += DON_RANGE;
    this.#don = don;
    this.#absDon += step;
    return this.#absDon;
  }

  /** A number that cannot follow those before: all of them are passed on, and the numbering begins with it. */
  #beginAnew(arrivalMonoMs: number): void {
    while (this.#waiting.length > 0) this.#pass(arrivalMonoMs);
    this.#highest = Number.NEGATIVE_INFINITY;
    this.#passed = Number.NEGATIVE_INFINITY;
    this.#forcedUntil = Number.NEGATIVE_INFINITY;
    this.#distinct = 0;
    this.#lossCode = 'RTP_DECODING_ORDER';
    this.#lossFrom = Number.NEGATIVE_INFINITY;
    this.#lossUntil = Number.POSITIVE_INFINITY;
    this.#isLossFound = true;
    this.#sink.onMissing('RTP_DECODING_ORDER');
  }

  /** A successor was passed on before. Returns true if so many came too late that their numbers are new ones. */
  #isTooLate(absDon: number, arrivalMonoMs: number): boolean {
    this.#lateInRow += 1;
    this.#distinct = Number.NEGATIVE_INFINITY;
    if (this.#lateInRow > MAX_LATE_IN_ROW) {
      this.#beginAnew(arrivalMonoMs);
      return true;
    }
    this.#sink.onLate(absDon <= this.#forcedUntil ? 'RTP_REORDER_LIMIT' : 'RTP_DECODING_ORDER');
    return false;
  }

  #insert(nalu: WaitingNalu): void {
    const waiting = this.#waiting;
    let from = 0;
    let to = waiting.length;
    // Most come in order.
    if (to > 0 && waiting[to - 1]!.absDon <= nalu.absDon) from = to;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (waiting[middle]!.absDon <= nalu.absDon) from = middle + 1;
      else to = middle;
    }
    if (from > 0 && waiting[from - 1]!.absDon === nalu.absDon) this.#distinct = Number.NEGATIVE_INFINITY;
    if (from === waiting.length) waiting.push(nalu);
    else waiting.splice(from, 0, nalu);
  }

  #release(nowMonoMs: number): void {
    const waiting = this.#waiting;
    while (waiting.length > 0) {
      const { absDon, arrivalMonoMs } = waiting[0]!;
      const isNext = absDon - this.#passed <= (this.#distinct < DISTINCT_AFTER ? 0 : 1);
      const isDue = isNext || this.#isBeyondBounds(absDon);
      const isForced =
        waiting.length > MAX_WAITING_NALUS ||
        this.#waitingBytes > MAX_WAITING_BYTES ||
        nowMonoMs - arrivalMonoMs >= MAX_WAITING_MS;
      if (!isDue && !isForced) return;
      if (!isDue) this.#forcedUntil = absDon;
      this.#pass(nowMonoMs);
    }
  }

  /** Conditions A and B of §6. */
  #isBeyondBounds(smallest: number): boolean {
    const { maxDonDiff, maxNalus, maxBytes } = this.#bounds;
    const waiting = this.#waiting;
    if (waiting.length > maxNalus || this.#waitingBytes > maxBytes) return true;
    return waiting[waiting.length - 1]!.absDon - smallest >= maxDonDiff;
  }

  #pass(nowMonoMs: number): void {
    const nalu = this.#waiting.shift()!;
    this.#waitingBytes -= nalu.bytes.length;
    if (this.#lossCode !== null) this.#findLoss(nalu.absDon, this.#lossCode);
    this.#passed = nalu.absDon;
    this.#sink.onOrdered(nalu, nowMonoMs);
  }

  /** Reports what may be missing before the NAL unit that is next. */
  #findLoss(absDon: number, code: RtpErrorCode): void {
    const isStep = Number.isFinite(this.#passed) && absDon - this.#passed > 1;
    const isThere = absDon > this.#lossFrom && this.#passed < this.#lossUntil;
    const isOver = absDon >= this.#lossUntil;
    if ((isStep && isThere) || (isOver && !this.#isLossFound)) {
      this.#isLossFound = true;
      this.#sink.onMissing(code);
    }
    if (isOver) {
      this.#lossCode = null;
      this.#lossUntil = NOTHING_LOST;
    }
  }
}
