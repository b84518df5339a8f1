import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_EFFECT } from '../core/ineffective-values.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { asJsonSchema, type JsonSchema } from '../http/fields/json-schema.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

const CREATE = '/api/camera/createSharedLiveVideoStream';
const newShare = (fields: object) => ({
  cameraUuid: fixture.own.camera.uuid,
  streamType: 'USER',
  vodEnabled: false,
  ...fields,
});

describe('what is stored without effect', () => {
  it.each([
    [{ vodEnabled: true }, undefined],
    [
      { audioGatewayUuid: newRuuid() },
      'audioGatewayUuid is stored but has no effect: the gateway does not know an audio gateway with this UUID.',
    ],
    [{ invertSchedule: true }, 'invertSchedule is stored but has no effect without scheduleUuid.'],
    [{}, undefined],
  ])('a share with %j', async (fields, warningMsg) => {
    const ofCamera = await fixture.call(CREATE, newShare(fields));
    expect([ofCamera.error, ofCamera.warningMsg]).toEqual([false, warningMsg]);
    const { cameraUuid: _camera, ...share } = newShare(fields);
    const doorbell = { ...share, doorbellCameraUuid: fixture.own.doorbell.uuid };
    const path = '/api/doorbellcamera/createSharedLiveVideoStream';
    const ofDoorbell = await fixture.call(path, doorbell);
    expect([ofDoorbell.error, ofDoorbell.warningMsg]).toEqual([false, warningMsg]);
  });

  it('a share with VOD of a camera that is never recorded, or cannot be now', async () => {
    const state = { state: 'off', code: null, reasons: [], isForbidden: false } as const;
    const warning = async () => (await fixture.call(CREATE, newShare({ vodEnabled: true }))).warningMsg;
    fixture.cameraRecordings.set(fixture.own.camera.uuid, { ...state, isForbidden: true });
    expect(await warning()).toBe(
      'vodEnabled is stored but has no effect: the configuration file turns recording off for this camera.',
    );
    const code = 'RECORDING_DISK_FULL';
    fixture.cameraRecordings.set(fixture.own.camera.uuid, { ...state, state: 'failed', code });
    expect(await warning()).toBe(
      'vodEnabled has no effect at the moment: recording failed with RECORDING_DISK_FULL. The gateway keeps trying.',
    );
    fixture.cameraRecordings.set(fixture.own.camera.uuid, { ...state, state: 'recording' });
    expect(await warning()).toBeUndefined();
    fixture.cameraRecordings.delete(fixture.own.camera.uuid);
  });

  it.each([
    [
      '/api/customer/updateCurrentUserNotificationSettings',
      { timeFrames: [{ mediums: ['SMS'] }] },
      /notifies no one by them/,
    ],
    [
      '/api/policy/updateClimatePolicy',
      { policy: { uuid: newRuuid(), name: 'Cold room' } },
      /raises no alerts/,
    ],
    [
      '/api/integrations/accessControl/updateBadgeVendorBIntegrationV2',
      { enabled: true },
      /does not call the vendor/,
    ],
    [
      '/api/integrations/accessControl/updateAlarmVendorIntegration',
      { enabled: true },
      /does not call the vendor/,
    ],
  ])('at %s', async (path, body, warning) => {
    expect(await fixture.call(path, body)).toMatchObject({
      error: false,
      warningMsg: expect.stringMatching(warning),
    });
  });

  it('the configuration of a camera', async () => {
    const config = { deviceUuid: fixture.own.camera.uuid, rotation: 90 };
    const { warningMsg } = await fixture.call('/api/camera/updateConfig', { config });
    expect(warningMsg).toMatch(/sends none of it to the camera\.$/);
  });
});

const NO_ALERTS = 'is stored but has no effect: the gateway raises no alerts for policies.';
const ONE_PICTURE = 'is stored but has no effect: the gateway streams one video per camera.';
const SCHEDULE = { name: 'Night', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 60 }] };
const ONE_USE =
  'schedule.oneTimeUse is stored but has no effect: the gateway does not remove schedules that were used.';
const WORKED_OUT = 'ignored: the gateway computes it.';
const policyUuid = newRuuid();
const DOOR = newRuuid();
const TAG = newRuuid();
const LOCKDOWN = '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation';
const door = () => ({ uuid: DOOR, ownerDeviceUuid: newRuuid(), locationUuid: fixture.own.locationUuid });
const rule = (action: object) => ({
  rule: { locationUuid: fixture.own.locationUuid, ruleName: 'Panic', action },
});
const changing = (change: object) =>
  rule({ changeComponentCompositeAccessStateActions: [{ componentCompositeUuid: DOOR, ...change }] });
