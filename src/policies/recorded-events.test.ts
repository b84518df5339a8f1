import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { ComponentEvents } from '../platform/access-control/component-events.ts';
import { DOORS, type DoorBody } from '../platform/access-control/door.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { recentEvents, type SeenEvent, watchEvents } from './recorded-events.ts';

const BASE_MS = Date.UTC(2026, 0, 1);

async function setup() {
  const clock = new FakeClock(BASE_MS);
  const store = await openTestStore(clock);
  onTestFinished(() => store.close());
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  const [cameraUuid, doorUuid] = [newRuuid(), newRuuid()];
  await store.resources.of(DOORS).save({
    uuid: doorUuid,
    orgUuid: organization.uuid,
    name: 'Dock',
    parentUuid: null,
    secret: null,
    createdAtMs: BASE_MS,
    updatedAtMs: BASE_MS,
    body: {
      locationUuid: newRuuid(),
      ownerDeviceUuid: newRuuid(),
      associatedCameras: [`${cameraUuid}.v0`],
    } as Partial<DoorBody> as DoorBody,
  });
  const seen: SeenEvent[] = [];
  onTestFinished(watchEvents(store, { clock, log: silentLog, onSeen: (some) => void seen.push(...some) }));
  const alerts = new PolicyAlerts(store);
  const doors = new ComponentEvents(store);
  return { store, seen, alerts, doors, cameraUuid, doorUuid, orgUuid: organization.uuid };
}

describe('events that cameras see', () => {
  it('are alerts of a camera, and events of a door that it is associated with', async () => {
    const { store, seen, alerts, doors, cameraUuid, doorUuid, orgUuid } = await setup();
    const other = newRuuid();
    const alert = { uuid: newRuuid(), deviceUuid: other, timestampMs: BASE_MS - 5_000, durationSec: 3 };
    await alerts.report(orgUuid, [
      alert,
      { uuid: newRuuid(), deviceUuid: newRuuid(), timestampMs: BASE_MS - 86_400_000 },
      { uuid: newRuuid(), deviceUuid: newRuuid(), timestampMs: BASE_MS + 86_400_000 },
    ]);
    await doors.report(orgUuid, [
      { uuid: newRuuid(), accessControlledDoorUuid: doorUuid, type: 'X', timestampMs: BASE_MS - 1_000 },
      { uuid: newRuuid(), accessControlledDoorUuid: newRuuid(), type: 'X', timestampMs: BASE_MS },
    ]);
    const expected = [
      { cameraUuid: other, fromMs: BASE_MS - 5_000, toMs: BASE_MS - 2_000 },
      { cameraUuid, fromMs: BASE_MS - 1_000, toMs: BASE_MS - 1_000 },
    ];
    await eventually('both are seen', () => seen.length === expected.length);
    expect(seen).toEqual(expected);
    // One that is sent again is not seen again, and neither is an old one when the gateway starts.
    await alerts.report(orgUuid, [alert]);
    expect(await recentEvents(store, BASE_MS, 60_000)).toEqual(expected);
    expect(await recentEvents(store, BASE_MS, 2_000)).toEqual([expected[1]]);
    expect(seen).toEqual(expected);
  });
});
