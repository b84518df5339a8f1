/** Mails of alerts and health, from the reported event to what the mailbox has. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NotificationSettings, NotificationSettingsService } from '../accounts/notification-settings.ts';
import { GatewayError } from '../core/errors.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CameraPauseEnds } from '../events/camera-pause-ends.ts';
import { CameraPauses } from '../events/camera-pauses.ts';
import type { EventEffect } from '../events/event-effects.ts';
import { MAIL_ERRORS } from '../mail/errors.ts';
import { FAKE_MAIL_SETTINGS, FakeMailServer } from '../mail/fake-mail-server.ts';
import type { MailLinks } from '../mail/mail-links.ts';
import { createMailServices, type MailServices } from '../mail/mail-services.ts';
import { actingView } from '../store/acting-view.ts';
import type { Camera, Location, Organization } from '../store/entities.ts';
import type { StoredEvent } from '../store/event.ts';
import type { Person } from '../store/person.ts';
import {
  sampleCamera,
  sampleEvent,
  sampleLocation,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { createMailNotices } from './mail-notices.ts';

const JPEG = Buffer.from('ffd8ffd9', 'hex');
const MINUTE_MS = 60_000;
const ADA = 'ada@example.org';

let store: Store;
let clock: FakeClock;
let views: ScopeViews;
let server: FakeMailServer;
let mail: MailServices;
let onEvents: EventEffect;
let links: MailLinks;
let settings: NotificationSettingsService;
let organization: Organization;
let site: Location;
let gate: Camera;
let ada: Person;
let picture: (camera: Ruuid) => Buffer;

/** A gateway on the store. */
async function start(): Promise<void> {
  mail = createMailServices({
    store,
    clock,
    log: silentLog,
    settings: FAKE_MAIL_SETTINGS,
    allowPrivateNetworks: false,
    deliver: server.deliver,
    linkKey: Buffer.alloc(32, 7),
    publicApiUrl: 'https://cams.example/sluice',
    random: () => 1,
  });
  links = mail.links;
  onEvents = createMailNotices({
    store,
    views,
    clock,
    log: silentLog,
    mail,
    takePicture: async (_org, camera) => picture(camera),
  });
  await mail.resume();
}

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  views = new ScopeViews(store);
  server = new FakeMailServer();
  settings = new NotificationSettingsService({ store, clock });
  picture = () => JPEG;
  organization = sampleOrganization();
  await store.organizations.save(organization);
  site = sampleLocation(organization.uuid, { name: 'Harbor', tz: 'Europe/Berlin' });
  await store.locations.save(site);
  gate = await camera('Gate');
  ada = await person({ name: 'Ada', email: ADA });
  await start();
});
afterEach(async () => {
  await mail.close();
  views.close();
  await store.close();
});

async function camera(name: string, fields: Partial<Camera> = {}): Promise<Camera> {
  const added = sampleCamera(organization.uuid, { name, locationUuid: site.uuid, nvrUuid: null, ...fields });
  await store.cameras.save(added);
  return added;
}

async function person(fields: Partial<Person>, wanted?: NotificationSettings): Promise<Person> {
  const added = samplePerson(organization.uuid, fields);
  await store.people.save(added);
  await settings.update(organization.uuid, added.uuid, wanted ?? { summaryEmailEnabled: true });
  return added;
}

function alertOf(of: Camera, body: object = { policyAlertTriggers: ['MOTION_HUMAN'] }): StoredEvent {
  return sampleEvent(organization.uuid, {
    kind: 'policyAlert',
    id: newRuuid(),
    deviceUuid: of.uuid,
    atMs: clock.epochMs(),
    ...(of.locationUuid === null ? {} : { locationUuid: of.locationUuid }),
    body,
  });
}

async function report(events: readonly StoredEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += 100) {
    const together = events.slice(start, start + 100);
    await store.events.add(together);
    await onEvents(together, () => false);
  }
}

/** Everything that is due is sent. */
async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await store.organizations.find(organization.uuid);
  await mail.outbox.idle();
}

async function later(ms: number): Promise<void> {
  clock.advance(ms);
  await settled();
}

const countedIn = (address: string): number =>
  server.for(address).reduce((sum, { headers }) => sum + Number(headers.get('x-sluice-count') ?? 0), 0);

