import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { EMERGENCY_SWEEP_MS } from '../../emergency/emergency-ends.ts';
import { MAX_OPENINGS_PER_HOUR, RULE_REST_MS } from '../../emergency/rule-openings.ts';
import { UNSTORED_RETRY_MS } from '../../sharing/unstored-ends.ts';
import { memberUuidOf } from '../../sharing/wall-members.ts';
import { UnresponsiveStore } from '../../store/unresponsive-store-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, type FixtureOrg, openApiFixture } from '../api-fixture.ts';

interface Opened {
  readonly emergencyUuid: Ruuid;
  readonly isOpen: boolean;
  readonly untilMs: number;
  readonly closedBy?: string;
  readonly closedAtMs?: number;
  readonly extensions: readonly { by: string; untilMs: number }[];
}
interface Link {
  readonly recipientUuid: Ruuid;
  readonly sentBy: string;
  readonly pageUrl: string;
  readonly cameraUrls: readonly { cameraUuid: Ruuid; liveM3U8Url: string }[];
}

const MINUTE_MS = 60_000;
const VIEWER = { ip: '203.0.113.7' };

let fixture: ApiFixture;
let unresponsive: UnresponsiveStore;

beforeEach(async () => {
  unresponsive = new UnresponsiveStore();
  fixture = await openApiFixture({ onStore: (store) => unresponsive.standBefore(store) });
  fixture.emergency.ends.begin();
});
afterEach(async () => {
  await fixture.emergency.ends.close();
  await fixture.close();
});

const headersOf = (org: FixtureOrg) => ({ 'x-auth-apikey': org.apiKey });

async function addPartner(org = fixture.own, fields: object = {}): Promise<string> {
  const response = await fixture.call(
    '/api/emergency/setEmergencyPartner',
    {
      name: 'County dispatch',
      partnerType: 'RAPIDSOS',
      mailAddresses: ['dispatch@county.example'],
      ...fields,
    },
    headersOf(org),
  );
  return (response.partner as { emergencyPartnerUuid: string }).emergencyPartnerUuid;
}

async function open(
  fields: object = {},
): Promise<{ emergency: Opened; links: readonly Link[]; answer: Answer }> {
  const emergencyPartnerUuid = await addPartner();
  const answer = await fixture.call('/api/emergency/openEmergency', {
    emergencyPartnerUuid,
    cameraUuids: [fixture.own.camera.uuid],
    reason: 'Someone is hurt',
    minutes: 10,
    ...fields,
  });
  return { emergency: answer.emergency as Opened, links: answer.links as Link[], answer };
}

const codeOf = ({ headers }: { readonly headers: object }) =>
  (headers as Record<string, unknown>)['x-error-code'];
const close = (emergencyUuid: string) => fixture.call('/api/emergency/endEmergency', { emergencyUuid });
const openOnes = async (org = fixture.own) =>
  (await fixture.call('/api/emergency/getOpenEmergencies', {}, headersOf(org))).emergencies as Opened[];
const pastOnes = async (org = fixture.own) =>
  (await fixture.call('/api/emergency/findEmergencies', {}, headersOf(org))).emergencies as Opened[];
const report = (emergencyUuid: string) =>
  fixture.call('/api/emergency/getEmergencyReport', { emergencyUuid }) as Promise<
    Answer & { deliveries: { sentBy: string; state: string; address: string }[]; emergency: Opened }
  >;

/** A viewer of the first camera, with the link. */
function watch({ recipientUuid, cameraUrls: [first] }: Link): string {
  return fixture.watch(memberUuidOf(recipientUuid, first!.cameraUuid), VIEWER).grantText;
}

const access = (grantText: string) => {
  const session = fixture.viewers.access(grantText);
  return session.allowed ? 'watching' : session.reason;
};

