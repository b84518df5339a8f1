import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { IngestContext } from '../../ingest/ingest-kind.ts';
import { resourceKind } from '../../store/resource.ts';
import {
  sampleLocation,
  sampleOrganization,
  sampleWeeklySchedule,
} from '../../store/sample-entities-fixture.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { ACCESS_REVOCATIONS, CREDENTIALS } from './credential.ts';
import { DOORS } from './door.ts';
import { LANDINGS } from './landing.ts';
import {
  componentEventReportRules,
  credentialReportRules,
  doorReportRules,
  landingReportRules,
  revocationReportRules,
} from './report-rules.ts';

let context: IngestContext;
beforeEach(async () => {
  const store = await openTestStore(new FakeClock());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  context = { store, orgUuid: organization.uuid, nowMs: 5 };
});
afterEach(() => context.store.close());

const fieldsOf = (problems: readonly ({ readonly field: string } | null)[] | undefined) =>
  problems?.map((problem) => problem?.field ?? null);

it.each([
  [DOORS.name, doorReportRules, DOORS],
  [LANDINGS.name, landingReportRules, LANDINGS],
])('a reported %s is at a location of the organization, and is created once', async (_name, rules, kind) => {
  const location = sampleLocation(context.orgUuid);
  await context.store.locations.save(location);
  const row = { uuid: newRuuid(), ownerDeviceUuid: newRuuid() };
  const rows = [row, { ...row, locationUuid: location.uuid }, { ...row, locationUuid: newRuuid() }];
  expect(fieldsOf(await rules.problemsOf?.(context, rows))).toEqual([null, null, 'locationUuid']);
  await rules.store(context, rows.slice(0, 2));
  await rules.store(context, rows.slice(0, 2));
  expect(await context.store.resources.of<object>(kind).list(context.orgUuid)).toMatchObject([
    { uuid: row.uuid },
  ]);
});

it('reported cards have serial numbers, other credentials any value', async () => {
  const row = (type: 'STANDARD_CSN' | 'PIN_CODE', value: string) => ({ uuid: newRuuid(), type, value });
  const rows = [row('STANDARD_CSN', '04:A2'), row('STANDARD_CSN', 'card'), row('PIN_CODE', 'any')];
  expect(fieldsOf(await credentialReportRules.problemsOf?.(context, rows))).toEqual([null, 'value', null]);
  await credentialReportRules.store(context, rows.slice(0, 1));
  const [kept] = await context.store.resources.of(CREDENTIALS).list(context.orgUuid);
  expect(kept).toMatchObject({ uuid: rows[0]!.uuid, body: { type: 'STANDARD_CSN' } });
});

it('reported revocations name locations and schedules of the organization', async () => {
  const schedule = sampleWeeklySchedule(context.orgUuid);
  await context.store.schedules.save(schedule);
  const row = { uuid: newRuuid(), name: 'Night', scheduleUuid: schedule.uuid };
  const rows = [row, { ...row, scheduleUuid: newRuuid() }, { ...row, locationUuid: newRuuid() }];
  const problems = await revocationReportRules.problemsOf?.(context, rows);
  expect(fieldsOf(problems)).toEqual([null, 'scheduleUuid', 'locationUuid']);
  await revocationReportRules.store(context, rows.slice(0, 1));
  const kept = await context.store.resources.of(ACCESS_REVOCATIONS).list(context.orgUuid);
  expect(kept).toMatchObject([{ name: 'Night', body: { scheduleUuid: schedule.uuid } }]);
});

it('events happen at existing doors, and are known by their UUIDs', async () => {
  const doorUuid = newRuuid();
  await context.store.resources.of(resourceKind<object>('door')).save({
    uuid: doorUuid,
    orgUuid: context.orgUuid,
    name: '',
    parentUuid: null,
    body: {},
    secret: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  });
  const row = (accessControlledDoorUuid: Ruuid) => ({
    uuid: newRuuid(),
    accessControlledDoorUuid,
    type: 'ButtonEvent',
    timestampMs: 3,
  });
  const rows = [row(doorUuid), row(newRuuid()), { ...row(doorUuid), locationUuid: newRuuid() }];
  const problems = await componentEventReportRules.problemsOf?.(context, rows);
  expect(fieldsOf(problems)).toEqual([null, 'accessControlledDoorUuid', 'locationUuid']);
  expect(await componentEventReportRules.store(context, rows.slice(0, 1))).toBe(1);
  expect(await componentEventReportRules.known?.(context, rows.slice(0, 2))).toMatchObject([
    { ...rows[0], createdAtMs: 3 },
    null,
  ]);
});