describe('the mail of an alert', () => {
  it('has the words, the place, a picture, and a link that asks to sign in', async () => {
    const alert = alertOf(gate, { textDescription: 'Person at the gate', alarmValidationLevel: 2 });
    await report([alert]);
    await settled();
    const [sent] = server.for(ADA);
    expect(sent!.subject).toBe('Person at the gate · Gate · Harbor');
    expect(sent!.to).toMatchObject({ value: [{ name: 'Ada', address: ADA }] });
    expect(sent!.attachments).toMatchObject([{ content: JPEG, related: true }]);
    expect(sent!.text).toContain('Alarm validation (AVS-01): level 2');
    const [, token] = /mail\/alert\?token=([\w-]+)/.exec(sent!.text!)!;
    expect(links.alertTarget(token!)).toBe(`https://cams.example/sluice/console/alerts?alert=${alert.id}`);
    clock.advance(7 * 24 * 60 * MINUTE_MS);
    expect(links.alertTarget(token!)).toBeNull();
    const unsubscribe = sent!.headerLines.find(({ key }) => key === 'list-unsubscribe')!.line;
    const [, given] = /token=([\w-]+)>$/.exec(unsubscribe)!;
    expect(links.unsubscribing(given!)).toMatchObject({ personUuid: ada.uuid });
    expect(links.alertTarget(given!)).toBeNull();
  });

  it('is in the person’s language and time zone', async () => {
    await settings.update(organization.uuid, ada.uuid, { language: 'de', timeZone: 'America/New_York' });
    clock.stepWallClock(Date.UTC(2026, 10, 30, 21, 30) - clock.epochMs());
    await report([alertOf(gate)]);
    await settled();
    const [sent] = server.for(ADA);
    expect(sent!.text).toContain('Es gibt einen neuen Alarm.');
    expect(sent!.text).toContain('30.11.2026, 16:30:00');
    expect(sent!.html).toContain('<html lang="de">');
  });

  it.each([
    [
      'without a picture if there is none',
      () => Promise.reject(new GatewayError(MAIL_ERRORS.MAIL_TIMED_OUT)),
    ],
    ['without one that is too large', () => Buffer.alloc(300_000)],
  ])('goes %s', async (_what, take) => {
    picture = take as typeof picture;
    await report([alertOf(gate)]);
    await settled();
    expect(server.for(ADA)).toMatchObject([{ attachments: [] }]);
  });
});