const CHANGE = 'rule.action.changeComponentCompositeAccessStateActions[0]';
const calling = (webhook: object) =>
  rule({ webhookActions: [{ webhookUrl: 'https://hook.example/', ...webhook }] });

/** Every declared field: the call, its body, and the warning in its response. null: none. */
const DECLARED: readonly [path: string, body: () => object, warning: string | null][] = [
  [
    CREATE,
    () => newShare({ cameraUuid: `${fixture.own.camera.uuid}.v1` }),
    `facet v1 of cameraUuid ${ONE_PICTURE}`,
  ],
  [CREATE, () => newShare({ cameraUuid: `${fixture.own.camera.uuid}.v0` }), null],
  [
    '/api/camera/createProtectedSharedLiveVideoStream',
    () => newShare({ cameraUuid: `${fixture.own.camera.uuid}.a0`, password: 'x', vodEnabled: true }),
    `facet a0 of cameraUuid ${ONE_PICTURE}`,
  ],
  [
    '/api/camera/updateDetailsV2',
    () => updated(fixture.own.camera.uuid, { policyUuid }),
    `policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/camera/updateDetailsV2',
    () => ({ uuid: fixture.own.camera.uuid, policyUuid }),
    'policyUuid was not changed, because policyUuidUpdated is not true.',
  ],
  [
    '/api/camera/updateDetailsV2',
    () => updated(fixture.own.camera.uuid, { facetNameMap: { v0: 'Wide', v1: 'Left', a0: 'Sound' } }),
    'facetNameMap.v1 and facetNameMap.a0 are stored but have no effect: the gateway streams one video per camera.',
  ],
  [
    '/api/camera/updateDetailsV2',
    () => updated(fixture.own.camera.uuid, { facetNameMap: { v0: 'Wide' } }),
    null,
  ],
  [
    '/api/relay/updateDetailsV2',
    () => ({ uuid: fixture.own.nvrUuid, policyUuid }),
    `policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/location/createLocation',
    () => ({ location: { name: 'Annexe', tz: 'UTC', policyUuid } }),
    `location.policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/location/updateLocation',
    () => ({ location: { uuid: fixture.own.locationUuid, policyUuid } }),
    `location.policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/component/updateAccessControlledDoor',
    () => ({ accessControlledDoorUuid: DOOR, policyUuid }),
    `The gateway stores these settings for the device that operates the door. It does not operate the door itself. policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/ingest/doors',
    () => ({ rows: [{ ...door(), policyUuid: newRuuid() }] }),
    '1 of 1 rows differ from what is stored under their ids: `conflicts` says which and how.',
  ],
  [
    '/api/ingest/doors',
    () => ({
      rows: [
        { ...door(), uuid: newRuuid(), policyUuid },
        { ...door(), uuid: newRuuid(), policyUuid },
      ],
    }),
    `rows[0].policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/ingest/elevatorLandings',
    () => ({ rows: [{ uuid: newRuuid(), ownerDeviceUuid: newRuuid(), policyUuid }] }),
    `rows[0].policyUuid ${NO_ALERTS}`,
  ],
  [
    '/api/ingest/proximityTags',
    () => ({ rows: [{}, { uuid: newRuuid(), name: 'Keys', policyUuid }] }),
    `rows[1].policyUuid ${NO_ALERTS} 1 of 2 rows were refused: \`rejected\` says which and why.`,
  ],
  ['/api/proximity/updateDetails', () => updated(TAG, { policyUuid }), `policyUuid ${NO_ALERTS}`],
  ['/api/schedule/createWeeklySchedule', () => ({ schedule: { ...SCHEDULE, oneTimeUse: true } }), ONE_USE],
  ['/api/schedule/createWeeklySchedule', () => ({ schedule: { ...SCHEDULE, oneTimeUse: false } }), null],
  ['/api/policy/createSchedule', () => ({ schedule: { ...SCHEDULE, oneTimeUse: true } }), ONE_USE],
  [
    '/api/schedule/createAbsoluteSchedule',
    () => ({ schedule: { name: 'Once', intervalList: [{ b: 0, e: 1 }], oneTimeUse: true } }),
    ONE_USE,
  ],
  [
    '/api/schedule/createRealtimeRelativeSchedule',
    () => ({ schedule: { name: 'Past', pastSeconds: 1, oneTimeUse: true } }),
    ONE_USE,
  ],
  [
    '/api/schedule/createRelativeDateTimeSchedule',
    () => ({ schedule: { name: 'Feast', intervals: [], oneTimeUse: true } }),
    ONE_USE,
  ],
  [
    '/api/integrations/accessControl/updateBadgeVendorAIntegrationV2',
    () => ({
      badgeVendorASettings: {
        apiToken: 'good',
        tokenValid: true,
        doorsValidated: false,
        misconfiguredDoors: ['Dock'],
        integration: 'BADGE_VENDOR_A',
        integrationAuditMap: { 1: {} },
      },
    }),
    'The gateway stores these settings but does not call the vendor. badgeVendorASettings.integration, ' +
      'badgeVendorASettings.tokenValid, badgeVendorASettings.misconfiguredDoors and ' +
      `badgeVendorASettings.integrationAuditMap are ${WORKED_OUT}`,
  ],
  [
    '/api/org/createPendingRegistration',
    () => ({ serialNumber: 'S-1', wifiSsid: 'dock', wifiPsk: ['x'] }),
    'wifiSsid and wifiPsk are stored but have no effect: the gateway does not set up hardware.',
  ],
  [
    '/api/org/createPendingRegistration',
    () => ({ serialNumber: 'S-2', wifiSsid: 'dock' }),
    'wifiSsid is stored but has no effect: the gateway does not set up hardware.',
  ],
  [
    '/api/integrations/org/submitApiTokenApplication',
    () => ({ displayName: 'x', csr: 'y' }),
    'csr is ignored: client certificates are not supported.',
  ],
  [
    '/api/customer/updateCurrentUserNotificationSettings',
    () => ({ updatedSetMethodMap: { setTimeFrames: true, timeFrame: false } }),
    'updatedSetMethodMap.timeFrame is ignored: no field has this name.',
  ],
  [
    LOCKDOWN,
    () => changing({ useFirstInRulesIfPossible: true, alwaysCreateOverrideIfNoFirstIn: false }),
    `${CHANGE}.useFirstInRulesIfPossible is stored but has no effect: the gateway sets the state whether or not ` +
      'someone came in first.',
  ],
  [
    LOCKDOWN,
    () => changing({ expireTimeDelaySeconds: 5 }),
    `${CHANGE}.expireTimeDelaySeconds has no effect without expirationStrategy TIME_DELAY.`,
  ],
  [LOCKDOWN, () => changing({ expireTimeDelaySeconds: 5, expirationStrategy: 'TIME_DELAY' }), null],
  [
    LOCKDOWN,
    () => changing({ expireTimeOfDayLocalSeconds: 0, expirationStrategy: 'NONE' }),
    `${CHANGE}.expireTimeOfDayLocalSeconds has no effect without expirationStrategy TIME_OF_DAY_LOCAL.`,
  ],
  [
    LOCKDOWN,
    () => calling({ oauthScope: 'doors', oauthGrantType: 'client_credentials' }),
    'rule.action.webhookActions[0].oauthGrantType and rule.action.webhookActions[0].oauthScope have no effect ' +
      'without oauthUrl.',
  ],
  [
    '/api/integrations/webhooks/updateWebhookIntegrationV2',
    () => ({ isDiagnostic: true, disabled: true }),
    'isDiagnostic and disabled have no effect without webhookUrl.',
  ],
  [
    '/api/integrations/webhooks/updateWebhookIntegrationV2',
    () => ({
      updatedWebhookSettings: {
        activityWebhooks: { 'https://old.example/': 'x' },
        activityWebhooksV2: { 'https://new.example/': {} },
        diagnosticWebhooks: { 'https://old.example/': 'x' },
      },
    }),
    'updatedWebhookSettings.activityWebhooks is ignored because activityWebhooksV2 is given.',
  ],
  [
    '/api/relay/addThirdPartyCameraViaOnvif',
    () => ({ ipAddress: '192.0.2.10', nvrUuid: fixture.own.nvrUuid, name: 'Dock' }),
    'nvrUuid and name have no effect without autoAssign.',
  ],
];
/** A request that changes `fields`, with their flags. */
function updated(uuid: Ruuid, fields: object): object {
  const flags = Object.keys(fields).map((name) => [`${name}Updated`, true]);
  return { uuid, ...fields, ...Object.fromEntries(flags) };
}

