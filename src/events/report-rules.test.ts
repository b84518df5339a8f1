import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { IngestContext } from '../ingest/ingest-kind.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { deviceHealthReportRules, savedClipReportRules } from './report-rules.ts';

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

it('clips show cameras of the organization, and are known by their ids', async () => {
  const row = (id: string, device: string) => ({ id, deviceUuids: [device], timestampMs: 3 });
  const rows = [row('a', `${cameraUuid}.v0`), row('b', newRuuid()), { ...row('c', cameraUuid) }];
  const problems = await savedClipReportRules.problemsOf?.(context, rows);
  expect(fieldsOf(problems)).toEqual([null, 'deviceUuids[0]', null]);
  expect(await savedClipReportRules.store(context, rows.slice(0, 1))).toBe(1);
  expect(await savedClipReportRules.known?.(context, rows)).toMatchObject([rows[0]!, null, null]);
});

it('any device can report that it is healthy or not, once per id', async () => {
  const row = { id: 'a', deviceUuid: newRuuid(), timestampMs: 3, symptom: 'DOWN' } as const;
  expect(await deviceHealthReportRules.store(context, [row])).toBe(1);
  const { symptom: _well, ...well } = { ...row, id: 'b' };
  expect(await deviceHealthReportRules.store(context, [row, well])).toBe(1);
  expect(await deviceHealthReportRules.known?.(context, [row, well])).toEqual([
    row,
    { ...well, symptom: null },
  ]);
});
