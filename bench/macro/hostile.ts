/** `hostile`: what honest viewers, cameras and callers notice while others cause harm. One scenario after another. */

import type { BenchOptions, BenchResult, Row } from '../report.ts';

export interface HostileScenario {
  measure(options: BenchOptions): Promise<{ rows: Row[]; figures: Record<string, number> }>;
}

const SCENARIOS: readonly (() => Promise<HostileScenario>)[] = [
  () => import('./hostile/slow-readers.ts'),
  () => import('./hostile/descriptors.ts'),
  () => import('./hostile/password-queue.ts'),
  () => import('./hostile/flooding-camera.ts'),
];

export async function run(options: BenchOptions): Promise<BenchResult> {
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  for (const load of SCENARIOS) {
    const measured = await (await load()).measure(options);
    rows.push(...measured.rows);
    Object.assign(figures, measured.figures);
  }
  return { name: 'hostile', rows, figures };
}