describe('a value that is declared to have no effect', () => {
  beforeAll(async () => {
    await fixture.call('/api/ingest/doors', { rows: [door()] });
    await fixture.call('/api/ingest/proximityTags', { rows: [{ uuid: TAG, name: 'Keys' }] });
  });

  it.each(DECLARED)('is named at %s', async (path, body, warning) => {
    const { error, errorMsg, warningMsg } = await fixture.call(path, body());
    expect({ error, errorMsg, warningMsg }).toEqual({ error: false, warningMsg: warning ?? undefined });
  });

  it('is not named by a refusal, which stores nothing', async () => {
    const refused = await fixture.call(
      CREATE,
      newShare({ audioGatewayUuid: newRuuid(), scheduleUuid: newRuuid() }),
    );
    expect(refused.error).toBe(true);
    expect(refused.warningMsg).toBeUndefined();
  });

  it('is declared for every alert policy that a request assigns, and for every schedule created for one use', () => {
    const silent = ENDPOINTS.flatMap(({ path, requestSchema }) =>
      undeclared(asJsonSchema(requestSchema), /^(?:policyUuid|oneTimeUse|csr)$/).map(
        (field) => `${path} ${field}`,
      ),
    );
    expect(silent).toEqual(['/api/ingest/policyAlerts policyUuid']);
  });

  it('is mentioned in the documents', () => {
    const { properties = {} } = asJsonSchema(ENDPOINTS.find(({ path }) => path === CREATE)!.requestSchema);
    expect(properties.audioGatewayUuid?.description).toMatch(/ No effect: the gateway does not know /);
    expect(properties.vodEnabled?.description).not.toMatch(/No effect/);
    expect(properties.cameraUuid?.description).toMatch(/ No effect except for v0: /);
  });
});

