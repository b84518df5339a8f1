import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DoorService } from '../access-control/door-service.ts';
import { LandingService } from '../access-control/landing-service.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera, WeeklySchedule } from '../store/entities.ts';
import { openTestStore } from '../store/open-test-store.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleOrganisation,
  sampleWeeklySchedule,
} from '../store/sample-entities.ts';
import type { Store } from '../store/store.ts';
import { AlertPauses } from './alert-pauses.ts';
import { type AlertPolicyPauseBody, pausesOf } from './alert-policy-pause.ts';
import { ClimatePolicies } from './climate-policies.ts';
import { locationsUsedIn, refuseUsed, scheduleUses } from './schedule-uses.ts';

let clock: FakeClock;
let store: Store;
let orgUuid: Ruuid;
let camera: Camera;
let schedule: WeeklySchedule;
let doors: DoorService;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  doors = new DoorService({ store, clock });
  const organisation = sampleOrganisation();
  orgUuid = organisation.uuid;
  await store.organisations.save(organisation);
  const location = sampleLocation(orgUuid);
  await store.locations.save(location);
  camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: null });
  await store.cameras.save(camera);
  schedule = sampleWeeklySchedule(orgUuid);
  await store.schedules.save(schedule);
});
afterEach(() => store.close());

describe('pauses of alerts', () => {
  const pauseOf = (fields: Partial<AlertPolicyPauseBody>): AlertPolicyPauseBody => ({
    ...{ componentCompositeUuids: [], deviceUuids: [], locationUuids: [] },
    ...{ fromMs: clock.epochMs(), toMs: clock.epochMs() + 60_000, ...fields },
  });
  const pauses = () =>
    new AlertPauses({ store, doors, landings: new LandingService({ store, clock }), clock });

  it('cover a door with its readers, until they end', async () => {
    const readerUuid = newRuuid();
    const doorUuid = newRuuid();
    const reader = { componentUuid: readerUuid };
    await doors.report(orgUuid, [
      { uuid: doorUuid, ownerDeviceUuid: newRuuid(), readerComponents: [reader] },
    ]);
    await pauses().pause(orgUuid, pauseOf({ componentCompositeUuids: [doorUuid] }));
    const isPaused = await pausesOf(store, orgUuid);
    const alert = { componentUuid: readerUuid, deviceUuid: newRuuid(), locationUuid: null };
    expect(isPaused({ ...alert, timestampMs: clock.epochMs() })).toBe(true);
    expect(isPaused({ ...alert, timestampMs: clock.epochMs() + 60_000 })).toBe(false);
    expect(isPaused({ ...alert, componentUuid: null, timestampMs: clock.epochMs() })).toBe(false);
  });

  it('name something that exists, and end in the future', async () => {
    const pause = (fields: Partial<AlertPolicyPauseBody>) => pauses().pause(orgUuid, pauseOf(fields));
    await expect(pause({})).rejects.toMatchObject({ code: 'ALERT_PAUSE_OF_NOTHING' });
    await expect(pause({ deviceUuids: [camera.uuid], toMs: clock.epochMs() })).rejects.toMatchObject({
      code: 'ALERT_PAUSE_OVER',
    });
    await expect(pause({ componentCompositeUuids: [newRuuid()] })).rejects.toMatchObject({
      code: 'ALERT_PAUSE_SUBJECT_NOT_FOUND',
      context: { list: 'componentCompositeUuids', index: 0 },
    });
  });
});

describe('climate policies', () => {
  it('keep what a change does not set, and protect their schedules', async () => {
    const policies = new ClimatePolicies({ store, clock });
    const uuid = newRuuid();
    const scheduledTriggers = [{ scheduleUuid: schedule.uuid, triggerSet: [{ threshold: 30 }] }];
    await policies.update(orgUuid, { uuid, description: 'Server room', scheduledTriggers });
    await policies.update(orgUuid, { uuid, name: 'Heat' });
    expect(await policies.list(orgUuid)).toMatchObject([
      { name: 'Heat', body: { policyUuid: uuid, description: 'Server room', scheduledTriggers } },
    ]);
    const uses = await scheduleUses(store, orgUuid, schedule.uuid);
    expect(() => refuseUsed(schedule.uuid, uses)).toThrow(
      expect.objectContaining({ code: 'SCHEDULE_IN_USE' }),
    );
    expect(await locationsUsedIn(store, orgUuid, uses)).toEqual([]);
    const stranger = [{ scheduleUuid: schedule.uuid }, { scheduleUuid: newRuuid() }];
    await expect(policies.update(orgUuid, { uuid, scheduledTriggers: stranger })).rejects.toMatchObject({
      code: 'CLIMATE_SCHEDULE_NOT_FOUND',
      context: { index: 1 },
    });
  });
});
