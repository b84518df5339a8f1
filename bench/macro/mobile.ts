/**
 * `mobile`: how long the video of a link stalls on a phone: on a network that carries the camera but has long round trips,
 * and on a slow processor. The reference is the same camera through the same network with a round trip of 20 ms.
 */

import type { BenchOptions, BenchResult } from '../report.ts';

/** Checked with the types of browsers, by test/web/tsconfig.json. */
const IN_BROWSERS: string = './mobile/views.ts';

export async function run(options: BenchOptions): Promise<BenchResult> {
  const views = (await import(IN_BROWSERS)) as { measureViews(options: BenchOptions): Promise<BenchResult> };
  return views.measureViews(options);
}
