import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { Camera, Location, WeeklySchedule } from '../../store/entities.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleOrganization,
  sampleWeeklySchedule,
} from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { WebhookDeliveries } from '../../webhooks/webhook-deliveries.ts';
import { WebhookRegistry } from '../../webhooks/webhook-registry.ts';
import { isSerialNumber, lowercaseHex } from './credential.ts';
import { CredentialService } from './credential-service.ts';
import { DoorService } from './door-service.ts';
import { LandingService } from './landing-service.ts';
import { actionsLeftToClients, type NewLockdownRule, ruleAction } from './lockdown/lockdown-rule.ts';
import { LockdownRules } from './lockdown/lockdown-rules.ts';
import { LockdownService } from './lockdown/lockdown-service.ts';

let clock: FakeClock;
let store: Store;
let doors: DoorService;
let landings: LandingService;
let orgUuid: Ruuid;
let camera: Camera;
let location: Location;
let schedule: WeeklySchedule;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  doors = new DoorService({ store, clock });
  landings = new LandingService({ store, clock });
  const organization = sampleOrganization();
  orgUuid = organization.uuid;
  await store.organizations.save(organization);
  location = sampleLocation(orgUuid);
  await store.locations.save(location);
  camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: null });
  await store.cameras.save(camera);
  schedule = sampleWeeklySchedule(orgUuid);
  await store.schedules.save(schedule);
});
afterEach(() => store.close());

const addDoor = async (fields: object = {}): Promise<Ruuid> => {
  const uuid = newRuuid();
  await doors.report(orgUuid, [{ uuid, ownerDeviceUuid: newRuuid(), name: 'Dock', ...fields }]);
  return uuid;
};

describe('doors', () => {
  it('that are reported again keep their settings, and take what only their device knows', async () => {
    const uuid = await addDoor({ unlockTimeSec: 5, subType: 'NATIVE' });
    const ownerDeviceUuid = newRuuid();
    const again = { uuid, ownerDeviceUuid, name: 'Other', unlockTimeSec: 9, subType: 'LOCK_VENDOR' } as const;
    expect(await doors.report(orgUuid, [again])).toEqual([
      { isAccepted: false, kept: 'name', changed: 'ownerDeviceUuid' },
    ]);
    expect(await doors.find(orgUuid, uuid)).toMatchObject({
      name: 'Dock',
      parentUuid: ownerDeviceUuid,
      body: { unlockTimeSec: 5, subType: 'LOCK_VENDOR' },
    });
  });

  it.each([
    [{ name: ' ' }, { code: 'DOOR_UNNAMED' }],
    [
      { associatedCameras: [newRuuid()] },
      { code: 'DOOR_CAMERA_NOT_FOUND', context: { list: 'associatedCameras', index: 0 } },
    ],
    [{ doorStateToScheduleUuidMap: { AJAR: newRuuid() } }, { code: 'DOOR_STATE_UNKNOWN' }],
    [
      { doorStateToScheduleUuidMap: { UNLOCKED: newRuuid() } },
      { code: 'DOOR_SCHEDULE_NOT_FOUND', context: { state: 'UNLOCKED' } },
    ],
    [
      { proximityUnlockSettings: { minHoldUnlockedTimeSec: 2, maxHoldUnlockedTimeSec: 1 } },
      { code: 'DOOR_HOLD_TIMES_REVERSED' },
    ],
  ])('refuse %j', async (changes, refusal) => {
    const uuid = await addDoor();
    await expect(doors.update(orgUuid, uuid, changes, {})).rejects.toMatchObject(refusal);
    await expect(doors.update(orgUuid, newRuuid(), {}, {})).rejects.toMatchObject({ code: 'DOOR_NOT_FOUND' });
  });

  it('are found by their owner, which can be a device without doors', async () => {
    const ownerDeviceUuid = newRuuid();
    const uuid = await addDoor({ ownerDeviceUuid });
    expect(await doors.findByOwnerDevice(orgUuid, ownerDeviceUuid)).toMatchObject([{ uuid }]);
    expect(await doors.findByOwnerDevice(orgUuid, camera.uuid)).toEqual([]);
    await expect(doors.findByOwnerDevice(orgUuid, newRuuid())).rejects.toMatchObject({
      code: 'DOOR_OWNER_NOT_FOUND',
    });
  });
});

