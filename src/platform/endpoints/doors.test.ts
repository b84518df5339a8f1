import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { ReportedDoor } from '../access-control/door-service.ts';
import { DOOR_SCHEMA } from './doors.ts';

const FIND = '/api/component/findAccessControlledDoorsByOwnerDevice';
const UPDATE = '/api/component/updateAccessControlledDoor';

let fixture: ApiFixture;
let door: ReportedDoor;
let orgUuid: Ruuid;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  orgUuid = fixture.own.organization.uuid;
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
  door = {
    uuid: newRuuid(),
    ownerDeviceUuid: newRuuid(),
    locationUuid: fixture.own.locationUuid,
    name: 'Dock',
    unlockTimeSec: 5,
    privacyModeSupportEnabled: true,
  };
  await fixture.accessControl.doors.report(orgUuid, [door]);
});
afterEach(() => fixture.close());

const update = (body: object, headers?: Record<string, string>) =>
  fixture.call(UPDATE, { accessControlledDoorUuid: door.uuid, ...body }, headers);

async function stored(): Promise<Record<string, unknown>> {
  const response = await fixture.call(FIND, { ownerDeviceUuid: door.ownerDeviceUuid });
  return (response.accessControlledDoors as Record<string, unknown>[])[0]!;
}

describe(FIND, () => {
  it('returns the doors of the device with every field, and no others', async () => {
    const other = { uuid: newRuuid(), ownerDeviceUuid: newRuuid(), name: 'Other' };
    await fixture.accessControl.doors.report(orgUuid, [other]);
    const response = await fixture.call(FIND, { ownerDeviceUuid: door.ownerDeviceUuid });
    expect(response.accessControlledDoors).toHaveLength(1);
    const found = await stored();
    expect(found).toMatchObject({
      uuid: door.uuid,
      orgUuid,
      ownerDeviceUuid: door.ownerDeviceUuid,
      locationUuid: fixture.own.locationUuid,
      name: 'Dock',
      type: 'AccessControlledDoor',
      unlockTimeSec: 5,
      privacyModeSupportEnabled: true,
      createdAtMillis: fixture.clock.epochMs(),
    });
    expect(found).not.toHaveProperty('doorStateOverride');
    expect(Object.keys(DOOR_SCHEMA.properties)).toHaveLength(49);
    expect(Object.keys(DOOR_SCHEMA.properties)).toEqual(expect.arrayContaining(Object.keys(found)));
  });

  it('returns an empty list for a known device without doors', async () => {
    expect(await fixture.call(FIND, { ownerDeviceUuid: fixture.own.nvrUuid })).toMatchObject({
      error: false,
      accessControlledDoors: [],
    });
  });

  it('refuses an unknown device, and another organization', async () => {
    for (const [ownerDeviceUuid, headers] of [
      [newRuuid(), {}],
      [door.ownerDeviceUuid, foreignHeaders],
    ] as const) {
      const { errorMsg } = await fixture.call(FIND, { ownerDeviceUuid }, headers);
      expect(errorMsg).toBe('There is no device with this UUID.');
    }
  });
});

describe('a report', () => {
  it('keeps the settings of a known door and takes what only its device knows', async () => {
    await update({ name: 'Renamed', unlockTimeSec: 9 });
    const again = { ...door, unlockTimeSec: 1, privacyModeSupportEnabled: false };
    expect(await fixture.accessControl.doors.report(orgUuid, [again])).toEqual([
      { isAccepted: false, kept: 'name', changed: 'privacyModeSupportEnabled' },
    ]);
    expect(await stored()).toMatchObject({
      name: 'Renamed',
      unlockTimeSec: 9,
      privacyModeSupportEnabled: false,
    });
  });

  it('cannot take over another organization’s door', async () => {
    const theirs = { ...door, name: 'Stolen' };
    const { doors } = fixture.accessControl;
    expect(await doors.report(fixture.foreign.organization.uuid, [theirs])).toMatchObject([
      { isAccepted: true },
    ]);
    expect(await stored()).toMatchObject({ name: 'Dock', orgUuid });
  });
});

