/** Why a frame was not packaged. A dropped frame is counted and never ends the stream. */

export const DROP_REASONS = [
  /** Before the very first key frame: not a loss, and not part of the total. */
  'joining',
  /** Frames after a break, until the next key frame. */
  'awaiting-key',
  /** No track for it: units before tracks, or an index that was not announced. */
  'no-track',
  /** Not an integer, not a time that a file can carry, or presented before it is decoded. */
  'bad-timestamp',
  /** Not later than the frame before it. */
  'timestamp-back',
  'empty',
  'oversized',
  /** The group of pictures exceeded the maximum length of a segment. */
  'gop-too-long',
  /** Audio without video to go with. */
  'audio-backlog',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

export class DropCounts {
  readonly #counts: Record<DropReason, number>;
  #total = 0;

  constructor() {
    this.#counts = Object.fromEntries(DROP_REASONS.map((reason) => [reason, 0])) as Record<
      DropReason,
      number
    >;
  }

  /** Without those of `joining`. */
  get total(): number {
    return this.#total;
  }

  add(reason: DropReason): void {
    this.#counts[reason]++;
    if (reason !== 'joining') this.#total++;
  }

  /** `counts`: in the order of DROP_REASONS. Hot: once a second for each rendition, mostly of zeros. */
  addAll(counts: readonly number[]): void {
    for (let i = 0; i < DROP_REASONS.length; i++) {
      const count = counts[i] ?? 0;
      if (count === 0) continue;
      const reason = DROP_REASONS[i]!;
      this.#counts[reason] += count;
      if (reason !== 'joining') this.#total += count;
    }
  }

  /** Frames before the first key frame. */
  get joining(): number {
    return this.#counts.joining;
  }

  byReason(): Readonly<Record<DropReason, number>> {
    return { ...this.#counts };
  }
}