describe('who gets a mail is decided when it is sent', () => {
  const limitedTo = async (locationUuid: Ruuid) =>
    store.people.save({
      ...ada,
      role: 'operator',
      scope: { locationUuids: [locationUuid], cameraUuids: [] },
    });

  it('by the rights that the person has then, for words and pictures', async () => {
    const yard = sampleLocation(organization.uuid, { name: 'Yard' });
    await store.locations.save(yard);
    const hidden = await camera('Vault', { locationUuid: yard.uuid });
    const taken: [Ruuid, boolean][] = [];
    picture = (uuid) => {
      taken.push([uuid, actingView()?.seesDevice(hidden.uuid) ?? true]);
      return JPEG;
    };
    server.reply = () => 'gone';
    await report([alertOf(hidden), alertOf(gate)]);
    await settled();
    expect(server.attempts).toBe(1);
    await limitedTo(site.uuid);
    taken.length = 0;
    server.reply = () => null;
    await later(5 * MINUTE_MS);
    const [sent] = server.for(ADA);
    expect(sent!.text).toContain('Gate');
    expect(sent!.text).not.toContain('Vault');
    expect(sent!.html).not.toContain('Vault');
    expect(countedIn(ADA)).toBe(1);
    expect(taken).toEqual([[gate.uuid, false]]);
  });

  it('without a picture for viewers who do not see what the camera’s masks cover', async () => {
    const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
    const masks = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];
    const vault = await camera('Vault', { masks, masksForViewers: true });
    const bo = await person({ name: 'Bo', email: 'bo@example.org', role: 'viewer' });
    await store.people.save({ ...ada, role: 'operator' });
    await report([alertOf(vault)]);
    await settled();
    expect(server.for(bo.email!)).toMatchObject([{ attachments: [] }]);
    expect(server.for(ADA)).toMatchObject([{ attachments: [{ content: JPEG }] }]);
  });

  it('not to people who see nothing of it, are disabled, or want nothing any more', async () => {
    const yard = sampleLocation(organization.uuid, { name: 'Yard' });
    await store.locations.save(yard);
    const bo = await person({ name: 'Bo', email: 'bo@example.org' });
    const cy = await person({ name: 'Cy', email: 'cy@example.org' });
    server.reply = () => 'gone';
    await report([alertOf(gate)]);
    await settled();
    await limitedTo(yard.uuid);
    await store.people.save({ ...bo, disabled: true });
    await settings.update(organization.uuid, cy.uuid, { summaryEmailEnabled: false });
    server.reply = () => null;
    await later(5 * MINUTE_MS);
    expect(server.accepted).toEqual([]);
    const { items } = await mail.outbox.page(organization.uuid, { after: null, limit: 10 });
    expect(items).toEqual([]);
  });

  it('not of an alert that someone acknowledged meanwhile', async () => {
    server.reply = () => 'gone';
    const alert = alertOf(gate);
    await report([alert]);
    await settled();
    await store.events.acknowledge(alert, null, {
      atMs: 1,
      actorUuid: newRuuid(),
      actorName: 'Bo',
      note: '',
    });
    server.reply = () => null;
    await later(5 * MINUTE_MS);
    expect(server.accepted).toEqual([]);
  });

  it('not of alerts that someone acknowledged or took meanwhile, all of them', async () => {
    const bo = { atMs: 1, actorUuid: newRuuid(), actorName: 'Bo' };
    const [first, last, other] = [alertOf(gate), alertOf(gate), alertOf(await camera('Yard'))];
    const left = alertOf(gate);
    server.reply = () => 'gone';
    await report([first, last, other]);
    await settled();
    await store.events.acknowledge(last, null, { ...bo, note: '' });
    await store.events.take(other, null, bo);
    await report([left]);
    await settled();
    await store.events.take(left, null, bo);
    await store.events.take(first, null, bo);
    server.reply = () => null;
    await later(90 * MINUTE_MS);
    expect(server.accepted).toEqual([]);
    expect((await mail.outbox.page(organization.uuid, { after: null, limit: 10 })).items).toEqual([]);
  });

  it('of alerts of which one is left that no one acknowledged or took', async () => {
    const bo = { atMs: 1, actorUuid: newRuuid(), actorName: 'Bo' };
    const [first, last] = [alertOf(gate), alertOf(gate)];
    server.reply = () => 'gone';
    await report([first, last]);
    await settled();
    await store.events.take(last, null, bo);
    server.reply = () => null;
    await later(5 * MINUTE_MS);
    expect(countedIn(ADA)).toBe(2);
  });

  it('not of a camera that is paused for maintenance, unless it is offline at the end', async () => {
    const pauses = new CameraPauses({ store, clock });
    const healthOf = (of: Camera, symptom: 'DOWN' | null) =>
      sampleEvent(organization.uuid, {
        kind: 'deviceHealth',
        id: newRuuid(),
        deviceUuid: of.uuid,
        atMs: clock.epochMs(),
        locationUuid: site.uuid,
        body: { symptom, seenBy: 'gateway' },
      });
    const yard = await camera('Yard');
    // It is unplugged before someone says that they work on it.
    await report([healthOf(gate, 'DOWN')]);
    await pauses.pause(gate, { untilMs: undefined, durationMs: 30 * MINUTE_MS }, 'Ada');
    await later(5 * MINUTE_MS);
    expect(server.accepted).toEqual([]);
    await report([healthOf(gate, null), healthOf(yard, 'DOWN')]);
    clock.advance(1_000);
    await report([healthOf(gate, 'DOWN')]);
    await later(10 * MINUTE_MS);
    expect(server.for(ADA).map(({ text }) => /Gate|Yard/.exec(text ?? '')?.[0])).toEqual(['Yard']);
    const ends = new CameraPauseEnds({ store, clock, log: silentLog });
    await pauses.end(organization.uuid, gate.uuid);
    const id = `pause:${gate.uuid}:${clock.epochMs()}`;
    const find = () => store.events.find(organization.uuid, 'deviceHealth', id);
    await eventually('the report of the end', async () => (await find()) !== null);
    await ends.close();
    await onEvents([(await find())!], () => false);
    await later(60 * MINUTE_MS);
    expect(server.for(ADA)).toHaveLength(2);
    expect(server.for(ADA)[1]!.text).toContain('Gate');
  });

  it.each([
    ['nothing was set', {}, 0],
    ['mail is off', { summaryEmailEnabled: false, timeFrames: [{ mediums: ['EMAIL'] }] }, 0],
    ['a time frame names it', { timeFrames: [{ mediums: ['EMAIL'] }] }, 1],
    ['a time frame names other media', { summaryEmailEnabled: true, timeFrames: [{ mediums: ['APP'] }] }, 0],
    ['it is about other kinds', { timeFrames: [{ mediums: ['EMAIL'], rows: [{ activities: ['CAR'] }] }] }, 0],
    ['only diagnostics count', { timeFrames: [{ mediums: ['EMAIL'], rows: [{ diagnostics: ['X'] }] }] }, 0],
    [
      'hours are over',
      { timeFrames: [{ mediums: ['EMAIL'], interval: { minuteOfDayStopExclusive: 1 } }] },
      0,
    ],
  ])('by settings: %s', async (_what, wanted, count) => {
    clock.stepWallClock(Date.UTC(2026, 10, 30, 12) - clock.epochMs());
    await person({ name: 'Bo', email: 'bo@example.org' }, wanted as NotificationSettings);
    await report([alertOf(gate)]);
    await settled();
    expect(server.for('bo@example.org')).toHaveLength(count);
  });

  it('by the hours when it happened, not when the server was reached', async () => {
    clock.stepWallClock(Date.UTC(2026, 10, 30, 21, 59) - clock.epochMs());
    const until23 = { minuteOfDayStartInclusive: 0, minuteOfDayStopExclusive: 23 * 60 };
    await settings.update(organization.uuid, ada.uuid, { timeFrames: [{ interval: until23 }] });
    server.reply = () => 'gone';
    await report([alertOf(gate)]);
    await settled();
    server.reply = () => null;
    await later(5 * MINUTE_MS);
    expect(server.for(ADA)).toHaveLength(1);
    await report([alertOf(gate)]);
    await later(10 * MINUTE_MS);
    expect(server.for(ADA)).toHaveLength(1);
  });
});

