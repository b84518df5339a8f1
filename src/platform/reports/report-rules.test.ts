import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { IngestContext } from '../../ingest/ingest-kind.ts';
import { sampleCamera, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { crossingReportRules, occupancyReportRules, saleReportRules } from './report-rules.ts';

let context: IngestContext;
let cameraUuid: Ruuid;
beforeEach(async () => {
  const store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const camera = sampleCamera(organization.uuid, { locationUuid: null, nvrUuid: null });
  await store.cameras.save(camera);
  cameraUuid = camera.uuid;
  context = { store, orgUuid: organization.uuid, nowMs: 5 };
});
afterEach(() => context.store.close());

const fieldsOf = (problems: readonly ({ readonly field: string } | null)[] | undefined) =>
  problems?.map((problem) => problem?.field ?? null);

it('crossings are at cameras of the organization, and known by the facet and the id', async () => {
  const row = (deviceUuid: string) => ({
    id: 'a',
    deviceUuid,
    timestampMs: 3,
    crossingObject: 'HUMAN',
    objectId: 17,
    direction: 'INGRESS',
  });
  const rows = [row(`${cameraUuid}.v0`), row(newRuuid())] as never[];
  expect(fieldsOf(await crossingReportRules.problemsOf?.(context, rows))).toEqual([null, 'deviceUuid']);
  expect(await crossingReportRules.store(context, rows.slice(0, 1))).toBe(1);
  expect(await crossingReportRules.known?.(context, rows)).toEqual([rows[0], null]);
});

it('occupancy can come from a sensor', async () => {
  const row = { id: 'a', deviceUuid: newRuuid(), timestampMs: 3, occupancy: 4 };
  expect(await occupancyReportRules.store(context, [row])).toBe(1);
  const again = { ...row, occupancy: 5 };
  expect(await occupancyReportRules.store(context, [again])).toBe(0);
  expect(await occupancyReportRules.known?.(context, [again])).toEqual([row]);
});

it('sales have existing days, and cameras of the organization', async () => {
  const row = { id: 'a', businessDate: '2026-01-31', restaurantGuid: 'one' };
  const rows = [
    { ...row, assignedCameraList: [cameraUuid] },
    { ...row, businessDate: '2026-02-30' },
    { ...row, assignedCameraList: [cameraUuid, newRuuid()] },
  ];
  const problems = await saleReportRules.problemsOf?.(context, rows);
  expect(fieldsOf(problems)).toEqual([null, 'businessDate', 'assignedCameraList[1]']);
  expect(await saleReportRules.store(context, rows.slice(0, 1))).toBe(1);
  const known = await saleReportRules.known?.(context, [row, { ...row, businessDate: '2026-02-01' }]);
  expect(known).toMatchObject([row, { businessDate: null }]);
});
