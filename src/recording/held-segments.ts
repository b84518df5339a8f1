/**
 * The newest segments of a stream in memory, for the time before an event (docs/design/recording.md#pre-roll). They are
 * whole from their first part on, so that whatever is taken can be played.
 */

import type { RecordedPart } from './recording-writer.ts';

export interface HeldPart {
  readonly part: RecordedPart;
  readonly bytes: Uint8Array;
}

export interface HeldSegment {
  /** Wall time of the first frame. */
  readonly epochMs: number;
  /** Wall time after the last frame so far. */
  readonly endEpochMs: number;
  /** The Media Initialization Section that it needs; null: none was seen. */
  readonly init: Uint8Array | null;
  readonly parts: readonly HeldPart[];
}

interface GrowingSegment extends HeldSegment {
  endEpochMs: number;
  readonly parts: HeldPart[];
  byteLength: number;
}

/** Memory that all streams share. If it is used up, the stream that holds the most gives up its oldest segment. */
export class HeldBudget {
  readonly #maxBytes: number;
  readonly #holders = new Set<HeldSegments>();
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  join(holder: HeldSegments): void {
    this.#holders.add(holder);
  }

  add(byteLength: number): void {
    this.#usedBytes += byteLength;
    while (this.#usedBytes > this.#maxBytes) {
      let largest: HeldSegments | null = null;
      for (const holder of this.#holders) {
        if (largest === null || holder.byteLength > largest.byteLength) largest = holder;
      }
      if (largest === null || !largest.dropOldest()) return;
    }
  }

  remove(byteLength: number): void {
    this.#usedBytes -= byteLength;
  }
}

export class HeldSegments {
  readonly #budget: HeldBudget;
  #segments: GrowingSegment[] = [];
  #byteLength = 0;
  /** Nothing can follow before the next segment begins. */
  #isBroken = true;
  /** Something was let go of since the last `take`. */
  #hasLost = true;

  constructor(budget: HeldBudget) {
    this.#budget = budget;
    budget.join(this);
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Takes over `bytes`. `init`: that of the part's segment. */
  push(part: RecordedPart, init: Uint8Array | null, bytes: Uint8Array, holdMs: number): void {
    const endEpochMs = part.epochMs + (part.durationTicks * 1_000) / part.timescaleHz;
    const last = this.#segments.at(-1);
    if (part.isSegmentStart) {
      // Another run may have another clock: a segment that is older than its successor could stay forever.
      if (last !== undefined && part.epochMs < last.epochMs) this.clear();
      this.#segments.push({ epochMs: part.epochMs, endEpochMs, init, parts: [], byteLength: 0 });
      this.#isBroken = false;
    } else if (this.#isBroken) return;
    const segment = this.#segments.at(-1);
    if (segment === undefined) return;
    segment.parts.push({ part, bytes });
    segment.endEpochMs = Math.max(segment.endEpochMs, endEpochMs);
    segment.byteLength += bytes.length;
    this.#byteLength += bytes.length;
    while (this.#segments.length > 1 && this.#segments[1]!.epochMs <= endEpochMs - holdMs) this.dropOldest();
    this.#budget.add(bytes.length);
  }

  /**
   * Removes and returns the segments that cover any of the time, and forgets those before them. `isInProgress`: the
   * newest of them is the one that parts are still added to. `hasGap`: something was let go of before the first.
   */
  take(
    fromEpochMs: number,
    toEpochMs: number,
  ): { readonly segments: readonly HeldSegment[]; readonly isInProgress: boolean; readonly hasGap: boolean } {
    while (this.#segments.length > 0 && this.#segments[0]!.endEpochMs <= fromEpochMs) this.dropOldest();
    const index = this.#segments.findIndex(({ epochMs }) => epochMs >= toEpochMs);
    const count = index < 0 ? this.#segments.length : index;
    const isInProgress = count > 0 && count === this.#segments.length && !this.#isBroken;
    const hasGap = this.#hasLost;
    const segments = this.#segments.splice(0, count);
    for (const { byteLength } of segments) this.#free(byteLength);
    if (count > 0) this.#hasLost = false;
    if (isInProgress) this.#isBroken = true;
    return { segments, isInProgress, hasGap };
  }

  /** Forgets everything; the next part that is held is the first of a segment. */
  clear(): void {
    while (this.dropOldest());
    this.#isBroken = true;
    this.#hasLost = true;
  }

  /** The next segment follows the one that was written last. */
  follow(): void {
    this.#hasLost = false;
  }

  /** False: there is none. */
  dropOldest(): boolean {
    const oldest = this.#segments.shift();
    if (oldest === undefined) return false;
    this.#hasLost = true;
    if (this.#segments.length === 0) this.#isBroken = true;
    this.#free(oldest.byteLength);
    return true;
  }

  #free(byteLength: number): void {
    this.#byteLength -= byteLength;
    this.#budget.remove(byteLength);
  }
}
