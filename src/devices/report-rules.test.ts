import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { IngestContext } from '../ingest/ingest-kind.ts';
import { sampleCamera, sampleNvr, sampleOrganization } from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { DEVICE_REPORTS } from './device-report.ts';
import { deviceReportRules } from './report-rules.ts';

let context: IngestContext;
let nvrUuid: Ruuid;
let cameraUuid: Ruuid;
beforeEach(async () => {
  const store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const nvr = sampleNvr(organization.uuid, { locationUuid: null });
  await store.nvrs.save(nvr);
  const camera = sampleCamera(organization.uuid, { locationUuid: null, nvrUuid: null });
  await store.cameras.save(camera);
  [nvrUuid, cameraUuid] = [nvr.uuid, camera.uuid];
  context = { store, orgUuid: organization.uuid, nowMs: 5 };
});
afterEach(() => context.store.close());

const fieldsOf = (problems: readonly ({ readonly field: string } | null)[] | undefined) =>
  problems?.map((problem) => problem?.field ?? null);

it('cameras and NVRs report about themselves, and only what devices report is stored', async () => {
  const rules = deviceReportRules(['firmwareVersion']);
  const row = (deviceUuid: Ruuid) => ({ deviceUuid, timestampMs: 3, firmwareVersion: '4.2', other: 1 });
  const rows = [row(cameraUuid), row(nvrUuid), row(newRuuid())];
  expect(fieldsOf(await rules.problemsOf?.(context, rows))).toEqual([null, null, 'deviceUuid']);
  await rules.store(context, rows.slice(0, 2));
  const [kept] = await context.store.resources.of(DEVICE_REPORTS).listByParent(context.orgUuid, cameraUuid);
  expect(kept?.body).toEqual({ atMs: 3, report: { firmwareVersion: '4.2' } });
});
