/** kill -9 while recording, taking uploads and splicing: a handful of rounds of `npm run bench -- kills`. */

import { expect, it } from 'vitest';
import { killRounds } from '../support/kills/kill-rounds.ts';

it('keeps everything that was acknowledged, and serves nothing half-written', {
  timeout: 180_000,
}, async () => {
  const report = await killRounds({ rounds: 5, maxAcknowledged: 120 });
  expect(report.faults).toEqual([]);
  // A run that acknowledged nothing would find nothing wrong.
  for (const count of [report.segments, report.uploads, report.splices]) expect(count).toBeGreaterThan(0);
});
