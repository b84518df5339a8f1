import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { DOORS } from '../../platform/access-control/door.ts';
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

const ALERT = newRuuid();
const DOOR = newRuuid();
const OWNER = newRuuid();

/** The first report, and the change in a second report with the same id. */
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
  [
    'doors',
    () => ({ uuid: ALERT, ownerDeviceUuid: OWNER, unlockTimeSec: 5 }),
    { unlockTimeSec: 6 },
    'unlockTimeSec',
  ],
  ['doors', () => ({ uuid: ALERT, ownerDeviceUuid: OWNER }), { name: 'Dock' }, 'name'],
  [
    'doors',
    () => ({ uuid: ALERT, ownerDeviceUuid: OWNER, waveToUnlockSettings: { enabled: true } }),
    { waveToUnlockSettings: { enabled: false } },
    'waveToUnlockSettings',
  ],
  [
    'componentEvents',
    () => ({ uuid: ALERT, accessControlledDoorUuid: DOOR, type: 'DoorStateChangeEvent', timestampMs: 5 }),
    { componentUuid: ALERT },
    'componentUuid',
  ],
];

/** Kinds whose known rows take the changes of a second report. */
const UPDATED: readonly [kind: string, row: object, change: object, field: string][] = [
  ['doors', { uuid: ALERT, ownerDeviceUuid: OWNER }, { subType: 'NATIVE' }, 'subType'],
  ['doors', { uuid: ALERT, ownerDeviceUuid: OWNER }, { ownerDeviceUuid: DOOR }, 'ownerDeviceUuid'],
  ['elevatorLandings', { uuid: ALERT, ownerDeviceUuid: OWNER }, { name: 'Floor 3' }, 'name'],
  [
    'elevatorLandings',
    { uuid: ALERT, ownerDeviceUuid: OWNER, shadow: { state: { state: 'UNLOCKED' } } },
    { shadow: { state: { state: 'ACCESS_CONTROLLED' } } },
    'shadow.state',
  ],
  ['credentials', { uuid: ALERT, type: 'PIN_CODE', value: '1234' }, { value: '4321' }, 'value'],
  ['credentials', { uuid: ALERT, type: 'PIN_CODE', value: '1234' }, { note: 'Porter' }, 'note'],
  ['accessRevocations', { uuid: ALERT, name: 'At night' }, { name: 'Always' }, 'name'],
  ['licenses', { id: 'L-1', productCode: 'A' }, { productCode: 'B' }, 'productCode'],
];

describe('a report with a known id', () => {
  beforeEach(() => report('doors', { uuid: DOOR, ownerDeviceUuid: OWNER }));

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
    const response = await report(
      'occupancyCounts',
      { id: 'x' },
      count('o', 1),
      count('o', 2),
      count('p', 3),
    );
    expect(response).toMatchObject({ acceptedCount: 2, duplicateCount: 1 });
    expect(response.rejected).toMatchObject([{ index: 0 }]);
    expect(response.conflicts).toMatchObject([{ index: 2, field: 'occupancy' }]);
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

describe('a report that changes what is stored', () => {
  it.each(UPDATED)('of %s is named, and applied', async (kind, row, change, field) => {
    const none = { conflicts: [], updates: [] };
    expect(await report(kind, row, row)).toMatchObject({ acceptedCount: 1, duplicateCount: 1, ...none });
    const update = { field, reason: `${field} changed what was stored under this id.` };
    const response = await report(kind, row, { ...row, ...change });
    expect(response).toMatchObject({ conflicts: [], updates: [{ index: 1, ...update }] });
    expect(response.warningMsg).toBeUndefined();
    expect(await report(kind, { ...row, ...change })).toMatchObject({ duplicateCount: 1, ...none });
  });

  it('of a license includes leaving out what is stored', async () => {
    await report('licenses', { id: 'L-1', productCode: 'A', deviceUuid: cameraUuid });
    expect((await report('licenses', { id: 'L-1', productCode: 'A' })).updates).toMatchObject([
      { index: 0, field: 'deviceUuid' },
    ]);
  });

  it('can change one part and leave another unchanged', async () => {
    const door = { uuid: ALERT, ownerDeviceUuid: OWNER, name: 'Dock' };
    await report('doors', door);
    const response = await report('doors', { ...door, name: 'Gate', privacyModeSupportEnabled: true });
    expect(response).toMatchObject({
      conflicts: [{ index: 0, field: 'name' }],
      updates: [{ index: 0, field: 'privacyModeSupportEnabled' }],
    });
    expect(response.warningMsg).toMatch(/^1 of 1 rows differ from what is stored/);
  });
});

describe('a device report', () => {
  const OLDER = 'timestampMs is before the stored report of this device, so nothing of this row was applied.';
  const said = (timestampMs: number, firmwareVersion = '1') => ({
    deviceUuid: cameraUuid,
    timestampMs,
    firmwareVersion,
  });

  it('that is older than what is stored is named and not applied', async () => {
    await report('deviceReports', said(5));
    expect(await report('deviceReports', said(4), said(5))).toMatchObject({
      acceptedCount: 0,
      duplicateCount: 2,
      updates: [],
      conflicts: [{ index: 0, field: 'timestampMs', reason: OLDER }],
      warningMsg: expect.stringMatching(/^1 of 2 rows/),
    });
    expect(await report('deviceReports', said(5, '2'))).toMatchObject({
      conflicts: [{ index: 0, field: 'firmwareVersion' }],
    });
    const { fullCameraState } = await fixture.call('/api/camera/getFullCameraState', { cameraUuid });
    expect(fullCameraState).toMatchObject({ firmwareVersion: '1' });
  });

  it('is applied after an older one of the same batch, and not before it', async () => {
    expect(await report('deviceReports', said(1, '1'), said(2, '2'))).toMatchObject({
      acceptedCount: 2,
      conflicts: [],
      updates: [],
    });
    expect(await report('deviceReports', said(4), said(3))).toMatchObject({
      acceptedCount: 1,
      duplicateCount: 1,
      conflicts: [{ index: 1, field: 'timestampMs' }],
    });
  });
});

describe('a field that rows do not have', () => {
  it('is neither stored nor compared', async () => {
    const door = { uuid: ALERT, ownerDeviceUuid: OWNER, color: 'red' };
    expect((await report('doors', door)).warningMsg).toMatch(/^Unknown fields are ignored: rows\[0\]\.color/);
    expect(await report('doors', { ...door, color: 'blue' })).toMatchObject({ conflicts: [], updates: [] });
    expect((await fixture.store.resources.of(DOORS).list(fixture.own.organization.uuid))[0]?.body).toEqual({
      locationUuid: null,
    });
  });
});

describe('every kind', () => {
  it('accepts its own example twice without a warning', async () => {
    for (const { name, exampleRow } of INGEST_KINDS) {
      const first = await report(name, exampleRow);
      if (first.acceptedCount !== 1) continue;
      const { conflicts, updates } = await report(name, exampleRow);
      expect([name, conflicts, updates]).toEqual([name, [], []]);
    }
  });
});
