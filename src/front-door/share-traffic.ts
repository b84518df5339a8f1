/**
 * What each share's viewers were sent. A session holds its share's counter, so that an answer costs one addition. Counters
 * of shares that nobody watches make room when there are too many; what finds no room is counted together.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { TrafficCounter } from '../sharing/viewer-session.ts';

/** Shares counted by themselves: each is a series of its own in the metrics. */
export const MAX_COUNTED_SHARES = 2_000;
/** Of the counters asked for longest ago, how many are looked at for one that can make room. */
const EVICTION_CANDIDATES = 64;

export class ShareTraffic {
  readonly #maxShares: number;
  /** In the order in which a viewer last came. */
  readonly #counters = new Map<Ruuid, TrafficCounter>();
  readonly #others: TrafficCounter = { bytes: 0 };

  constructor(maxShares = MAX_COUNTED_SHARES) {
    this.#maxShares = maxShares;
  }

  /** The counter of a share whose viewer comes; once for each viewer. `isWatched`: whether a share has viewers now. */
  counterOf(shareUuid: Ruuid, isWatched: (shareUuid: Ruuid) => boolean): TrafficCounter {
    const known = this.#counters.get(shareUuid);
    if (known !== undefined) {
      this.#counters.delete(shareUuid);
      this.#counters.set(shareUuid, known);
      return known;
    }
    if (this.#counters.size >= this.#maxShares && !this.#makeRoom(isWatched)) return this.#others;
    const counter: TrafficCounter = { bytes: 0 };
    this.#counters.set(shareUuid, counter);
    return counter;
  }

  bytesOf(shareUuid: Ruuid): number {
    return this.#counters.get(shareUuid)?.bytes ?? 0;
  }

  /** Of shares that are counted together. */
  get otherBytes(): number {
    return this.#others.bytes;
  }

  shares(): Iterable<Ruuid> {
    return this.#counters.keys();
  }

  /** The share was deleted. */
  forget(shareUuid: Ruuid): void {
    this.#counters.delete(shareUuid);
  }

  #makeRoom(isWatched: (shareUuid: Ruuid) => boolean): boolean {
    let candidates = EVICTION_CANDIDATES;
    for (const [shareUuid, { bytes }] of this.#counters) {
      if (!isWatched(shareUuid)) {
        this.#counters.delete(shareUuid);
        this.#others.bytes += bytes;
        return true;
      }
      if (--candidates === 0) return false;
    }
    return false;
  }
}
