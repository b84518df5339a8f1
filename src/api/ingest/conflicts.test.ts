import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { INGEST_KINDS } from '../ingest-kinds.ts';

let fixture: ApiFixture;
let cameraUuid: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  cameraUuid = fixture.own.camera.uuid;
});
afterEach(() => fixture.close());

const report = (kind: string, ...rows: object[]) => fixture.call(`/api/ingest/${kind}`, { rows });

/** What is reported first, and what a second report with the same id changes. */
const CASES: readonly [kind: string, row: () => object, change: object, field: string][] = [
  [
    'thresholdCrossings',
    () => ({
      id: 'c',
      deviceUuid: cameraUuid,
      timestampMs: 5,
      crossingObject: 'HUMAN',
      objectId: 1,
      direction: 'INGRESS',
    }),
    { direction: 'EGRESS' },
    'direction',
  ],
  [
    'occupancyCounts',
    () => ({ id: 'o', deviceUuid: `${cameraUuid}.v0`, timestampMs: 5, occupancy: 3 }),
    { occupancy: 4 },
    'occupancy',
  ],
  [
    'policyAlerts',
    () => ({ uuid: ALERT, deviceUuid: cameraUuid, timestampMs: 5, textDescription: 'Smoke', tempC: 41.5 }),
    { textDescription: 'Fire' },
    'textDescription',
  ],
  ['policyAlerts', () => ({ uuid: ALERT, deviceUuid: cameraUuid, timestampMs: 5 }), { tempC: 20 }, 'tempC'],
  [
    'deviceHealth',
    () => ({ id: 'h', deviceUuid: cameraUuid, timestampMs: 5 }),
    { timestampMs: 6 },
    'timestampMs',
  ],
  [
    'posEvents',
    () => ({ id: 'p', businessDate: '2026-01-31', restaurantGuid: 'r', totalAmount: '12.00' }),
    { totalAmount: '13.00' },
    'totalAmount',
  ],
  [
    'posEvents',
    () => ({ id: 'p', businessDate: '2026-01-31', restaurantGuid: 'r' }),
    { businessDate: '20260201' },
    'businessDate',
  ],
  [
    'savedClips',
    () => ({ id: 's', deviceUuids: [cameraUuid], timestampMs: 5, title: 'Dock' }),
    { title: 'Gate' },
    'title',
  ],
  ['proximityTags', () => ({ uuid: ALERT, name: 'Keys' }), { name: 'Badge' }, 'name'],
];
const ALERT = newRuuid();

describe('a report with a known id', () => {
  it.each(CASES)('of %s is named when its content differs', async (kind, row, change, field) => {
    const first = await report(kind, row());
    expect(first).toMatchObject({ acceptedCount: 1, conflicts: [] });
    expect(first).not.toHaveProperty('warningMsg');
    expect(await report(kind, row(), { ...row(), ...change })).toMatchObject({
      acceptedCount: 0,
      duplicateCount: 2,
      rejected: [],
      conflicts: [
        {
          index: 1,
          field,
          reason: `${field} differs from what is stored under this id. The stored row does not change.`,
        },
      ],
      warningMsg: '1 of 2 rows differ from what is stored under their ids: `conflicts` says which and how.',
    });
    expect(await report(kind, row())).toMatchObject({ duplicateCount: 1, conflicts: [] });
  });

  it('is named within one batch, next to refused rows', async () => {
    const count = (id: string, occupancy: number) => ({
      id,
      deviceUuid: cameraUuid,
      timestampMs: 5,
      occupancy,
    });
    const answer = await report('occupancyCounts', { id: 'x' }, count('o', 1), count('o', 2), count('p', 3));
    expect(answer).toMatchObject({ acceptedCount: 2, duplicateCount: 1 });
    expect(answer.rejected).toMatchObject([{ index: 0 }]);
    expect(answer.conflicts).toMatchObject([{ index: 2, field: 'occupancy' }]);
  });

  it('of an alert that was saved since does not count as different, nor does one that says less', async () => {
    const alert = { uuid: ALERT, deviceUuid: cameraUuid, timestampMs: 5, textDescription: 'Smoke' };
    await report('policyAlerts', alert);
    await fixture.call('/api/event/savePolicyAlertV2', { alertUuid: ALERT });
    const { textDescription: _text, ...less } = alert;
    expect(await report('policyAlerts', alert, less, { ...alert, saved: false })).toMatchObject({
      duplicateCount: 3,
      conflicts: [],
    });
  });
});

describe('every kind', () => {
  it('accepts its own example twice without a warning', async () => {
    for (const { name, exampleRow } of INGEST_KINDS) {
      const first = await report(name, exampleRow);
      if (first.acceptedCount !== 1) continue;
      expect([name, (await report(name, exampleRow)).conflicts]).toEqual([name, []]);
    }
  });
});