describe('a storm', () => {
  it('of 10,000 alerts is a few mails, in which each of them counts, in one thread', async () => {
    const cameras = await Promise.all(Array.from({ length: 40 }, (_, index) => camera(`Mast ${index}`)));
    for (let minute = 0; minute < 10; minute += 1) {
      await report(Array.from({ length: 1_000 }, (_, index) => alertOf(cameras[index % 40]!)));
      await later(MINUTE_MS);
    }
    for (let minute = 0; minute < 60; minute += 1) await later(MINUTE_MS);
    const mails = server.for(ADA);
    expect(mails.length).toBeLessThanOrEqual(6);
    expect(countedIn(ADA)).toBe(10_000);
    const [first, ...others] = mails;
    for (const { references } of others) expect(references).toBe(first!.messageId);
    expect(mails.at(-1)!.text).toContain('alerts of 10 cameras.');
    await report([alertOf(gate)]);
    await later(0);
    expect(server.for(ADA)).toHaveLength(mails.length + 1);
    expect(server.for(ADA).at(-1)!.references).toBeUndefined();
  });

  it('of 100 cameras behind one dead switch is one mail', async () => {
    const cameras = await Promise.all(Array.from({ length: 100 }, (_, index) => camera(`Mast ${index}`)));
    const down = (of: Camera, symptom: string | null) =>
      sampleEvent(organization.uuid, {
        kind: 'deviceHealth',
        id: newRuuid(),
        deviceUuid: of.uuid,
        locationUuid: site.uuid,
        atMs: clock.epochMs(),
        body: { symptom, seenBy: 'gateway' },
      });
    for (const each of cameras) {
      await report([down(each, 'DOWN')]);
      clock.advance(500);
    }
    await later(MINUTE_MS);
    await later(60 * MINUTE_MS);
    expect(server.for(ADA)).toHaveLength(1);
    expect(server.for(ADA)[0]!.text).toContain('The connections of 100 cameras have changed.');
    expect(server.for(ADA)[0]!.text).toContain('And 70 more cameras.');
    await report([down(cameras[3]!, 'DOWN'), down(cameras[3]!, null)]);
    await later(MINUTE_MS);
    expect(server.for(ADA)[1]!.text).toMatch(/Mast 3 · Harbor\n {2}Online again since/);
  });

  it('survives a restart in the middle, and a report that takes effect twice', async () => {
    const first = alertOf(gate);
    await report([first]);
    await settled();
    const others = Array.from({ length: 30 }, () => alertOf(gate));
    await report(others);
    await onEvents(others, () => false);
    await mail.close();
    await start();
    await later(2 * MINUTE_MS);
    expect(server.for(ADA)).toHaveLength(2);
    expect(countedIn(ADA)).toBe(31);
  });

  it('loses no alert of a mail that failed for hours', async () => {
    server.reply = () => '451 Try again later';
    await report([alertOf(gate)]);
    for (let round = 0; round < 12; round += 1) await later(30 * MINUTE_MS);
    const { items } = await mail.outbox.page(organization.uuid, { after: null, limit: 10 });
    expect(items).toMatchObject([{ body: { state: 'FAILED', attempts: { length: 10 } } }]);
    server.reply = () => null;
    await report([alertOf(gate)]);
    await later(0);
    expect(countedIn(ADA)).toBe(2);
  });
});

describe('an address that is refused for good', () => {
  it('is marked, and gets nothing until someone tests it', async () => {
    server.reply = () => '550 5.1.1 No such mailbox';
    await report([alertOf(gate)]);
    await settled();
    await report([alertOf(gate)]);
    await later(2 * MINUTE_MS);
    expect(server.attempts).toBe(1);
    expect(await mail.refusals.find(organization.uuid, ADA.toUpperCase())).toMatchObject({
      body: { reply: '550 5.1.1 No such mailbox' },
    });
    server.reply = () => null;
    await mail.mailTest.run(organization.uuid, ADA, 'en');
    await report([alertOf(gate)]);
    await later(10 * MINUTE_MS);
    expect(countedIn(ADA)).toBe(3);
  });
});
