/** Mails for alarm centers, as their receivers decode them. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { EventEffect } from '../events/event-effects.ts';
import type { GivenReceiver } from '../mail/alarm-receivers.ts';
import { FAKE_MAIL_SETTINGS, FakeMailServer } from '../mail/fake-mail-server.ts';
import { createMailServices, type MailServices } from '../mail/mail-services.ts';
import type { Camera, Location, Organization } from '../store/entities.ts';
import type { StoredEvent } from '../store/event.ts';
import {
  sampleCamera,
  sampleEvent,
  sampleLocation,
  sampleOrganization,
} from '../store/sample-entities-fixture.ts';
import { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { createMailNotices } from './mail-notices.ts';

const JPEG = Buffer.from('ffd8ffd9', 'hex');
const CENTER = 'S12345@immixalarms.com';
const AT_MS = Date.UTC(2026, 10, 30, 21, 30);

let store: Store;
let clock: FakeClock;
let views: ScopeViews;
let server: FakeMailServer;
let mail: MailServices;
let onEvents: EventEffect;
let own: Organization;
let site: Location;
let gate: Camera;

beforeEach(async () => {
  clock = new FakeClock();
  clock.stepWallClock(AT_MS - clock.epochMs());
  store = await openTestStore(clock);
  views = new ScopeViews(store);
  server = new FakeMailServer();
  mail = createMailServices({
    store,
    clock,
    log: silentLog,
    settings: FAKE_MAIL_SETTINGS,
    allowPrivateNetworks: false,
    deliver: server.deliver,
    linkKey: Buffer.alloc(32, 7),
    publicApiUrl: 'https://cams.example',
  });
  const takePicture = async () => JPEG;
  onEvents = createMailNotices({ store, views, clock, log: silentLog, mail, takePicture });
  own = sampleOrganization();
  await store.organizations.save(own);
  site = sampleLocation(own.uuid, { name: 'Harbor', latitude: 51.650646, longitude: -3.914983 });
  await store.locations.save(site);
  gate = sampleCamera(own.uuid, { name: 'Gate <1>', locationUuid: site.uuid, nvrUuid: null });
  await store.cameras.save(gate);
});
afterEach(async () => {
  await mail.close();
  views.close();
  await store.close();
});

const center = (fields: Partial<GivenReceiver> = {}, uuid: Ruuid | null = null) =>
  mail.alarmReceivers.set(own.uuid, uuid, {
    name: 'Center',
    format: 'IMMIX',
    address: CENTER,
    locationUuids: [],
    minValidation: null,
    inputs: [],
    disabled: false,
    ...fields,
  });

async function alert(body: object = {}, atMs = clock.epochMs()): Promise<StoredEvent> {
  const event = sampleEvent(own.uuid, {
    kind: 'policyAlert',
    id: newRuuid(),
    deviceUuid: gate.uuid,
    locationUuid: site.uuid,
    atMs,
    body: { policyAlertTriggers: ['MOTION_HUMAN'], ...body },
  });
  await store.events.add([event]);
  await onEvents([event], () => false);
  return event;
}

async function later(ms = 0): Promise<void> {
  clock.advance(ms);
  for (let round = 0; round < 20; round += 1) await store.organizations.find(own.uuid);
  await mail.outbox.idle();
}

it('Immix gets its XML as text, with the input, the level, and the image attached', async () => {
  await center({ inputs: [{ deviceUuid: gate.uuid, address: 'S777@immixalarms.com', input: 21 }] });
  await alert({ textDescription: 'Person & dog', alarmValidationLevel: 2 });
  await later();
  const [sent] = server.for('S777@immixalarms.com');
  expect(sent!.html).toBe(false);
  expect(
    sent!
      .text!.replace(/token=[\w-]+/, 'token=x')
      .trim()
      .split(/\r?\n/),
  ).toEqual([
    '<Alarm>',
    '<VersionInfo>1</VersionInfo>',
    '<Input1>21</Input1>',
    '<EventType>ObjectDetected</EventType>',
    '<ExtraText>Person &amp; dog, Gate &lt;1&gt;, AVS-01 level 2</ExtraText>',
    '<DateTime>2026-11-30T21:30:00.000Z</DateTime>',
    '<Location>Harbor</Location>',
    '<URL>https://cams.example/mail/alert?token=x</URL>',
    '</Alarm>',
  ]);
  expect(sent!.attachments).toMatchObject([{ content: JPEG, contentDisposition: 'attachment' }]);
  expect(sent!.headers.get('x-avs-01-level')).toBe('2');
});

it('SureView gets the alarm in the subject, and coordinates for its map', async () => {
  await center({ format: 'SUREVIEW', address: 'Ag34r8vwqt@us.sureviewops.com' });
  await alert({ textDescription: 'Motion detected' });
  await later();
  const [sent] = server.for('Ag34r8vwqt@us.sureviewops.com');
  expect(sent!.subject).toBe('Motion detected - Gate <1>');
  expect(sent!.text).toContain('\n51.650646,-3.914983\n');
  expect(sent!.attachments).toHaveLength(1);
});

it('gets the first alert of a camera immediately, and the others of half a minute as one with their count', async () => {
  await center();
  const first = await alert();
  await onEvents([first], () => false);
  for (let index = 1; index <= 10; index += 1) await alert({}, AT_MS + index);
  await later();
  expect(server.for(CENTER)).toHaveLength(1);
  await later(30_000);
  expect(server.for(CENTER)).toHaveLength(2);
  expect(server.for(CENTER)[1]!.text).toContain('10 alarms');
  await alert();
  await later();
  expect(server.for(CENTER)).toHaveLength(3);
});

it.each([
  ['is turned off', { disabled: true }, 0],
  ['is for another site', { locationUuids: 'elsewhere' }, 0],
  ['wants a higher level', { minValidation: 3 }, 0],
  ['wants this level', { minValidation: 2 }, 1],
  ['has no address for the camera', { address: null }, 0],
])('that %s', async (_what, fields, count) => {
  const elsewhere = sampleLocation(own.uuid, { name: 'Elsewhere' });
  await store.locations.save(elsewhere);
  const given = 'locationUuids' in fields ? { locationUuids: [elsewhere.uuid] } : fields;
  await center(given);
  await alert({ alarmValidationLevel: 2 });
  await later();
  expect(server.accepted).toHaveLength(count);
});

it('is refused with what belongs to another organization, or is no address', async () => {
  const foreign = sampleOrganization();
  await store.organizations.save(foreign);
  const camera = sampleCamera(foreign.uuid, { locationUuid: null, nvrUuid: null });
  await store.cameras.save(camera);
  const inputs = [{ deviceUuid: camera.uuid, address: null, input: 1 }];
  await expect(center({ inputs })).rejects.toMatchObject({ code: 'ALARM_INPUT_UNKNOWN' });
  await expect(center({ address: 'a@b, c@d' })).rejects.toMatchObject({ code: 'MAIL_ADDRESS_INVALID' });
  await expect(center({}, newRuuid())).rejects.toMatchObject({ code: 'ALARM_RECEIVER_NOT_FOUND' });
  for (let index = 0; index < 50; index += 1) await center();
  await expect(center()).rejects.toMatchObject({ code: 'TOO_MANY_ALARM_RECEIVERS' });
});

it('tests an alarm center in its format, at the address and with the number of the camera', async () => {
  const other = sampleOrganization();
  await store.organizations.save(other);
  const receiverUuid = await center({
    format: 'IMMIX',
    address: null,
    inputs: [{ deviceUuid: gate.uuid, address: CENTER, input: 7 }],
  });
  const { mail: sent, error } = await mail.alarmTest.run(own.uuid, receiverUuid, null);
  expect(error).toBeNull();
  expect(sent).toMatchObject({ parentUuid: receiverUuid, body: { topic: 'ALARM', state: 'DELIVERED' } });
  const [test] = server.for(CENTER);
  expect(test!.subject).toBe('TEST, no alarm - Gate <1>');
  expect(test!.text).toContain('<Input1>7</Input1>');
  const failure = (orgUuid: Ruuid, uuid: Ruuid, camera: Ruuid | null) =>
    expect(mail.alarmTest.run(orgUuid, uuid, camera)).rejects;
  await failure(other.uuid, receiverUuid, null).toMatchObject({ code: 'ALARM_RECEIVER_NOT_FOUND' });
  await failure(own.uuid, receiverUuid, newRuuid()).toMatchObject({ code: 'ALARM_INPUT_UNKNOWN' });
  const unreached = await center({ address: null, inputs: [] });
  await failure(own.uuid, unreached, null).toMatchObject({ code: 'ALARM_RECEIVER_UNREACHED' });
  server.reply = () => '550 5.1.1 unknown';
  const refused = await mail.alarmTest.run(own.uuid, receiverUuid, gate.uuid);
  expect(refused.error).not.toBeNull();
});
