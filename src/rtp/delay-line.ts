/**
 * Estimates how a sender's clock runs against ours, from its timestamps and their arrival. Networks, encoders and pauses
 * only ever delay, so the least delayed arrivals say most: the line under all delays that touches them has the slope of the
 * clock (the lower convex hull; Moon, Skelly and Towsley, "Estimation and removal of clock skew", 1999). One point per
 * block is kept, the one with the least delay, and the blocks of the last ten minutes or of another span.
 */

/** A point is the least delay of this much of the sender's time, unless the line's owner asks for another length. */
const BLOCK_MS = 5_000;
const SPAN_MS = 600_000;
/** With fewer blocks, jitter looks like drift. */
const MIN_BLOCKS = 6;
/** This share of the blocks' least delays is within `spreadMs` of the line: a single pause does not count. */
const SPREAD_SHARE = 0.9;

export interface ClockLine {
  /** By how much the sender's clock is fast. */
  readonly driftPpm: number;
  /** How far off `driftPpm` may be. */
  readonly driftUncertaintyPpm: number;
  /** Our time minus the sender's at the newest point, without jitter. */
  readonly leastDelayMs: number;
  /** How far the least delays of the blocks are from the line. */
  readonly spreadMs: number;
  /** The sender's time at the newest point. */
  readonly newestSentMs: number;
  /** Delay per time of the sender. */
  readonly slope: number;
}

export class DelayLine {
  readonly #blockMs: number;
  readonly #sentMs: Float64Array;
  readonly #delaysMs: Float64Array;
  #count = 0;
  #hasForgotten = false;
  /** NaN before the first point. */
  #blockStartMs = Number.NaN;
  #leastSentMs = 0;
  #leastDelayMs = Number.POSITIVE_INFINITY;

  /** A point per `blockMs` of the sender's time, those of `spanMs`. */
  constructor(blockMs = BLOCK_MS, spanMs = SPAN_MS) {
    this.#blockMs = blockMs;
    this.#sentMs = new Float64Array(spanMs / blockMs);
    this.#delaysMs = new Float64Array(spanMs / blockMs);
  }

  /** Points were dropped since the line began: it no longer shows how it began. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  /** Another clock: earlier points say nothing about it. */
  restart(): void {
    this.#count = 0;
    this.#hasForgotten = false;
    this.#blockStartMs = Number.NaN;
  }

  /** Hot: once per frame. True if a block is complete: then there is another line. */
  observe(sentMs: number, arrivalMonoMs: number): boolean {
    const delayMs = arrivalMonoMs - sentMs;
    const isComplete = sentMs - this.#blockStartMs >= this.#blockMs;
    if (isComplete) this.#keepBlock();
    if (isComplete || Number.isNaN(this.#blockStartMs)) {
      this.#blockStartMs = sentMs;
      this.#leastDelayMs = Number.POSITIVE_INFINITY;
    }
    if (delayMs < this.#leastDelayMs) {
      this.#leastDelayMs = delayMs;
      this.#leastSentMs = sentMs;
    }
    return isComplete;
  }

  /** null before there are enough blocks. */
  line(): ClockLine | null {
    const count = this.#count;
    if (count < MIN_BLOCKS) return null;
    const [left, right] = this.#edge();
    const [sentMs, delaysMs] = [this.#sentMs, this.#delaysMs];
    const slope = (delaysMs[right]! - delaysMs[left]!) / (sentMs[right]! - sentMs[left]!);
    const heightMs = (at: number) => delaysMs[left]! + slope * (sentMs[at]! - sentMs[left]!);
    const above = new Float64Array(count);
    for (let at = 0; at < count; at++) above[at] = delaysMs[at]! - heightMs(at);
    above.sort();
    const spreadMs = above[Math.ceil(count * SPREAD_SHARE) - 1]!;
    const spanMs = sentMs[count - 1]! - sentMs[0]!;
    return {
      driftPpm: (1 / (1 + slope) - 1) * 1e6,
      driftUncertaintyPpm: (spreadMs / spanMs) * 1e6,
      leastDelayMs: heightMs(count - 1),
      spreadMs,
      newestSentMs: sentMs[count - 1]!,
      slope,
    };
  }

  #keepBlock(): void {
    // A slope needs points in order.
    if (this.#count > 0 && this.#leastSentMs <= this.#sentMs[this.#count - 1]!) return;
    if (this.#count === this.#sentMs.length) {
      this.#hasForgotten = true;
      this.#sentMs.copyWithin(0, 1);
      this.#delaysMs.copyWithin(0, 1);
      this.#count -= 1;
    }
    this.#sentMs[this.#count] = this.#leastSentMs;
    this.#delaysMs[this.#count] = this.#leastDelayMs;
    this.#count += 1;
  }

  /** The edge of the lower convex hull over the mean of the points: the line with the least distance to all of them. */
  #edge(): [number, number] {
    const [sentMs, delaysMs, count] = [this.#sentMs, this.#delaysMs, this.#count];
    const hull: number[] = [];
    for (let at = 0; at < count; at++) {
      while (hull.length >= 2) {
        const [a, b] = [hull[hull.length - 2]!, hull[hull.length - 1]!];
        const turn =
          (sentMs[b]! - sentMs[a]!) * (delaysMs[at]! - delaysMs[a]!) -
          (delaysMs[b]! - delaysMs[a]!) * (sentMs[at]! - sentMs[a]!);
        if (turn > 0) break;
        hull.pop();
      }
      hull.push(at);
    }
    let sumMs = 0;
    for (let at = 0; at < count; at++) sumMs += sentMs[at]!;
    const meanMs = sumMs / count;
    const right = Math.max(
      1,
      hull.findIndex((at) => sentMs[at]! >= meanMs),
    );
    return [hull[right - 1]!, hull[right]!];
  }
}
