/** Endpoints of lockdown. Longer than 500 lines: its cases share one organization with doors. */

import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { GatewayError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { STORE_ERRORS } from '../../store/errors.ts';
import type { LocalWebhookHost } from '../../webhooks/local-webhook-host-fixture.ts';
import { DELIVERIES as DELIVERIES_KIND } from '../../webhooks/webhook-delivery.ts';
import { createAccessControlServices } from '../integrations/access-control-services.ts';

const CREATE = '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation';
const FIND = '/api/accesscontrol/lockdownPlan/findLockdownRulesByLocation';
const DELETE = '/api/accesscontrol/lockdownPlan/deleteLockdownRule';
const DELIVERIES = '/api/webhook/getDeliveries';

let fixture: ApiFixture;
let host: LocalWebhookHost;
let orgUuid: Ruuid;
let locationUuid: Ruuid;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  host = fixture.webhookHost;
  orgUuid = fixture.own.organization.uuid;
  locationUuid = fixture.own.locationUuid;
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const rule = (fields: object = {}) => ({
  locationUuid,
  ruleName: 'Panic',
  triggerActivity: 'PANIC_BUTTON',
  action: { webhookActions: [{ webhookUrl: host.url(), headers: { 'X-Site': 'Pier' } }] },
  ...fields,
});

async function created(fields: object = {}): Promise<Ruuid> {
  const response = await fixture.call(CREATE, { rule: rule(fields) });
  expect(response).toMatchObject({ error: false });
  return response.ruleUuid as Ruuid;
}

async function alert(fields: object = {}): Promise<Ruuid> {
  const row = {
    uuid: newRuuid(),
    deviceUuid: fixture.own.camera.uuid,
    timestampMs: fixture.clock.epochMs(),
    policyAlertTriggers: ['PANIC_BUTTON'],
    ...fields,
  };
  await fixture.call('/api/ingest/policyAlerts', { rows: [row] });
  await settled();
  return row.uuid;
}

async function settled(): Promise<void> {
  await fixture.accessControl.eventEffects.settled();
  await fixture.accessControl.deliveries.idle();
}

const rules = async () => (await fixture.call(FIND, { locationUuid })).rules as Record<string, unknown>[];

describe('a created rule', () => {
  it('calls its webhook, signed, when its trigger is reported at the location', async () => {
    const ruleUuid = await created();
    await alert();
    expect(host.calls).toHaveLength(1);
    const { headers, body } = host.calls[0]!;
    expect(headers).toMatchObject({ 'x-site': 'Pier', 'content-type': 'application/json; charset=utf-8' });
    expect(JSON.parse(body)).toEqual({
      event: 'lockdownRule',
      orgUuid,
      ruleUuid,
      ruleName: 'Panic',
      locationUuid,
      activity: 'PANIC_BUTTON',
      deviceUuid: fixture.own.camera.uuid,
      componentUuid: null,
      timestampMs: fixture.clock.epochMs(),
    });
    const { orgIntegrationV2 } = await fixture.call('/api/integrations/webhooks/getWebhookIntegration');
    const { ruleWebhooks } = orgIntegrationV2 as { ruleWebhooks: Record<string, { webhookSecret: string }> };
    const [time, signature] = (headers['x-sluice-signature'] as string).split(',');
    const expected = createHmac('sha256', ruleWebhooks[host.url()]!.webhookSecret)
      .update(`${time!.slice(2)}.${body}`)
      .digest('hex');
    expect(signature).toBe(`v1=${expected}`);
    const { deliveries } = await fixture.call(DELIVERIES, { causeUuid: ruleUuid });
    expect(deliveries).toMatchObject([
      { causeUuid: ruleUuid, event: 'lockdownRule', state: 'DELIVERED', attempts: [{ httpStatus: 204 }] },
    ]);
    expect(await rules()).toMatchObject([{ ruleUuid, lastRunAtMillis: fixture.clock.epochMs() }]);
  });

  it('takes part in client credentials', async () => {
    host.answer = ({ path }) =>
      path === '/token'
        ? { status: 200, body: '{"access_token":"abc","token_type":"bearer"}' }
        : { status: 200 };
    const oauth = { oauthUrl: host.url('/token'), oauthClientId: 'c', oauthClientSecret: 's' };
    await created({ action: { webhookActions: [{ webhookUrl: host.url(), ...oauth }] } });
    await alert();
    expect(host.calls.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/token', `Basic ${Buffer.from('c:s').toString('base64')}`],
      ['/hook', 'Bearer abc'],
    ]);
  });

  it('runs for an event of a door at its location, and for any activity if it names none', async () => {
    const uuid = newRuuid();
    await fixture.accessControl.doors.report(orgUuid, [
      { uuid, ownerDeviceUuid: newRuuid(), locationUuid, name: 'Gate' },
    ]);
    await created({ triggerActivity: null });
    const row = { uuid: newRuuid(), accessControlledDoorUuid: uuid, type: 'PanicButtonEvent' };
    await fixture.call('/api/ingest/componentEvents', {
      rows: [{ ...row, timestampMs: fixture.clock.epochMs() }],
    });
    await settled();
    expect(JSON.parse(host.calls[0]!.body)).toMatchObject({
      activity: 'PanicButtonEvent',
      componentUuid: uuid,
    });
  });

  it('does not run for another activity, another location, an old report or a repeated one', async () => {
    await created();
    const annexe = { location: { name: 'Annexe', tz: 'UTC' } };
    const { uuid: elsewhere } = await fixture.call('/api/location/createLocation', annexe);
    await alert({ policyAlertTriggers: ['MOTION_HUMAN'] });
    await alert({ locationUuid: elsewhere });
    await alert({ timestampMs: fixture.clock.epochMs() - 6 * 60_000 });
    expect(host.calls).toEqual([]);
    const uuid = await alert();
    await alert({ uuid });
    expect(host.calls).toHaveLength(1);
  });

  it('respects its backoff', async () => {
    await created({ ruleFilters: { triggerBackoffSecs: 60 } });
    await alert();
    fixture.clock.advance(59_999);
    await alert();
    expect(host.calls).toHaveLength(1);
    fixture.clock.advance(1);
    await alert();
    expect(host.calls).toHaveLength(2);
  });

  it('still notices other devices after one whose clock is ahead, and events that arrive out of order', async () => {
    await created({ ruleFilters: { triggerBackoffSecs: 60 } });
    await alert({ timestampMs: fixture.clock.epochMs() + 86_400_000 });
    fixture.clock.advance(60_000);
    await alert({ timestampMs: fixture.clock.epochMs() - 1_000 });
    expect(host.calls).toHaveLength(2);
  });

  it('runs at the next start for a trigger that was acknowledged when the gateway was killed', async () => {
    const ruleUuid = await created();
    const { store, clock } = fixture;
    await fixture.accessControl.eventEffects.close();
    const unfollow = store.events.follow(() => undefined);
    await alert();
    unfollow();
    expect(host.calls).toEqual([]);
    const next = createAccessControlServices({
      store,
      clock,
      log: silentLog,
      allowPrivateNetworks: true,
      ownOrgUuid: fixture.own.organization.uuid,
      post: host.post,
    });
    await next.resume();
    await next.eventEffects.settled();
    await next.deliveries.idle();
    expect(host.calls.map(({ body }) => JSON.parse(body))).toMatchObject([{ ruleUuid }]);
    await next.close();
  });

  it('calls when the store becomes writable again', async () => {
    await created();
    const { store, clock, accessControl } = fixture;
    const { send } = accessControl.deliveries;
    accessControl.deliveries.send = async () => {
      throw new GatewayError(STORE_ERRORS.STORE_LOCKED);
    };
    await alert();
    expect(await store.events.unfinished(10)).toHaveLength(1);
    accessControl.deliveries.send = send;
    clock.advance(5_000);
    await settled();
    expect(host.calls).toHaveLength(1);
  });

  it('does nothing twice for a trigger that it sees again', async () => {
    await created({
      ruleFilters: { triggerBackoffSecs: 60 },
      action: { alertAction: true, webhookActions: [{ webhookUrl: host.url() }] },
    });
    const event = await fixture.store.events.find(orgUuid, 'policyAlert', await alert());
    await fixture.accessControl.lockdown.onEvents([event!]);
    await settled();
    expect(host.calls).toHaveLength(1);
    expect((await fixture.call('/api/event/getPolicyAlertsV2', {})).policyAlerts).toHaveLength(2);
  });

  it('finishes what an interrupted start left, despite its backoff', async () => {
    await created({ ruleFilters: { triggerBackoffSecs: 60 } });
    const event = await fixture.store.events.find(orgUuid, 'policyAlert', await alert());
    const { items } = await fixture.accessControl.deliveries.page(orgUuid, { after: null, limit: 1 });
    const [sent] = items;
    await fixture.store.resources.of(DELIVERIES_KIND).remove(orgUuid, sent!.uuid);
    await fixture.accessControl.lockdown.onEvents([event!]);
    await settled();
    expect(host.calls.map(({ headers }) => headers['x-sluice-delivery'])).toEqual([sent!.uuid, sent!.uuid]);
  });

  it('respects its schedules, in the time zone of the location', async () => {
    // 2026-01-01T00:00Z is Wednesday 19:00 in New York.
    const minute = (2 * 24 + 19) * 60;
    const schedule = {
      name: 'Evening',
      intervalList: [{ minuteOfWeekStart: minute + 1, minuteOfWeekStop: minute + 2 }],
    };
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule });
    await created({ ruleFilters: { scheduleUuids: [scheduleUuid] } });
    await alert();
    expect(host.calls).toEqual([]);
    fixture.clock.advance(60_000);
    await alert();
    expect(host.calls).toHaveLength(1);
    fixture.clock.advance(60_000);
    await alert();
    expect(host.calls).toHaveLength(1);
  });

  it('puts doors and landings in their state and raises an alert that triggers nothing', async () => {
    const [door, landing] = [newRuuid(), newRuuid()];
    const ownerDeviceUuid = newRuuid();
    await fixture.accessControl.doors.report(orgUuid, [{ uuid: door, ownerDeviceUuid, locationUuid }]);
    await fixture.accessControl.elevatorLandings.report(orgUuid, [
      { uuid: landing, ownerDeviceUuid, locationUuid },
    ]);
    const delay = { expirationStrategy: 'TIME_DELAY', expireTimeDelaySeconds: 60 };
    // 20:00 in New York is an hour from now.
    const timeOfDay = { expirationStrategy: 'TIME_OF_DAY_LOCAL', expireTimeOfDayLocalSeconds: 20 * 3_600 };
    const changes = [
      { componentCompositeUuid: door, ...delay },
      { componentCompositeUuid: landing, accessState: 'UNLOCKED', ...timeOfDay },
    ];
    await created({
      triggerActivity: null,
      action: { alertAction: true, changeComponentCompositeAccessStateActions: changes },
    });
    await alert();
    const nowMs = fixture.clock.epochMs();
    const [found] = await fixture.accessControl.doors.findByOwnerDevice(orgUuid, ownerDeviceUuid);
    expect(found!.body.doorStateOverride).toMatchObject({
      type: 'DOOR_STATE_OVERRIDE',
      state: 'ACCESS_CONTROLLED',
      originator: { type: 'RULE', grantedToName: 'Panic' },
      requestedAtMillis: nowMs,
      expiresAtMillis: nowMs + 60_000,
    });
    expect((await fixture.accessControl.elevatorLandings.find(orgUuid, landing))!.body).toMatchObject({
      accessStateOverride: { state: 'UNLOCKED', expiresAtMillis: nowMs + 3_600_000 },
    });
    const { policyAlerts } = await fixture.call('/api/event/getPolicyAlertsV2', {});
    expect(policyAlerts).toHaveLength(2);
    expect(policyAlerts).toContainEqual(
      expect.objectContaining({
        policyAlertTriggers: ['LOCKDOWN_RULE'],
        textDescription: 'Panic: PANIC_BUTTON',
      }),
    );
  });

  it('is not run by another organization', async () => {
    await created({ triggerActivity: null });
    const trigger = { activity: 'PANIC_BUTTON', locationUuid, componentUuid: null };
    const deviceUuid = fixture.foreign.camera.uuid;
    const ran = await fixture.accessControl.lockdown.trigger(fixture.foreign.organization.uuid, {
      ...trigger,
      deviceUuid,
      atMs: fixture.clock.epochMs(),
      key: 'theirs',
    });
    expect(ran).toEqual([]);
  });
});