describe('a person opens cameras to a partner', () => {
  it('who gets the link by mail and by a signed call, and is cut off when it is closed', async () => {
    const emergencyPartnerUuid = await addPartner(fixture.own, {
      webhookUrl: fixture.webhookHost.url('/dispatch?key=1'),
    });
    const { emergency, links } = await open({ emergencyPartnerUuid });
    expect(links.map(({ sentBy }) => sentBy)).toEqual(['mail', 'webhook', 'copy', 'feed']);
    await fixture.accessControl.deliveries.idle();
    await eventually('the mail is sent', () => fixture.mailServer.accepted.length > 0);
    const [mail] = fixture.mailServer.for('dispatch@county.example');
    expect(mail!.subject).toContain(fixture.own.camera.name);
    expect(mail!.text).toContain(links[0]!.pageUrl);
    expect(mail!.text).toContain('Someone is hurt');
    const [call] = fixture.webhookHost.calls;
    expect(call!.headers['x-sluice-signature']).toMatch(/^t=\d+,v1=/);
    const payload = JSON.parse(call!.body) as {
      change: string;
      pageUrl: string;
      cameras: { liveM3U8Url: string }[];
    };
    expect(payload).toMatchObject({ event: 'emergency', change: 'opened', pageUrl: links[1]!.pageUrl });
    expect(payload.cameras[0]!.liveM3U8Url).toBe(links[1]!.cameraUrls[0]!.liveM3U8Url);
    expect((await openOnes()).map(({ emergencyUuid }) => emergencyUuid)).toEqual([emergency.emergencyUuid]);

    const grants = links.map(watch);
    expect(new Set(grants.map(access))).toEqual(new Set(['watching']));
    await close(emergency.emergencyUuid);
    expect(new Set(grants.map(access))).toEqual(new Set(['revoked']));
    await fixture.accessControl.deliveries.idle();
    expect(JSON.parse(fixture.webhookHost.calls[1]!.body)).toMatchObject({ change: 'closed', pageUrl: null });
    expect(await openOnes()).toEqual([]);
    expect(await pastOnes()).toMatchObject([{ isOpen: false, closedBy: fixture.own.key.name }]);
    const { deliveries } = await report(emergency.emergencyUuid);
    expect(
      deliveries
        .filter(({ state }) => state === 'DELIVERED')
        .map(({ sentBy }) => sentBy)
        .sort(),
    ).toEqual(['mail', 'webhook', 'webhook']);
    expect(JSON.stringify(deliveries)).not.toContain('/dispatch');
  });

  it('who finds them near an emergency call, if it is dispatch, and no longer when it is closed', async () => {
    const at = { latitude: 40.7, latitudeUpdated: true, longitude: -74, longitudeUpdated: true };
    await fixture.call('/api/camera/updateDetailsV2', { uuid: fixture.own.camera.uuid, ...at });
    const nearby = async () =>
      (await fixture.call('/api/rapidsos/getNearbyFeeds', { latitude: 40, longitude: -74 })).streamUrls;
    const { emergency, links } = await open();
    const feed = links.find(({ sentBy }) => sentBy === 'feed')!;
    expect(await nearby()).toEqual([feed.cameraUrls[0]!.liveM3U8Url]);
    await close(emergency.emergencyUuid);
    expect(await nearby()).toEqual([]);
    const alarmCenter = await addPartner(fixture.own, { partnerType: 'ALARM_MONITORING' });
    await open({ emergencyPartnerUuid: alarmCenter });
    expect(await nearby()).toEqual([]);
  });

  it('until its time is over, which writes the report', async () => {
    const { emergency, links } = await open({ minutes: 1 });
    const grant = watch(links[0]!);
    fixture.clock.advance(MINUTE_MS - 1_000);
    expect(access(grant)).toBe('watching');
    fixture.clock.advance(1_000);
    expect(access(grant)).not.toBe('watching');
    await eventually('it is closed', async () => (await openOnes()).length === 0);
    const [past] = await pastOnes();
    expect(past).toMatchObject({ emergencyUuid: emergency.emergencyUuid, isOpen: false });
    expect(past!.closedBy).toBeUndefined();
    expect(past!.closedAtMs).toBe(emergency.untilMs);
  });

  it('longer, if someone extends it, up to 24 hours', async () => {
    const { emergency, links } = await open({ minutes: 10 });
    const grant = watch(links[0]!);
    fixture.clock.advance(5 * MINUTE_MS);
    const extended = await fixture.call('/api/emergency/extendEmergency', {
      emergencyUuid: emergency.emergencyUuid,
      minutes: 20,
    });
    expect((extended.emergency as Opened).untilMs).toBe(emergency.untilMs + 15 * MINUTE_MS);
    fixture.clock.advance(15 * MINUTE_MS);
    fixture.viewers.access(grant);
    expect(access(watch(links[0]!))).toBe('watching');
    const tooLong = await fixture.post('/api/emergency/extendEmergency', {
      emergencyUuid: emergency.emergencyUuid,
      minutes: 1_440,
    });
    expect(codeOf(tooLong)).toBe('EMERGENCY_TOO_LONG');
    await close(emergency.emergencyUuid);
    const over = { emergencyUuid: emergency.emergencyUuid, minutes: 5 };
    expect(codeOf(await fixture.post('/api/emergency/extendEmergency', over))).toBe('EMERGENCY_CLOSED');
  });

  it('whose mails are not sent once it is closed', async () => {
    fixture.mailServer.reply = () => '451 later';
    const { emergency } = await open();
    await eventually('it was tried', () => fixture.mailServer.attempts > 0);
    await close(emergency.emergencyUuid);
    fixture.mailServer.reply = () => null;
    const before = fixture.mailServer.attempts;
    await eventually('nothing is left to send', async () => {
      fixture.clock.advance(MINUTE_MS);
      await fixture.emergency.ends.settled();
      const { mails } = await fixture.call('/api/console/getMails', {});
      return (mails as object[]).length === 0;
    });
    expect(fixture.mailServer.attempts).toBe(before);
    // The report has what was tried.
    expect((await report(emergency.emergencyUuid)).deliveries).toMatchObject([
      { sentBy: 'mail', state: 'PENDING', address: 'dispatch@county.example' },
    ]);
  });

  it.each([
    ['no camera', { cameraUuids: [] }, 'EMERGENCY_WITHOUT_CAMERA'],
    ['no reason', { reason: ' ' }, 'EMERGENCY_REASON_MISSING'],
    ['an unknown camera', { cameraUuids: [newRuuid()] }, 'CAMERA_NOT_FOUND'],
    ['an unknown partner', { emergencyPartnerUuid: newRuuid() }, 'EMERGENCY_PARTNER_NOT_FOUND'],
    ['an unknown alert', { alertUuid: newRuuid() }, 'POLICY_ALERT_NOT_FOUND'],
  ])('but not with %s', async (_what, fields, errorCode) => {
    const emergencyPartnerUuid = await addPartner();
    const response = await fixture.post('/api/emergency/openEmergency', {
      emergencyPartnerUuid,
      cameraUuids: [fixture.own.camera.uuid],
      reason: 'Someone is hurt',
      minutes: 10,
      ...fields,
    });
    expect(codeOf(response)).toBe(errorCode);
    expect(await openOnes()).toEqual([]);
  });

  it('of which a removed one is no longer shown, and stays in the report', async () => {
    const cameraUuids = [fixture.own.camera.uuid, fixture.own.doorbell.uuid];
    const { emergency, links } = await open({ cameraUuids });
    const grant = watch(links[0]!);
    await fixture.store.cameras.remove(fixture.own.organization.uuid, fixture.own.camera.uuid);
    await eventually('it is cut off', () => access(grant) !== 'watching');
    await close(emergency.emergencyUuid);
    const { emergency: told } = await report(emergency.emergencyUuid);
    expect(JSON.stringify(told)).toContain(fixture.own.camera.name);
  });
});

