import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { IngestContext } from '../../ingest/ingest-kind.ts';
import { sampleCamera, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { LICENSES } from './license.ts';
import { licenseReportRules, tagReportRules } from './report-rules.ts';

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

it('licenses of cameras name existing cameras; other devices are not known', async () => {
  const row = (deviceUuid: Ruuid, deviceType: 'CAMERA' | 'NVR') => ({ id: 'L-1', deviceUuid, deviceType });
  const rows = [row(cameraUuid, 'CAMERA'), row(newRuuid(), 'CAMERA'), row(newRuuid(), 'NVR'), { id: 'L-2' }];
  const problems = await licenseReportRules.problemsOf?.(context, rows);
  expect(fieldsOf(problems)).toEqual([null, 'deviceUuid', null, null]);
  await licenseReportRules.store(context, rows.slice(0, 1));
  const kept = await context.store.resources.of(LICENSES).list(context.orgUuid);
  expect(kept).toMatchObject([{ name: 'L-1', parentUuid: cameraUuid }]);
});

it('tags stay as they were first reported', async () => {
  const row = { uuid: newRuuid(), name: 'Porter 3' };
  expect(await tagReportRules.known?.(context, [row])).toEqual([null]);
  await tagReportRules.store(context, [row]);
  await tagReportRules.store(context, [{ ...row, name: 'Porter 4' }]);
  expect(await tagReportRules.known?.(context, [row])).toMatchObject([{ name: 'Porter 3' }]);
});
