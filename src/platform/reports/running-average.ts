/** The average and the standard deviation of counts so far, bucket by bucket. Pure. */

import type { CountedType, ObjectCounts } from './object-counts.ts';

export interface Statistics {
  readonly mean: number;
  /** Standard deviation of the whole population, not of a sample: the first bucket has 0. */
  readonly standardDeviation: number;
}

export interface RunningAverage {
  /** When the last bucket of those averaged begins. */
  readonly start: ObjectCounts['start'];
  readonly statistics: Readonly<Partial<Record<CountedType, Statistics>>>;
}

/** One entry per bucket: the average of this bucket and all before it. */
export function runningAverages(buckets: readonly ObjectCounts[]): RunningAverage[] {
  const runs = new Map<string, RunningMoments>();
  return buckets.map(({ start, counts }) => {
    const statistics = Object.entries(counts).map(([type, count]) => {
      const run = runs.get(type) ?? new RunningMoments();
      runs.set(type, run);
      return [type, run.add(count)] as const;
    });
    return { start, statistics: Object.fromEntries(statistics) };
  });
}

/** Welford's method: exact for long rows of large counts, where a sum of squares is not. */
class RunningMoments {
  #values = 0;
  #mean = 0;
  #squares = 0;

  add(value: number): Statistics {
    this.#values += 1;
    const fromMean = value - this.#mean;
    this.#mean += fromMean / this.#values;
    this.#squares += fromMean * (value - this.#mean);
    return { mean: this.#mean, standardDeviation: Math.sqrt(this.#squares / this.#values) };
  }
}
