/** Segments that a window has forgotten while slow viewers still read them. */

import type { LiveSegment } from './live-segment.ts';

/**
 * Fraction of `maxWindowBytes` that may still be on loan from forgotten segments. Beyond it the oldest are recalled, so
 * that only slow viewers of old video make room.
 */
const OVERDUE_SHARE = 0.25;

export class OverdueSegments {
  readonly #maxWindowBytes: number;
  /** Still on loan at the last check, oldest first. */
  #segments: LiveSegment[] = [];

  constructor(maxWindowBytes: number) {
    this.#maxWindowBytes = maxWindowBytes;
  }

  /** Of those that are on loan now. */
  get byteLength(): number {
    return this.#segments.reduce((sum, segment) => sum + (segment.isOnLoan ? segment.byteLength : 0), 0);
  }

  /** It was just forgotten. */
  add(segment: LiveSegment): void {
    if (segment.isOnLoan) this.#segments.push(segment);
  }

  /** The most recently forgotten one has only just become overdue: it is not recalled for its size. */
  bound(): void {
    if (this.#segments.length === 0) return;
    this.#segments = this.#segments.filter((segment) => segment.isOnLoan);
    let overBytes = this.byteLength - this.#maxWindowBytes * OVERDUE_SHARE;
    for (let i = 0; i < this.#segments.length - 1 && overBytes > 0; i++) {
      this.#segments[i]!.recall();
      overBytes -= this.#segments[i]!.byteLength;
    }
  }
}
