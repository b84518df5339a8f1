import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { IngestContext } from './ingest-kind.ts';
import { knownReports, placeProblem, type ReportRules, reportName, storeReports } from './report-rules.ts';

it("a location is one of the organization's, or absent", () => {
  const locationUuid = newRuuid();
  const locations = new Set([locationUuid]);
  expect(placeProblem({}, locations)).toBeNull();
  expect(placeProblem({ locationUuid }, locations)).toBeNull();
  expect(placeProblem({ locationUuid: newRuuid() }, locations)).toMatchObject({ field: 'locationUuid' });
});

it('reports of a device are known by the facet that made them', () => {
  const deviceUuid = newRuuid();
  const row = (facet: string) => ({ id: 'a', deviceUuid: `${deviceUuid}${facet}`, timestampMs: 1 });
  const stored = { ...reportName(row('.v1')), atMs: 7 };
  expect(stored).toEqual({ id: 'a', deviceUuid, facet: 'v1', atMs: 7 });
  const known = knownReports([stored], [row(''), row('.v1')], ({ atMs }) => ({ timestampMs: atMs }));
  expect(known).toEqual([null, { timestampMs: 7 }]);
});

it('the outcome is reported for each row', async () => {
  const context = {} as IngestContext;
  const storage = { records: 'doors', kind: 'door', uuidOf: () => newRuuid() } as const;
  const rows = [{ a: 1 }, { a: 2, b: 1 }, { b: 3 }];
  const counted = (newRows: number, known: (object | null)[]): ReportRules<object> => ({
    storage,
    known: async () => known,
    store: async () => newRows,
  });
  expect(await storeReports(counted(3, []), context, rows)).toEqual({
    acceptedCount: 3,
    conflicts: [],
    updates: [],
  });
  expect(await storeReports(counted(1, [{ a: 1 }, { a: 2, b: 2 }, null]), context, rows)).toMatchObject({
    acceptedCount: 1,
    conflicts: [null, { field: 'b' }, null],
  });
  const outcomes: ReportRules<object> = {
    storage,
    conflictReasons: { b: 'b is older.' },
    store: async () => [
      { isAccepted: true, kept: null, changed: 'a' },
      { isAccepted: false, kept: 'a', changed: null },
      { isAccepted: false, kept: 'b', changed: null },
    ],
  };
  expect(await storeReports(outcomes, context, rows)).toMatchObject({
    acceptedCount: 1,
    conflicts: [
      null,
      { field: 'a', reason: expect.stringMatching(/^a differs from what is stored/) },
      { reason: 'b is older.' },
    ],
    updates: [{ field: 'a' }, null, null],
  });
});