describe('while the store is away', () => {
  it('a person closes it all the same, and its report is written later', async () => {
    const { emergency, links } = await open();
    const grant = watch(links[0]!);
    await eventually('everything is stored', () => fixture.mailServer.accepted.length > 0);
    unresponsive.become('away');
    fixture.clock.advance(MINUTE_MS);
    const response = await close(emergency.emergencyUuid);
    expect(response.warningMsg).toContain('This is in force');
    expect(access(grant)).toBe('revoked');
    unresponsive.become('working');
    await eventually('the end is stored', () => {
      fixture.clock.advance(UNSTORED_RETRY_MS);
      return fixture.ends.size === 0;
    });
    expect(await openOnes()).toEqual([]);
    expect(await pastOnes()).toMatchObject([{ closedBy: fixture.own.key.name }]);
  });

  it('its time is over all the same', async () => {
    const { links } = await open({ minutes: 2 });
    const grant = watch(links[0]!);
    await eventually('everything is stored', () => fixture.mailServer.accepted.length > 0);
    unresponsive.become('away');
    fixture.clock.advance(2 * MINUTE_MS);
    expect(access(grant)).not.toBe('watching');
    unresponsive.become('working');
    await eventually('it is closed', async () => {
      fixture.clock.advance(EMERGENCY_SWEEP_MS);
      return (await openOnes()).length === 0;
    });
  });
});