describe('elevator landings', () => {
  it('have each label once, and keep labels and state through reports', async () => {
    const row = { uuid: newRuuid(), ownerDeviceUuid: newRuuid() };
    await landings.report(orgUuid, [{ ...row, shadow: { state: { state: 'UNLOCKED' } } }]);
    await landings.addLabel(orgUuid, row.uuid, ' Executive ');
    await landings.addLabel(orgUuid, row.uuid, 'Executive');
    await landings.report(orgUuid, [{ ...row, floorNumber: 3 }]);
    expect((await landings.find(orgUuid, row.uuid))?.body).toMatchObject({
      labels: ['Executive'],
      floorNumber: 3,
      shadow: { state: { state: 'UNLOCKED' } },
    });
    await landings.report(orgUuid, [{ uuid: newRuuid(), ownerDeviceUuid: row.ownerDeviceUuid }]);
    expect([...(await landings.labels(orgUuid))]).toEqual([[row.uuid, ['Executive']]]);
    const remove = (label: string) => landings.removeLabel(orgUuid, row.uuid, label);
    await expect(remove(' ')).rejects.toMatchObject({ code: 'ELEVATOR_LANDING_LABEL_BLANK' });
    await expect(remove('None')).rejects.toMatchObject({ code: 'ELEVATOR_LANDING_LABEL_NOT_FOUND' });
  });
});

describe('credentials', () => {
  it('keep what a later report leaves out; only cards are found as cards', async () => {
    const credentials = new CredentialService({ store, clock });
    const card = { uuid: newRuuid(), type: 'STANDARD_CSN', value: '04:A2' } as const;
    const outcomes = await credentials.reportCredentials(orgUuid, [
      { ...card, note: 'Porter' },
      { ...card, workflowStatus: 'ACTIVE' },
    ]);
    expect(outcomes).toEqual([
      { isAccepted: true, kept: null, changed: null },
      { isAccepted: false, kept: null, changed: 'workflowStatus' },
    ]);
    expect((await credentials.findStandardCsn(orgUuid, card.uuid)).body).toMatchObject({
      note: 'Porter',
      workflowStatus: 'ACTIVE',
    });
    const pin = { uuid: newRuuid(), type: 'PIN_CODE', value: '1234' } as const;
    await credentials.reportCredentials(orgUuid, [pin]);
    await expect(credentials.findStandardCsn(orgUuid, pin.uuid)).rejects.toMatchObject({
      code: 'CSN_CREDENTIAL_NOT_FOUND',
    });
  });

  it('accept serial numbers in the forms that readers use', () => {
    expect(['04:A2:3B', '04-a2-3b', '0x04A23B', '04 A2'].every(isSerialNumber)).toBe(true);
    expect(['', '04:A', 'card'].some(isSerialNumber)).toBe(false);
    expect(lowercaseHex('0x04:A2-3B')).toBe('04a23b');
  });
});