/** Fields of a request whose names match and that are not declared. */
function undeclared(schema: JsonSchema, names: RegExp, ownName = ''): string[] {
  const { properties = {}, items, additionalProperties } = schema;
  if (names.test(ownName)) return NO_EFFECT in schema ? [] : [ownName];
  return [
    ...Object.entries(properties).flatMap(([name, field]) => undeclared(field, names, name)),
    ...(items === undefined ? [] : undeclared(items, names)),
    ...(typeof additionalProperties === 'object' ? undeclared(additionalProperties, names) : []),
  ];
}

describe('a password of only spaces', () => {
  it('counts as none, when a share is created and when it is changed', async () => {
    const none = 'password is blank, so the share has none: anyone with its link can watch.';
    const created = await fixture.call(CREATE, newShare({ password: ' \t' }));
    expect(created.warningMsg).toBe(none);
    const uuid = created.sharedLiveVideoStreamUuid as Ruuid;
    const change = (fields: object) => fixture.call('/api/camera/updateSharedLiveVideoStream', fields);
    expect((await change(updated(uuid, { password: ' ' }))).warningMsg).toBe(none);
    expect((await change(updated(uuid, { password: 'x' }))).warningMsg).toBeUndefined();
    expect((await change({ uuid, password: ' ' })).warningMsg).toMatch(/^password was not changed/);
    expect((await fixture.call(CREATE, newShare({ password: '' }))).warningMsg).toBeUndefined();
  });
});

describe('the inversion of a share’s schedule', () => {
  const UPDATE = '/api/camera/updateSharedLiveVideoStream';
  const IDLE = 'invertSchedule is stored but has no effect without scheduleUuid.';

  it('has no effect without one, no matter which call causes that', async () => {
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule: SCHEDULE });
    const created = await fixture.call(CREATE, newShare({ scheduleUuid, invertSchedule: true }));
    const uuid = created.sharedLiveVideoStreamUuid as Ruuid;
    expect(created.warningMsg).toBeUndefined();
    const cleared = await fixture.call(UPDATE, { uuid, scheduleUuidUpdated: true });
    expect(cleared.warningMsg).toBe(IDLE);
    expect((await fixture.call(UPDATE, updated(uuid, { name: 'Gate' }))).warningMsg).toBe(IDLE);
    expect((await fixture.call(UPDATE, updated(uuid, { scheduleUuid }))).warningMsg).toBeUndefined();
  });
});

describe('a value that counts only with its flag', () => {
  it.each([
    [
      '/api/camera/updateDetailsV2',
      () => ({ uuid: fixture.own.camera.uuid, description: 'x' }),
      'description',
    ],
    [
      '/api/relay/updateDetailsV2',
      () => ({ uuid: fixture.own.nvrUuid, floorNumber: 2, floorNumberUpdated: false }),
      'floorNumber',
    ],
  ])('is named as not applied at %s', async (path, body, field) => {
    expect(await fixture.call(path, body())).toMatchObject({
      error: false,
      warningMsg: `${field} was not changed, because ${field}Updated is not true.`,
    });
  });
});