describe('rights', () => {
  it('of viewers show it without its links, and open or close none', async () => {
    const { emergency } = await open();
    const key = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const headers = { 'x-auth-apikey': key };
    const { emergencies } = await fixture.call('/api/emergency/getOpenEmergencies', {}, headers);
    expect(JSON.stringify(emergencies)).not.toContain('http');
    await addPartner(fixture.own, { webhookUrl: 'https://hook.example/services/secret?key=1' });
    const operator = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'operator' });
    const partnersOf = async (apiKey: string) => {
      const response = await fixture.call(
        '/api/emergency/getEmergencyPartners',
        {},
        { 'x-auth-apikey': apiKey },
      );
      return JSON.stringify(response.partners);
    };
    expect(await partnersOf(operator)).toContain('"https://hook.example"');
    expect(await partnersOf(fixture.own.apiKey)).toContain('https://hook.example/services/secret?key=1');
    const { emergencyUuid } = emergency;
    for (const operation of ['endEmergency', 'extendEmergency', 'getEmergencyLinks', 'getEmergencyReport']) {
      const response = await fixture.post(
        `/api/emergency/${operation}`,
        { emergencyUuid, minutes: 5 },
        headers,
      );
      expect([operation, response.statusCode]).toEqual([operation, 403]);
    }
  });

  it('of one camera neither open another one nor show an emergency with another one', async () => {
    const scope = { locationUuids: [], cameraUuids: [fixture.own.doorbell.uuid] };
    const key = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'operator', scope });
    const headers = { 'x-auth-apikey': key };
    const emergencyPartnerUuid = await addPartner();
    const given = { emergencyPartnerUuid, reason: 'Fire', minutes: 10 };
    const opening = (cameraUuids: string[]) =>
      fixture.post('/api/emergency/openEmergency', { ...given, cameraUuids }, headers);
    expect(codeOf(await opening([fixture.own.camera.uuid]))).toBe('CAMERA_NOT_FOUND');
    expect((await opening([fixture.own.doorbell.uuid])).statusCode).toBe(200);
    const { emergency } = await open({
      emergencyPartnerUuid,
      cameraUuids: [fixture.own.camera.uuid, fixture.own.doorbell.uuid],
    });
    const seen = (await fixture.call('/api/emergency/getOpenEmergencies', {}, headers))
      .emergencies as Opened[];
    expect(seen).toHaveLength(1);
    const closing = await fixture.post(
      '/api/emergency/endEmergency',
      { emergencyUuid: emergency.emergencyUuid },
      headers,
    );
    expect(codeOf(closing)).toBe('EMERGENCY_NOT_FOUND');
  });
});

