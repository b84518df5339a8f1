/** kill -9 while recording, taking uploads and splicing: a handful of rounds of `npm run bench -- kills`. */

import { expect, it } from 'vitest';
import { killRounds } from '../support/kills/kill-rounds.ts';
import { thinRounds } from '../support/kills/thin-rounds.ts';
import { tierRounds } from '../support/kills/tier-rounds.ts';

it('keeps everything that was acknowledged, and serves nothing half-written', {
  timeout: 180_000,
}, async () => {
  const report = await killRounds({ rounds: 5, maxAcknowledged: 120 });
  expect(report.faults).toEqual([]);
  // A run that acknowledged nothing would find nothing wrong.
  for (const count of [report.segments, report.uploads, report.splices]) expect(count).toBeGreaterThan(0);
});

it('keeps what moves from the disk to S3, also while S3 is away', { timeout: 180_000 }, async () => {
  const report = await tierRounds({ rounds: 8, maxAcknowledged: 120 });
  expect(report.faults).toEqual([]);
  for (const count of [report.files, report.deletions, report.checked]) expect(count).toBeGreaterThan(0);
});

it.each([
  ['on the disk', false],
  ['in S3', true],
] as const)(
  'keeps the key frames of what is thinned %s, and all that is held',
  { timeout: 180_000 },
  async (_, isInS3) => {
    const report = await thinRounds({ rounds: 8, maxLines: 120, isInS3 });
    expect(report.faults).toEqual([]);
    for (const count of [report.segments, report.thinned]) expect(count).toBeGreaterThan(0);
  },
);
