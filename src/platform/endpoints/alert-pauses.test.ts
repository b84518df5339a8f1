import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';

const PAUSE = '/api/policy/pauseAlertPolicyForComponentComposite';

let fixture: ApiFixture;
let door: Ruuid;
let landing: Ruuid;
let controller: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  [door, landing, controller] = [newRuuid(), newRuuid(), newRuuid()] as const;
  const place = { ownerDeviceUuid: controller, locationUuid: fixture.own.locationUuid };
  await fixture.call('/api/ingest/doors', { rows: [{ uuid: door, name: 'Gate', ...place }] });
  await fixture.call('/api/ingest/elevatorLandings', { rows: [{ uuid: landing, ...place }] });
});
afterEach(() => fixture.close());

/** Whether an alert is raised now. */
async function isRaised(fields: object = {}): Promise<boolean> {
  const timestampMs = fixture.clock.epochMs();
  const row = { uuid: newRuuid(), deviceUuid: newRuuid(), timestampMs, ...fields };
  const { acceptedCount } = await fixture.call('/api/ingest/policyAlerts', { rows: [row] });
  return acceptedCount === 1;
}

describe(PAUSE, () => {
  it('raises no alerts until the pause ends', async () => {
    const response = await fixture.call(PAUSE, {
      componentCompositeUuids: [door, landing],
      durationSec: 60,
    });
    expect(response).toEqual({ error: false });
    expect(await isRaised({ componentUuid: door })).toBe(false);
    expect(await isRaised({ componentUuid: landing })).toBe(false);
    expect(await isRaised({ componentUuid: newRuuid() })).toBe(true);
    fixture.clock.advance(59_999);
    expect(await isRaised({ componentUuid: door })).toBe(false);
    fixture.clock.advance(1);
    expect(await isRaised({ componentUuid: door })).toBe(true);
  });

  it('pauses devices and whole locations', async () => {
    const { camera, locationUuid } = fixture.own;
    await fixture.call(PAUSE, { deviceUuids: [camera.uuid, controller], durationSec: 60 });
    expect(await isRaised({ deviceUuid: camera.uuid })).toBe(false);
    expect(await isRaised({ locationUuid })).toBe(true);
    await fixture.call(PAUSE, { locationUuids: [locationUuid], durationSec: 60 });
    expect(await isRaised({ locationUuid })).toBe(false);
    expect(await isRaised({ deviceUuid: fixture.own.doorbell.uuid })).toBe(false);
  });

  it('pauses the components of a door, and what is known to be at a location', async () => {
    const reader = newRuuid();
    const readerComponents = [{ componentUuid: reader, deviceUuid: controller }];
    await fixture.call('/api/component/updateAccessControlledDoor', {
      accessControlledDoorUuid: door,
      readerComponents,
    });
    expect(await isRaised({ componentUuid: reader })).toBe(true);
    await fixture.call(PAUSE, { componentCompositeUuids: [door], durationSec: 60 });
    expect(await isRaised({ componentUuid: reader })).toBe(false);
    expect(await isRaised({ deviceUuid: controller })).toBe(true);
    fixture.clock.advance(60_000);
    await fixture.call(PAUSE, { locationUuids: [fixture.own.locationUuid], durationSec: 60 });
    for (const fields of [
      { componentUuid: reader },
      { componentUuid: landing },
      { deviceUuid: controller },
      { deviceUuid: fixture.own.nvrUuid },
    ]) {
      expect(await isRaised(fields)).toBe(false);
    }
    expect(await isRaised()).toBe(true);
  });

  it('accepts sensors, known or not, and sensors of a door', async () => {
    const [climate, unheard, contact] = [newRuuid(), newRuuid(), newRuuid()] as const;
    expect(await isRaised({ deviceUuid: climate })).toBe(true);
    await fixture.call('/api/component/updateAccessControlledDoor', {
      accessControlledDoorUuid: door,
      dpiComponents: [{ componentUuid: contact, deviceUuid: controller }],
    });
    const pause = { deviceUuids: [climate, `${fixture.own.camera.uuid}.v0`], durationSec: 60 };
    expect(await fixture.call(PAUSE, pause)).toEqual({ error: false });
    expect(await isRaised({ deviceUuid: climate })).toBe(false);
    expect(await isRaised({ deviceUuid: fixture.own.camera.uuid })).toBe(false);
    expect(await fixture.call(PAUSE, { ...pause, deviceUuids: [climate, unheard] })).toEqual({
      error: false,
      warningMsg: `These devices have not reported anything yet: ${unheard}. Their alerts are paused too.`,
    });
    expect(await isRaised({ deviceUuid: unheard })).toBe(false);
    expect(await isRaised({ componentUuid: contact })).toBe(true);
    const ofContact = { componentCompositeUuids: [contact], durationSec: 60 };
    expect(await fixture.call(PAUSE, ofContact)).toEqual({ error: false });
    expect(await isRaised({ componentUuid: contact })).toBe(false);
    expect(await isRaised({ componentUuid: door })).toBe(true);
  });

  it('silences the alerts of lockdown rules, and nothing else about them', async () => {
    const rule = {
      locationUuid: fixture.own.locationUuid,
      ruleName: 'Panic',
      triggerActivity: 'PanicButtonEvent',
      action: {
        alertAction: true,
        changeComponentCompositeAccessStateActions: [{ componentCompositeUuid: door }],
      },
    };
    await fixture.call('/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', { rule });
    await fixture.call(PAUSE, { componentCompositeUuids: [door], durationSec: 60 });
    const press = async () => {
      const row = { uuid: newRuuid(), accessControlledDoorUuid: door, type: 'PanicButtonEvent' };
      const timestampMs = fixture.clock.epochMs();
      await fixture.call('/api/ingest/componentEvents', { rows: [{ ...row, timestampMs }] });
      await fixture.accessControl.eventEffects.settled();
      const { policyAlerts } = await fixture.call('/api/event/getPolicyAlertsV2', {});
      return (policyAlerts as object[]).length;
    };
    expect(await press()).toBe(0);
    const found = await fixture.accessControl.doors.find(fixture.own.organization.uuid, door);
    expect(found.body.doorStateOverride).toMatchObject({ state: 'ACCESS_CONTROLLED' });
    fixture.clock.advance(60_000);
    expect(await press()).toBe(1);
  });

  it('begins when it is scheduled to', async () => {
    const scheduledTimestampSec = fixture.clock.epochMs() / 1_000 + 10;
    await fixture.call(PAUSE, { componentCompositeUuids: [door], durationSec: 5, scheduledTimestampSec });
    expect(await isRaised({ componentUuid: door })).toBe(true);
    fixture.clock.advance(10_000);
    expect(await isRaised({ componentUuid: door })).toBe(false);
    fixture.clock.advance(5_000);
    expect(await isRaised({ componentUuid: door })).toBe(true);
  });

  it.each([
    [{ componentCompositeUuids: [newRuuid()] }, 'durationSec is required.'],
    [{ durationSec: 60 }, /^componentCompositeUuids, deviceUuids or locationUuids must have an entry/],
    [{ durationSec: 0 }, 'durationSec must be an integer from 1 to 31536000, got 0.'],
    [
      { durationSec: 60, componentCompositeUuids: [newRuuid()] },
      /^componentCompositeUuids\[0\] must be a door/,
    ],
    [{ durationSec: 60, deviceUuids: ['x'] }, /^deviceUuids\[0\] must be a device UUID/],
    [{ durationSec: 60, locationUuids: [newRuuid()] }, /^locationUuids\[0\] must be a location/],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(PAUSE, body)).errorMsg).toMatch(sentence);
    expect(await isRaised({ componentUuid: door })).toBe(true);
  });

  it('refuses a pause that is over and another organization’s things', async () => {
    const past = { componentCompositeUuids: [door], durationSec: 60, scheduledTimestampSec: 1 };
    expect((await fixture.call(PAUSE, past)).errorMsg).toMatch(/^scheduledTimestampSec must be such/);
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    for (const body of [{ componentCompositeUuids: [door] }, { locationUuids: [fixture.own.locationUuid] }]) {
      expect((await fixture.call(PAUSE, { ...body, durationSec: 60 }, headers)).error).toBe(true);
    }
    expect(await isRaised({ componentUuid: door })).toBe(true);
    // To them, our device looks like one that has not reported yet. Pausing it pauses nothing of ours.
    const deviceUuid = fixture.own.camera.uuid;
    const theirs = await fixture.call(PAUSE, { deviceUuids: [deviceUuid], durationSec: 60 }, headers);
    expect(theirs.warningMsg).toMatch(/^These devices have not reported anything yet/);
    expect(await isRaised({ deviceUuid })).toBe(true);
  });
});
