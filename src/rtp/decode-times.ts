/**
 * Decoding times from presentation times, without waiting for later pictures. A camera sends pictures in decoding order
 * and stamps them with presentation times. If at most N pictures are reordered, the decoding time of a picture is the
 * (N+1)th largest presentation time so far: never later than its own, never earlier than the one before.
 *
 * N is max_num_reorder_frames from the SPS. If the SPS does not say, N starts at 0, as in cameras without B-frames, and
 * grows when a picture arrives that is presented before an earlier one. That picture is moved to the earliest available
 * time, and so may the next few be; this happens once.
 */

import { SharedStamps } from './shared-stamps.ts';

/** ISO/IEC 14496-10 §E.2.1: max_num_reorder_frames is at most the size of the picture buffer. */
export const MAX_REORDER_FRAMES = 16;

export class DecodeTimes {
  dtsTicks = 0;
  ptsTicks = 0;
  /** Consecutive pictures whose presentation time had to be moved. */
  movedInRow = 0;
  #declaredDepth = 0;
  #depth = 0;
  /** The largest presentation times so far, ascending; as many as could ever be needed. */
  readonly #largest: number[] = [];
  #lastDtsTicks = Number.NEGATIVE_INFINITY;
  #shared = new SharedStamps(1);

  /** N. */
  get reorderFrames(): number {
    return this.#depth;
  }

  /** The first picture is at `ptsTicks`; earlier times are made up, `frameTicks` apart. */
  start(ptsTicks: number, frameTicks: number): void {
    this.#shared = new SharedStamps(frameTicks);
    this.#largest.length = 0;
    for (let back = MAX_REORDER_FRAMES; back > 0; back--) this.#largest.push(ptsTicks - back * frameTicks);
  }

  /** The depth from the SPS; a depth learned from the stream stays. */
  declare(depth: number): void {
    this.#declaredDepth = Math.min(depth, MAX_REORDER_FRAMES);
    this.#depth = Math.max(this.#depth, this.#declaredDepth);
  }

  /** Forgets the learned depth: the timestamps were at fault. */
  forget(): void {
    this.#depth = this.#declaredDepth;
    this.movedInRow = 0;
  }

  /** Sets `dtsTicks` and `ptsTicks` for the next picture in decoding order. Call `start` first. */
  next(ptsTicks: number): void {
    const laterOnes = this.#insert(ptsTicks);
    if (laterOnes > this.#depth) this.#depth = Math.min(laterOnes, MAX_REORDER_FRAMES);
    const candidate = this.#largest[this.#largest.length - 1 - this.#depth]!;
    // Reordered pictures may share the time of another one only in pairs of fields, which are one picture here.
    const liftTicks = this.#depth === 0 ? this.#shared.lift(ptsTicks) : 0;
    const dtsTicks = Math.max(candidate + liftTicks, this.#lastDtsTicks + 1);
    const isMoved = ptsTicks < dtsTicks;
    this.movedInRow = isMoved ? this.movedInRow + 1 : 0;
    this.dtsTicks = dtsTicks;
    this.ptsTicks = isMoved ? dtsTicks : ptsTicks;
    this.#lastDtsTicks = dtsTicks;
  }

  /** Keeps the order and the count; returns how many earlier pictures are presented later. */
  #insert(ptsTicks: number): number {
    const largest = this.#largest;
    const room = MAX_REORDER_FRAMES + 1;
    if (largest.length === room) largest.shift();
    let at = largest.length;
    while (at > 0 && largest[at - 1]! > ptsTicks) at -= 1;
    const laterOnes = largest.length - at;
    largest.push(0);
    for (let to = largest.length - 1; to > at; to--) largest[to] = largest[to - 1]!;
    largest[at] = ptsTicks;
    return laterOnes;
  }
}