describe('lockdown rules', () => {
  let rules: LockdownRules;
  let lockdown: LockdownService;
  let deliveries: WebhookDeliveries;
  let isPaused: boolean;
  beforeEach(() => {
    isPaused = false;
    const webhooks = new WebhookRegistry(store, clock);
    deliveries = new WebhookDeliveries({ store, clock, log: silentLog, allowPrivateNetworks: false });
    rules = new LockdownRules({ store, doors, landings, webhooks, clock, allowPrivateNetworks: false });
    lockdown = new LockdownService({
      store,
      rules,
      doors,
      landings,
      webhooks,
      deliveries,
      clock,
      log: silentLog,
      alertPausesOf: async () => () => isPaused,
    });
  });
  afterEach(() => deliveries.close());

  const rule = (fields: Partial<NewLockdownRule> = {}): NewLockdownRule => ({
    locationUuid: location.uuid,
    ruleName: 'Panic',
    action: {},
    ...fields,
  });
  const webhook = (fields: object) =>
    rule({ action: { webhookActions: [{ webhookUrl: 'https://hook.example/', ...fields }] } });
  const client = { oauthClientId: 'us', oauthClientSecret: 'secret' };

  it.each([
    [() => rule({ ruleName: ' ' }), { code: 'LOCKDOWN_RULE_UNNAMED' }],
    [() => rule({ triggerActivity: '' }), { code: 'LOCKDOWN_TRIGGER_BLANK' }],
    [() => rule({ locationUuid: newRuuid() }), { code: 'LOCKDOWN_LOCATION_NOT_FOUND' }],
    [() => rule({ ruleUuid: newRuuid() }), { code: 'LOCKDOWN_RULE_UUID_TAKEN' }],
    [
      () => rule({ ruleFilters: { scheduleUuids: [schedule.uuid, newRuuid()] } }),
      { code: 'LOCKDOWN_SCHEDULE_NOT_FOUND', context: { index: 1 } },
    ],
    [
      () =>
        rule({
          action: { changeComponentCompositeAccessStateActions: [{ componentCompositeUuid: newRuuid() }] },
        }),
      { code: 'LOCKDOWN_COMPONENT_NOT_FOUND', context: { index: 0 } },
    ],
    [
      () => webhook({ webhookUrl: 'ftp://hook.example/' }),
      { code: 'LOCKDOWN_WEBHOOK_INVALID', context: { index: 0, part: 'webhookUrl' } },
    ],
    [() => webhook({ oauthClientId: 'us' }), { code: 'LOCKDOWN_OAUTH_CLIENT_INCOMPLETE' }],
    [
      () => webhook({ ...client, oauthUrl: 'http://token.example/' }),
      { code: 'LOCKDOWN_OAUTH_URL_INSECURE' },
    ],
    [
      () => webhook({ ...client, oauthUrl: 'https://token.example/', oauthGrantType: 'password' }),
      { code: 'LOCKDOWN_OAUTH_GRANT_UNSUPPORTED' },
    ],
    [
      () => rule({ action: { connectAudioDeviceToPhoneNumberAction: { phoneNumber: '555-0123' } } }),
      { code: 'LOCKDOWN_PHONE_NUMBER_INVALID' },
    ],
  ])('that are invalid are refused: %s', async (made, refusal) => {
    await expect(rules.create(orgUuid, made())).rejects.toMatchObject(refusal);
    expect(await rules.list(orgUuid)).toEqual([]);
  });

  it('store the number that they call in E.164 form, with what else their client needs', async () => {
    const call = { doorUuid: newRuuid(), phoneNumber: '+1 (202) 555-0123' };
    await rules.create(orgUuid, rule({ action: { connectAudioDeviceToPhoneNumberAction: call } }));
    const [kept] = await rules.list(orgUuid);
    expect(ruleAction(kept!)).toEqual({
      connectAudioDeviceToPhoneNumberAction: { ...call, phoneNumber: '+12025550123' },
    });
  });

  it('put doors in a state for a time, and raise alerts unless they are paused', async () => {
    const doorUuid = await addDoor();
    const change = { componentCompositeUuid: doorUuid, expirationStrategy: 'TIME_DELAY' } as const;
    const missing = rule({ action: { changeComponentCompositeAccessStateActions: [change] } });
    await expect(rules.create(orgUuid, missing)).rejects.toMatchObject({ code: 'LOCKDOWN_EXPIRY_MISSING' });
    const changes = [{ ...change, expireTimeDelaySeconds: 60 }];
    const action = { alertAction: true, changeComponentCompositeAccessStateActions: changes };
    const ruleUuid = await rules.create(orgUuid, rule({ triggerActivity: 'PANIC_BUTTON', action }));
    const atMs = clock.epochMs();
    const trigger = (key: string, activity: string) => ({
      key,
      activity,
      locationUuid: location.uuid,
      deviceUuid: camera.uuid,
      componentUuid: null,
      atMs,
    });
    const alerts = () => store.events.count(orgUuid, { kind: 'policyAlert', fromMs: 0, toMs: atMs + 1 });
    expect(await lockdown.trigger(orgUuid, trigger('a', 'MOTION_HUMAN'))).toEqual([]);
    expect(await lockdown.trigger(orgUuid, trigger('b', 'PANIC_BUTTON'))).toEqual([ruleUuid]);
    expect((await doors.find(orgUuid, doorUuid)).body.doorStateOverride).toMatchObject({
      state: 'ACCESS_CONTROLLED',
      originator: { type: 'RULE', grantedToInternalEntityUuid: ruleUuid },
      expiresAtMillis: atMs + 60_000,
    });
    expect(await alerts()).toBe(1);
    isPaused = true;
    await lockdown.trigger(orgUuid, trigger('c', 'PANIC_BUTTON'));
    expect(await alerts()).toBe(1);
  });

  it('name the actions that are only stored', () => {
    const action = {
      alertAction: true,
      robotActions: [{}],
      customActions: [],
      liveNotificationAction: false,
    };
    expect(actionsLeftToClients(action)).toEqual(['robotActions']);
  });
});