describe(UPDATE, () => {
  it('stores every field of the specification and returns the door', async () => {
    const schedule = { name: 'Day', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 60 }] };
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule });
    const component = { componentUuid: newRuuid(), deviceUuid: newRuuid() };
    const settings = {
      ajarTimeSec: 30,
      associatedCameras: [`${fixture.own.camera.uuid}.v0`],
      associatedFaceDetectionCameras: [fixture.own.doorbell.uuid],
      defaultState: 'ACCESS_CONTROLLED',
      directionRadians: 1.5,
      doorStateToScheduleUuidMap: { UNLOCKED: scheduleUuid },
      dpiComponents: [component],
      readerComponents: [component],
      relayComponents: [component],
      rexComponents: [component],
      floorNumber: -1,
      forceAllReadersFirstInAuthRequiredLedFeedbackEnabled: true,
      forceAllReadersFirstInUnlockPendingLedFeedbackEnabled: true,
      forceAllReadersOtherReaderUnlockAudioFeedbackEnabled: false,
      forceAllReadersRemoteUnlockAudioFeedbackEnabled: true,
      forcedOpenEnabled: true,
      forcedOpenTimeSec: 3,
      geofenceEnabled: true,
      geofenceRadius: 25.5,
      latitude: 52.5,
      longitude: 13.4,
      name: 'Gate',
      policyUuid: newRuuid(),
      proximityUnlockSettings: { enabled: true, holdUnlocked: true, minHoldUnlockedTimeSec: 2 },
      waveToUnlockSettings: { enabled: true, awaitAuthDurationMs: 500, minRSSIThreshold: -70 },
      relockAfterOpenTimeMs: 250,
      remoteUnlockEnabled: true,
      unlockTimeSec: 8,
      unlockTimeSecRex: 4,
    };
    fixture.clock.advance(1_000);
    const place = { subLocationsHierarchyKey: newRuuid(), subLocationsHierarchyKeyUpdated: true };
    const response = await update({ ...settings, ...place });
    const expected = {
      ...settings,
      subLocationsHierarchyKey: place.subLocationsHierarchyKey,
      createdAtMillis: fixture.clock.epochMs() - 1_000,
      updatedAtMillis: fixture.clock.epochMs(),
    };
    expect(response).toMatchObject({ error: false, accessControlledDoor: expected });
    expect(await stored()).toEqual(response.accessControlledDoor);
    expect(await stored()).not.toHaveProperty('subLocationsHierarchyKeyUpdated');
  });

  it('notifies the change feed, only of what succeeds', async () => {
    const changes: unknown[] = [];
    fixture.store.onChange(({ entity, type, uuid, details }) =>
      changes.push([entity, type, uuid, details?.deviceUuid]),
    );
    await update({ unlockTimeSec: -1 });
    await update({ unlockTimeSec: 6 });
    expect(changes).toEqual([['door', 'UPDATE', door.uuid, door.ownerDeviceUuid]]);
  });

  it('stores a default state with who requested it and when', async () => {
    await update({ defaultState: 'UNLOCKED' });
    const requestedAtMs = fixture.clock.epochMs();
    fixture.clock.advance(1_000);
    await update({ unlockTimeSec: 6 });
    const { key } = fixture.own;
    expect(await stored()).toMatchObject({
      defaultState: 'UNLOCKED',
      defaultAccessStateOriginator: {
        type: 'API_TOKEN',
        grantedToInternalEntityUuid: key.uuid,
        grantedToName: key.name,
      },
      defaultAccessStateRequestedAtMillis: requestedAtMs,
    });
    await update({ defaultState: 'UNLOCKED' });
    expect((await stored()).defaultAccessStateRequestedAtMillis).toBe(requestedAtMs + 1_000);
  });

  it('accepts null for a state without a schedule', async () => {
    const schedule = { name: 'Day', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 60 }] };
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule });
    const map = (entries: object) => update({ doorStateToScheduleUuidMap: entries });
    expect(await map({ UNLOCKED: scheduleUuid, ACCESS_CONTROLLED: null })).toMatchObject({ error: false });
    expect((await stored()).doorStateToScheduleUuidMap).toEqual({ UNLOCKED: scheduleUuid });
    expect(await map({ UNLOCKED: null })).toMatchObject({ error: false });
    expect((await stored()).doorStateToScheduleUuidMap).toEqual({});
    expect((await fixture.call('/api/schedule/deleteSchedule', { scheduleUuid })).error).toBe(false);
  });

  it('keeps what is absent or null, and the sublocation unless its flag is set', async () => {
    const key = newRuuid();
    await update({ subLocationsHierarchyKey: key, subLocationsHierarchyKeyUpdated: true });
    await update({ name: null, ajarTimeSec: 7, subLocationsHierarchyKey: newRuuid() });
    expect(await stored()).toMatchObject({
      name: 'Dock',
      ajarTimeSec: 7,
      unlockTimeSec: 5,
      subLocationsHierarchyKey: key,
    });
    await update({ subLocationsHierarchyKeyUpdated: true });
    expect(await stored()).not.toHaveProperty('subLocationsHierarchyKey');
  });

  it.each([
    [{ accessControlledDoorUuid: null }, 'accessControlledDoorUuid is required.'],
    [{ accessControlledDoorUuid: newRuuid() }, 'There is no access controlled door with this UUID.'],
    [{ name: '  ' }, 'name must not be blank.'],
    [{ unlockTimeSec: -1 }, 'unlockTimeSec must be an integer from 0 to 86400, got -1.'],
    [{ defaultState: 'LOCKED' }, /^defaultState must be one of UNLOCKED, ACCESS_CONTROLLED/],
    [{ associatedCameras: [newRuuid()] }, 'associatedCameras[0] must be a camera of the organization.'],
    [{ doorStateToScheduleUuidMap: { UNLOCKED: newRuuid() } }, /^doorStateToScheduleUuidMap\.UNLOCKED must/],
    [{ doorStateToScheduleUuidMap: { AJAR: newRuuid() } }, /^doorStateToScheduleUuidMap can have only/],
    [
      { proximityUnlockSettings: { minHoldUnlockedTimeSec: 9, maxHoldUnlockedTimeSec: 8 } },
      /^proximityUnlockSettings\.minHoldUnlockedTimeSec must be at most/,
    ],
  ])('refuses %j and changes nothing', async (body, sentence) => {
    const before = await stored();
    const { error, errorMsg } = await update(body);
    expect(error).toBe(true);
    expect(errorMsg).toMatch(sentence);
    expect(await stored()).toEqual(before);
  });

  it('does not know another organization’s door, nor its cameras', async () => {
    const unknown = 'There is no access controlled door with this UUID.';
    expect((await update({ name: 'Mine' }, foreignHeaders)).errorMsg).toBe(unknown);
    const cameras = { associatedCameras: [fixture.foreign.camera.uuid] };
    expect((await update(cameras)).errorMsg).toMatch(/^associatedCameras\[0\] must be a camera/);
    expect(await stored()).toMatchObject({ name: 'Dock' });
    expect(await stored()).not.toHaveProperty('associatedCameras');
  });
});