describe('a rule', () => {
  async function addRule(org = fixture.own, fields: object = {}): Promise<string> {
    const emergencyPartnerUuid = await addPartner(org);
    const response = await fixture.call(
      '/api/emergency/setEmergencyRule',
      { name: 'Panic buttons', emergencyPartnerUuid, minutes: 10, triggers: ['PANIC_BUTTON'], ...fields },
      headersOf(org),
    );
    return (response.emergencyRule as { emergencyRuleUuid: string }).emergencyRuleUuid;
  }

  async function alert(org = fixture.own, fields: object = {}): Promise<string> {
    const uuid = newRuuid();
    const row = {
      uuid,
      deviceUuid: org.camera.uuid,
      timestampMs: fixture.clock.epochMs(),
      policyAlertTriggers: ['PANIC_BUTTON'],
      textDescription: 'Panic button at the gate',
      ...fields,
    };
    await fixture.call('/api/ingest/policyAlerts', { rows: [row] }, headersOf(org));
    await fixture.accessControl.eventEffects.settled();
    return uuid;
  }

  it('opens the camera of the alert, and sends the link', async () => {
    await addRule();
    const alertUuid = await alert();
    expect(await openOnes()).toMatchObject([
      { reason: 'Panic button at the gate', openedBy: 'Panic buttons', isByRule: true, alertUuid },
    ]);
    await eventually('the mail is sent', () => fixture.mailServer.accepted.length === 1);
  });

  it('extends what is open for each further alert: one emergency, one mail', async () => {
    await addRule();
    await alert();
    for (let each = 0; each < 50; each++) {
      fixture.clock.advance(31_000);
      await alert();
    }
    const [one, ...others] = await openOnes();
    expect(others).toEqual([]);
    expect(one!.untilMs).toBe(Math.floor(fixture.clock.epochMs() / 1_000) * 1_000 + 10 * MINUTE_MS);
    await eventually('the mail is sent', () => fixture.mailServer.accepted.length === 1);
    expect(await pastOnes()).toEqual([]);
  });

  it('stays away for a while from what a person closed', async () => {
    await addRule();
    await alert();
    await close((await openOnes())[0]!.emergencyUuid);
    await alert();
    expect(await openOnes()).toEqual([]);
    fixture.clock.advance(RULE_REST_MS);
    await alert();
    expect(await openOnes()).toHaveLength(1);
  });

  it('opens a few an hour, whatever a sensor does, and those of others open theirs', async () => {
    await addRule(fixture.own, { minutes: 1 });
    await addRule(fixture.foreign, { minutes: 1 });
    for (let each = 0; each < 20; each++) {
      await alert();
      fixture.clock.advance(MINUTE_MS + EMERGENCY_SWEEP_MS);
      await fixture.emergency.ends.settled();
    }
    expect((await pastOnes()).length + (await openOnes()).length).toBe(MAX_OPENINGS_PER_HOUR);
    await alert(fixture.foreign);
    expect(await openOnes(fixture.foreign)).toHaveLength(1);
    expect(await openOnes()).toEqual([]);
  });

  it('leaves places for people: an organization has more of them than rules', async () => {
    for (let each = 0; each < 10; each++) await addRule(fixture.own, { name: `Rule ${each}` });
    await alert();
    expect(await openOnes()).toHaveLength(10);
    const full = { name: 'One more', emergencyPartnerUuid: await addPartner(), minutes: 10 };
    expect(codeOf(await fixture.post('/api/emergency/setEmergencyRule', full))).toBe(
      'TOO_MANY_EMERGENCY_RULES',
    );
    expect((await open()).emergency.isOpen).toBe(true);
  });

  it.each([
    ['another trigger', { policyAlertTriggers: ['MOTION_CAR'] }, {}],
    ['an alert of long ago', { timestampMs: 0 }, {}],
    ['another place', {}, { locationUuids: 'elsewhere' }],
    ['a lower level', { alarmValidationLevel: 2 }, { minValidationLevel: 3 }],
    ['a disabled rule', {}, { disabled: true }],
  ])('opens nothing for %s', async (_what, fields, ofRule) => {
    const { location } = await fixture
      .call('/api/location/createLocation', { location: { name: 'Elsewhere', tz: 'UTC' } })
      .then(({ uuid }) => ({ location: uuid }));
    const isElsewhere = 'locationUuids' in ofRule;
    await addRule(fixture.own, { ...ofRule, ...(isElsewhere ? { locationUuids: [location] } : {}) });
    await alert(fixture.own, fields);
    expect(await openOnes()).toEqual([]);
  });

  it('opens all cameras of the site, the alert’s own first', async () => {
    await addRule(fixture.own, { opens: 'site' });
    await alert(fixture.own, { deviceUuid: fixture.own.doorbell.uuid });
    const [one] = (await openOnes()) as (Opened & { cameras: { cameraUuid: string }[] })[];
    expect(one!.cameras.map(({ cameraUuid }) => cameraUuid)).toEqual([
      fixture.own.doorbell.uuid,
      fixture.own.camera.uuid,
    ]);
  });
});
