import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { differenceBetween, knownReports, placeProblem, reportName } from './report-rules.ts';

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

it('the difference is the first field of the row with another value', () => {
  const difference = (row: object, known: object | null) => differenceBetween(['a', 'b'], row, known);
  expect(difference({ a: 1, b: [1] }, { a: 1, b: [1], c: 2 })).toBeNull();
  expect(difference({ b: [1] }, { a: 1, b: [2] })).toMatchObject({ field: 'b' });
  expect(difference({ a: 1 }, { b: 1 })).toMatchObject({ field: 'a' });
  expect(difference({ a: 1 }, null)).toBeNull();
});
