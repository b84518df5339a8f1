/**
 * Converts the times in segments to the single timeline of an instance. Times of a segment can have any zero, and change
 * after a discontinuity or when the encoder restarts. The timeline continues: missed media passes as time, and nothing else
 * does. All times in ticks of 1/90,000 s.
 */

const TICKS_PER_MS = 90;
/** As for any camera: docs/design/live-timing.md#jumps-of-a-cameras-clock. */
const MAX_BACKWARD_TICKS = 1_000 * TICKS_PER_MS;
const MAX_FORWARD_TICKS = 10_000 * TICKS_PER_MS;

/** More discontinuities than a playlist's start has segments behind its end. */
const MAX_STRETCHES = 8;

/** Segments with one offset. */
interface Stretch {
  readonly discontinuitySequence: number;
  readonly offset90k: number;
  /** Times of its video, as in its segments. */
  readonly start90k: number;
  end90k: number;
}

/** `early`: the video with its times may still come. `past`: it will not. */
export type StretchOffset = number | 'early' | 'past';

export class SegmentTimeline {
  /** The newest is the last; empty before the first segment. */
  readonly #stretches: Stretch[] = [];
  /** Where the next segment's video would begin, in the instance's timeline. */
  #expected90k = 0;
  /** Time that was missed since. */
  #missed90k = 0;

  /** Segments that were not loaded. */
  missed(durationMs: number): void {
    this.#missed90k += durationMs * TICKS_PER_MS;
  }

  /**
   * The offset for the times of a segment whose video is decoded from `start90k` to `end90k`. The first one begins at
   * `zero90k`: its first key frame. `isJump`: its times do not continue those of the segment before it.
   */
  place(
    discontinuitySequence: number,
    start90k: number,
    end90k: number,
    zero90k: number,
  ): { readonly offset90k: number; readonly isJump: boolean } {
    const before = this.#stretches.at(-1);
    const isJump = before !== undefined && this.#isJump(before, discontinuitySequence, start90k);
    const offset90k = isJump
      ? this.#expected90k + this.#missed90k - start90k
      : (before?.offset90k ?? -zero90k);
    if (before === undefined || isJump) {
      this.#stretches.push({ discontinuitySequence, offset90k, start90k, end90k });
      if (this.#stretches.length > MAX_STRETCHES) this.#stretches.shift();
    } else before.end90k = end90k;
    this.#expected90k = end90k + offset90k;
    this.#missed90k = 0;
    return { offset90k, isJump };
  }

  #isJump(before: Stretch, discontinuitySequence: number, start90k: number): boolean {
    if (discontinuitySequence !== before.discontinuitySequence) return true;
    const jump = start90k + before.offset90k - this.#expected90k;
    return jump < -MAX_BACKWARD_TICKS || jump > MAX_FORWARD_TICKS + this.#missed90k;
  }

  /**
   * The offset for the times of a segment of another playlist that begins at `start90k`: as for the video with the same
   * discontinuity sequence number and the nearest times. RFC 8216 §6.2.4 requires both to match.
   */
  soundOffset(discontinuitySequence: number, start90k: number): StretchOffset {
    let nearest: Stretch | null = null;
    let least = MAX_FORWARD_TICKS;
    for (const stretch of this.#stretches) {
      if (stretch.discontinuitySequence !== discontinuitySequence) continue;
      const distance = Math.max(0, stretch.start90k - start90k, start90k - stretch.end90k);
      if (distance > least) continue;
      nearest = stretch;
      least = distance;
    }
    if (nearest !== null) return nearest.offset90k;
    const newest = this.#stretches.at(-1);
    return newest !== undefined && discontinuitySequence < newest.discontinuitySequence ? 'past' : 'early';
  }
}