describe(CREATE, () => {
  it('says which actions it does not carry out', async () => {
    const action = {
      liveNotificationAction: true,
      robotActions: [{ deviceUuid: newRuuid(), pose: { position: [1, 2, 3] } }],
      audioPlaybackActions: [],
    };
    const { warningMsg } = await fixture.call(CREATE, { rule: rule({ action }) });
    expect(warningMsg).toBe(
      'The gateway stores these actions but does not carry them out: liveNotificationAction, robotActions.',
    );
    expect(await rules()).toMatchObject([{ action }]);
  });

  it('keeps every field of the specification', async () => {
    const [uuid, facet] = [newRuuid(), `${newRuuid()}.v0`];
    const playing = { loopDurationSec: 30, playCount: 2 };
    const schedule = { name: 'Day', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 60 }] };
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule });
    const door = newRuuid();
    await fixture.call('/api/ingest/doors', {
      rows: [{ uuid: door, ownerDeviceUuid: newRuuid(), locationUuid }],
    });
    const action = {
      activateLocationLockdown: { locationLockdownPlanUuid: uuid, locationUuid },
      alertAction: true,
      liveNotificationAction: true,
      audioPlaybackActions: [{ audioClipUuid: uuid, audioGateways: [uuid], ...playing }],
      cancelLoopingAudioPlaybackAction: { _audioDevices: [facet], audioDevices: [facet] },
      changeComponentCompositeAccessStateActions: [
        {
          alwaysCreateOverrideIfNoFirstIn: true,
          useFirstInRulesIfPossible: false,
          componentCompositeUuid: door,
          expireTimeDelaySeconds: 60,
          expireTimeOfDayLocalSeconds: 3_600,
        },
      ],
      connectAudioDeviceToPhoneNumberAction: {
        audioDeviceUuid: uuid,
        doorUuid: door,
        optionalGreeting: 'Hello',
        phoneNumber: '+12025550123',
      },
      customLLMActions: [
        {
          deviceActivityEvents: { [uuid]: ['MOTION'] },
          deviceFacetUuids: [facet],
          orgUuid,
          promptUuid: uuid,
          timestampMs: 1,
        },
      ],
      enableDisableAudioRecordActions: [{ audioDeviceUuid: uuid, enable: false }],
      integrationCommandActions: [{ commandPayload: 'arm', delaySecs: 1 }],
      integrationNotificationActions: [{ notificationEntity: 'team', notificationTarget: 'duty' }],
      remoteDoorUnlockActions: [{ doorId: '7', placeId: 'north' }],
      robotActions: [
        {
          mapUuid: uuid,
          routeUuid: uuid,
          waypointUuid: uuid,
          deviceUuid: uuid,
          pose: { orientation: [0, 0, 0, 1], position: [1, 2, 3] },
        },
      ],
      thirdPartyAudioPlaybackAction: {
        audioFileName: 'alarm.wav',
        ipAddress: '10.0.0.9',
        username: 'u',
        proxyDeviceUuid: uuid,
        ...playing,
      },
      triggerComponentRelayActions: [
        {
          componentUuid: uuid,
          ownerDeviceUuid: uuid,
          overrideRelayDurationMs: 500,
          overrideRelayDurationSec: 1,
        },
      ],
    };
    const customActions = [{ path: '/run', headers: { 'X-Key': 'v' } }];
    const oauth = { oauthClientId: 'c', oauthGrantType: 'client_credentials', oauthScope: 's' };
    const webhook = { webhookUrl: host.url(), oauthUrl: host.url('/token'), ...oauth };
    const ruleFilters = { scheduleUuids: [scheduleUuid as Ruuid], triggerBackoffSecs: 60 };
    const ruleUuid = await created({
      ruleFilters,
      action: {
        ...action,
        customActions,
        webhookActions: [{ ...webhook, headers: { 'X-Site': 'Pier' }, oauthClientSecret: 'hush' }],
      },
    });
    expect(await rules()).toEqual([
      {
        ruleUuid,
        locationUuid,
        ruleName: 'Panic',
        triggerActivity: 'PANIC_BUTTON',
        ruleFilters,
        action: {
          ...action,
          customActions: [{ path: '/run', headers: { 'X-Key': '[hidden]' } }],
          webhookActions: [{ ...webhook, headers: { 'X-Site': '[hidden]' } }],
        },
      },
    ]);
  });

  it('replaces a rule of the location', async () => {
    const ruleUuid = await created();
    expect(await created({ ruleUuid, ruleName: 'Renamed' })).toBe(ruleUuid);
    expect(await rules()).toMatchObject([{ ruleUuid, ruleName: 'Renamed' }]);
  });

  it('never returns secrets', async () => {
    const webhook = { oauthUrl: host.url('/token'), oauthClientId: 'c', oauthClientSecret: 'hush' };
    await created({
      action: {
        webhookActions: [{ webhookUrl: host.url(), headers: { Authorization: 'hush' }, ...webhook }],
        thirdPartyAudioPlaybackAction: { username: 'u', password: 'hush' },
      },
    });
    const text = JSON.stringify(await rules());
    expect(text).toContain('authorization'.slice(1));
    expect(text).not.toContain('hush');
  });

  it.each([
    [{}, 'rule is required.'],
    [{ rule: {} }, /^rule\.\w+ is required\.$/],
    [{ ruleName: ' ' }, 'rule.ruleName must not be blank.'],
    [{ locationUuid: newRuuid() }, 'rule.locationUuid must be a location of the organization.'],
    [{ ruleUuid: newRuuid() }, 'rule.ruleUuid cannot be used. Leave it out to create a rule.'],
    [{ ruleFilters: { scheduleUuids: [newRuuid()] } }, /^rule\.ruleFilters\.scheduleUuids\[0\] must be/],
    [
      { ruleFilters: { triggerBackoffSecs: -1 } },
      /^rule\.ruleFilters\.triggerBackoffSecs must be an integer from 0 to/,
    ],
    [webhook({ webhookUrl: 'ftp://x/' }), /webhookActions\[0\]\.webhookUrl: The address must be an http/],
    [webhook({ headers: { Host: 'x' } }), /webhookActions\[0\]\.headers: The gateway sets the header Host/],
    [webhook({ oauthUrl: 'https://x/' }), /oauthUrl, oauthClientId and oauthClientSecret must be given/],
    [
      webhook({
        oauthUrl: 'https://x/',
        oauthClientId: 'c',
        oauthClientSecret: 's',
        oauthGrantType: 'password',
      }),
      /oauthGrantType must be client_credentials/,
    ],
    [
      { action: { changeComponentCompositeAccessStateActions: [{ componentCompositeUuid: newRuuid() }] } },
      /componentCompositeUuid must be a door or an elevator landing/,
    ],
  ])('refuses %j', async (fields, sentence) => {
    const body =
      fields === null || 'rule' in fields || Object.keys(fields).length === 0
        ? fields
        : { rule: rule(fields) };
    const { error, errorMsg } = await fixture.call(CREATE, body);
    expect(error).toBe(true);
    expect(errorMsg).toMatch(sentence);
    expect(await rules()).toEqual([]);
  });

  it('accepts neither another organization’s location nor its rule', async () => {
    const ruleUuid = await created();
    expect((await fixture.call(CREATE, { rule: rule() }, foreignHeaders)).errorMsg).toMatch(
      /^rule.locationUuid/,
    );
    const theirs = rule({ ruleUuid, locationUuid: fixture.foreign.locationUuid });
    expect((await fixture.call(CREATE, { rule: theirs }, foreignHeaders)).errorMsg).toMatch(/^rule.ruleUuid/);
    expect((await fixture.call(FIND, { locationUuid }, foreignHeaders)).error).toBe(true);
    expect((await fixture.call(DELIVERIES, { causeUuid: ruleUuid }, foreignHeaders)).error).toBe(true);
  });
});

