/**
 * How often random tests run, and on what: as many runs and the same ones each time, so that what fails fails again.
 * `npm run long` multiplies the runs and chooses another seed (scripts/long/).
 */

import fc from 'fast-check';

/** Seed of all random tests; any number is as good. */
const SEED = Number(process.env.SLUICE_RANDOM_SEED ?? 20_260_701);
const FACTOR = Number(process.env.SLUICE_RANDOM_FACTOR ?? 1);

/** Whether it is `npm run long`: then tests may take minutes. */
export const isLongRun = process.env.TEST_LONG_RUN === '1';

// Applies to tests that leave the number of runs to fast-check.
fc.configureGlobal({ seed: SEED });

/** The last argument of `fc.assert`: `count` runs, some tenths of a second of them. */
export function randomRuns(count: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: count * FACTOR, seed: SEED };
}
