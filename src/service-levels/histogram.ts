/** Percentiles of counts in buckets, as Prometheus computes them from a histogram. */

/** Upper bounds, ascending, in milliseconds; values above the last have a bucket of their own. */
export const FIRST_PICTURE_BOUNDS_MS = [
  100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 25_000,
] as const;
export const DELAY_BOUNDS_MS = [
  250, 500, 750, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500, 10_000, 20_000, 60_000,
] as const;

/** The bucket that a value belongs to: its bound is the first that is not below it. */
export function bucketOf(bounds: readonly number[], value: number): number {
  const index = bounds.findIndex((bound) => value <= bound);
  return index < 0 ? bounds.length : index;
}

/**
 * The value below which `percent` of the counted are, between the bounds of its bucket in proportion. null: nothing was counted.
 * Infinity: it is above the last bound.
 */
export function percentileOf(
  bounds: readonly number[],
  counts: readonly number[],
  percent: number,
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return null;
  const wanted = (total * percent) / 100;
  let below = 0;
  for (const [index, bound] of bounds.entries()) {
    const count = counts[index] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const lower = bounds[index - 1] ?? 0;
      return lower + (bound - lower) * Math.max(0, (wanted - below) / count);
    }
    below += count;
  }
  return Number.POSITIVE_INFINITY;
}