describe(DELETE, () => {
  it('deletes the rule', async () => {
    const ruleUuid = await created();
    expect((await fixture.call(DELETE, { ruleUuid }, foreignHeaders)).error).toBe(true);
    expect(await fixture.call(DELETE, { ruleUuid })).toMatchObject({ error: false });
    await alert();
    expect(host.calls).toEqual([]);
    expect((await fixture.call(DELETE, { ruleUuid })).errorMsg).toMatch(/^There is no lockdown rule/);
  });

  it('drops addresses that no other rule calls, also when a rule changes', async () => {
    const ruleWebhooks = async () => {
      const response = await fixture.call('/api/integrations/webhooks/getWebhookIntegration');
      const integration = response.orgIntegrationV2 as { ruleWebhooks: object } | undefined;
      return Object.keys(integration?.ruleWebhooks ?? {}).sort();
    };
    const calling = (...paths: string[]) => ({
      action: { webhookActions: paths.map((path) => ({ webhookUrl: host.url(path) })) },
    });
    const first = await created(calling('/a', '/b'));
    const second = await created(calling('/b', '/c'));
    await created({ ruleUuid: second, ...calling('/b') });
    expect(await ruleWebhooks()).toEqual([host.url('/a'), host.url('/b')]);
    await fixture.call(DELETE, { ruleUuid: first });
    expect(await ruleWebhooks()).toEqual([host.url('/b')]);
    await fixture.call(DELETE, { ruleUuid: second });
    expect(await ruleWebhooks()).toEqual([]);
  });
});

function webhook(fields: object): object {
  return { action: { webhookActions: [{ webhookUrl: 'https://hook.example/', ...fields }] } };
}
