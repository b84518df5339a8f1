import { expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import type { FencedLease } from '../../store/cluster-lease.ts';
import type { NumberingEntry } from '../../stream/numbering/numbering.ts';
import { FencedNumbering } from './fenced-numbering.ts';

const cameraUuid = newRuuid();
const ENTRY: NumberingEntry = {
  ...({ cameraUuid, rendition: 'main', fence: 3 } as const),
  nextMediaSequenceNumber: 1_001,
  nextDiscontinuitySequence: 100,
  initFingerprint: null,
};

/** Over a store that writes everything, with the lease that this run holds. */
function numberingUnder(lease: FencedLease | null) {
  const saved: NumberingEntry[] = [];
  const store = { saveNumbering: async (entry: object) => saved.push(entry as NumberingEntry) > 0 };
  const ledger = { find: async () => null };
  return { saved, numbering: new FencedNumbering(ledger, store, { fencedLease: () => lease }) };
}

it('writes numbers of the lease that this run holds', async () => {
  const { saved, numbering } = numberingUnder({ cameraUuid, runId: newRuuid(), fence: 3 });
  await numbering.save(ENTRY);
  expect(saved).toEqual([ENTRY]);
});

it.each([
  ['no lease', null],
  ['the lease after another owner', { cameraUuid, runId: newRuuid(), fence: 5 }],
])('refuses numbers of an earlier lease with %s', async (_name, lease) => {
  const { saved, numbering } = numberingUnder(lease);
  await expect(numbering.save(ENTRY)).rejects.toMatchObject({ code: 'CLUSTER_LEASE_LOST', kind: 'conflict' });
  expect(saved).toEqual([]);
});
