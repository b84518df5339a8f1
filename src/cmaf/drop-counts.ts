/** Why a frame was not packaged. A dropped frame is counted and never ends the stream. */

export const DROP_REASONS = [
  /** Pictures before the first key frame, or after a break until the next one. */
  'awaiting-key',
  /** No track for it: units before tracks, or an index nobody announced. */
  'no-track',
  /** Not an integer, not a time a file can carry, or presented before decoded. */
  'bad-timestamp',
  /** Not later than the frame before it. */
  'timestamp-back',
  'empty',
  'oversized',
  /** The group of pictures went on beyond what a segment may be. */
  'gop-too-long',
  /** Audio without pictures to go with. */
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

  get total(): number {
    return this.#total;
  }

  add(reason: DropReason): void {
    this.#counts[reason]++;
    this.#total++;
  }

  byReason(): Readonly<Record<DropReason, number>> {
    return { ...this.#counts };
  }
}
