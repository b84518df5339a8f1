/** Notifications by Web Push, from the reported alert to what the browser decrypts. */

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BegunSession, ConsoleSessions } from '../accounts/console-sessions.ts';
import type { CredentialRules } from '../accounts/credential-rules.ts';
import { NotificationSettingsService } from '../accounts/notification-settings.ts';
import { newPushBrowser, type PushBrowser } from '../accounts/push-browser-fixture.ts';
import { PUSH_SUBSCRIPTION_MS, PushSubscriptions } from '../accounts/push-subscriptions.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera, Location, Organization } from '../store/entities.ts';
import type { Person } from '../store/person.ts';
import {
  sampleCamera,
  sampleConsoleSession,
  sampleEvent,
  sampleLocation,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { OutboundRequest, OutboundResponse } from '../webhooks/outbound-call.ts';
import { COALESCED_MS } from './push-notifier.ts';
import { createPushServices, type PushServices } from './push-services.ts';

let store: Store;
let clock: FakeClock;
let views: ScopeViews;
let pushes: PushServices;
let subscriptions: PushSubscriptions;
let settings: NotificationSettingsService;
let organization: Organization;
let site: Location;
let gate: Camera;
let ada: Person;
let phone: PushBrowser;
let log: Log;
let logged: string[];
let calls: OutboundRequest[];
let respond: (request: OutboundRequest) => OutboundResponse | Promise<OutboundResponse>;

const CREATED: OutboundResponse = { status: 201, retryAfter: null, contentType: null, body: '' };

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  logged = [];
  log = Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((level) => [
      level,
      (...given: unknown[]) => void logged.push(JSON.stringify([level, ...given])),
    ]),
  ) as unknown as Log;
  calls = [];
  respond = () => CREATED;
  views = new ScopeViews(store);
  pushes = createPushServices({
    store,
    views,
    clock,
    log,
    allowPrivateNetworks: false,
    publicApiUrl: 'https://cams.example/sluice',
    post: async (request) => {
      calls.push(request);
      return respond(request);
    },
  });
  subscriptions = new PushSubscriptions({ store, clock });
  settings = new NotificationSettingsService({ store, clock });
  organization = sampleOrganization();
  await store.organizations.save(organization);
  const orgUuid = organization.uuid;
  site = sampleLocation(orgUuid, { name: 'Harbor', tz: 'Europe/Berlin' });
  await store.locations.save(site);
  gate = sampleCamera(orgUuid, { name: 'Gate', locationUuid: site.uuid });
  await store.cameras.save(gate);
  ada = await person({ name: 'Ada' });
  phone = await subscribed(ada);
});
afterEach(async () => {
  await pushes.close();
  views.close();
  await store.close();
});

async function person(fields: Partial<Person>): Promise<Person> {
  const added = samplePerson(organization.uuid, fields);
  await store.people.save(added);
  return added;
}

async function subscribed(subscriber: Person): Promise<PushBrowser> {
  const browser = newPushBrowser();
  await subscriptions.add(sampleConsoleSession(subscriber), browser.given);
  return browser;
}

async function alert(textDescription: string, camera = gate): Promise<Ruuid> {
  const id = newRuuid();
  const event = sampleEvent(organization.uuid, {
    kind: 'policyAlert',
    id,
    deviceUuid: camera.uuid,
    atMs: clock.epochMs(),
    ...(camera.locationUuid === null ? {} : { locationUuid: camera.locationUuid }),
    body: { textDescription, policyAlertTriggers: ['MOTION_HUMAN'], password: 'hunter2' },
  });
  await store.events.add([event]);
  await pushes.onEvents([event], () => false);
  return id;
}

/** What each browser could decrypt. */
async function told(browser: PushBrowser): Promise<unknown[]> {
  await settled();
  return calls
    .filter(({ url }) => url.href === browser.given.endpoint)
    .map(({ body }) => browser.read(body as Buffer));
}

/** Everything that the notifier has begun is done. */
async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await store.organizations.find(organization.uuid);
  await pushes.idle();
}

describe('a notification', () => {
  it('has the words, the camera and the alert, encrypted for the browser alone', async () => {
    const alertUuid = await alert('Person at the gate');
    expect(await told(phone)).toEqual([
      {
        alertUuid,
        title: 'Person at the gate',
        text: 'Gate · Harbor',
        deviceUuid: gate.uuid,
        timestampMs: clock.epochMs(),
        count: 1,
      },
    ]);
    const [{ headers, body }] = calls as [OutboundRequest];
    expect(String(body)).not.toContain('Person');
    expect(() => newPushBrowser().read(body as Buffer)).toThrow();
    expect(headers).toMatchObject({
      ttl: '3600',
      urgency: 'high',
      'content-encoding': 'aes128gcm',
      topic: createHash('sha256').update(gate.uuid).digest('base64url').slice(0, 32),
    });
    const { publicKey, privateKey } = await subscriptions.keys(organization.uuid);
    expect(headers.authorization).toMatch(new RegExp(`^vapid t=[\\w.-]+, k=${publicKey}$`));
    const [, claims] = headers.authorization!.split('.');
    expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
      aud: 'https://push.example.net',
      sub: 'https://cams.example',
    });
    for (const secret of [privateKey.reveal(), phone.given.endpoint, phone.given.auth]) {
      expect(logged.join()).not.toContain(secret);
    }
  });

  it('goes to each browser of each person, with one key for the organization', async () => {
    const bo = await person({ name: 'Bo' });
    const browsers = [phone, await subscribed(ada), await subscribed(bo)];
    await alert('Car');
    for (const browser of browsers) expect(await told(browser)).toMatchObject([{ title: 'Car' }]);
    const keys = calls.map(({ headers }) => /k=(.*)$/.exec(headers.authorization!)![1]);
    expect(new Set(keys).size).toBe(1);
  });

  it('reads the browsers of the organization once, however many people have one', async () => {
    const listed = vi.spyOn(PushSubscriptions.prototype, 'ofOrganization');
    const browsers = [phone];
    for (let count = 0; count < 5; count++) browsers.push(await subscribed(await person({})));
    await alert('Car');
    for (const browser of browsers) expect(await told(browser)).toMatchObject([{ title: 'Car' }]);
    expect(listed).toHaveBeenCalledTimes(1);
    listed.mockRestore();
  });

  it('of one camera waits for the last one, and then counts', async () => {
    for (let index = 0; index < 50; index++) await alert(`Motion ${index}`);
    expect(await told(phone)).toMatchObject([{ title: 'Motion 0', count: 1 }]);
    clock.advance(COALESCED_MS);
    expect(await told(phone)).toMatchObject([{ count: 1 }, { title: 'Motion 49', count: 49 }]);
    clock.advance(COALESCED_MS);
    await alert('Later');
    expect(await told(phone)).toMatchObject([{}, {}, { title: 'Later', count: 1 }]);
  });

  it('of another camera does not wait', async () => {
    const yard = sampleCamera(organization.uuid, { name: 'Yard', locationUuid: null, nvrUuid: null });
    await store.cameras.save(yard);
    await alert('One');
    await alert('Two', yard);
    expect(await told(phone)).toMatchObject([{ text: 'Gate · Harbor' }, { text: 'Yard' }]);
  });

  it('is not sent for what happened long ago', async () => {
    const event = sampleEvent(organization.uuid, { kind: 'policyAlert', deviceUuid: gate.uuid, atMs: 1 });
    await store.events.add([event]);
    clock.advance(2 * 3_600_000);
    await pushes.onEvents([event], () => false);
    expect(await told(phone)).toEqual([]);
  });
});

describe('who is notified is decided when it is sent', () => {
  it('by the settings for APP', async () => {
    await settings.update(organization.uuid, ada.uuid, { timeFrames: [{ mediums: ['BROWSER'] }] });
    await alert('Quiet');
    expect(await told(phone)).toEqual([]);
  });

  it('by the rights that the person has now', async () => {
    const elsewhere = sampleLocation(organization.uuid, { name: 'Elsewhere' });
    await store.locations.save(elsewhere);
    const { scope: _, ...rest } = ada;
    const limitedTo = async (locationUuid: Ruuid) =>
      store.people.save({
        ...rest,
        role: 'operator',
        scope: { locationUuids: [locationUuid], cameraUuids: [] },
      });
    await limitedTo(elsewhere.uuid);
    await alert('Not yours');
    expect(await told(phone)).toEqual([]);
    clock.advance(COALESCED_MS);
    await limitedTo(site.uuid);
    await alert('Yours');
    expect(await told(phone)).toMatchObject([{ title: 'Yours' }]);
  });

  it('not if they are disabled, or someone has acknowledged the alert', async () => {
    respond = () => ({ status: 503, retryAfter: null, contentType: null, body: '' });
    const alertUuid = await alert('Handled');
    await settled();
    expect(calls).toHaveLength(1);
    const event = (await store.events.find(organization.uuid, 'policyAlert', alertUuid))!;
    const by = { atMs: 1, actorUuid: newRuuid(), actorName: 'Bo', note: '' };
    await store.events.acknowledge(event, null, by);
    clock.advance(60_000);
    await settled();
    expect(calls).toHaveLength(1);
    await store.people.save({ ...ada, disabled: true });
    await alert('Next');
    await settled();
    expect(calls).toHaveLength(1);
  });
});

describe('a push service', () => {
  it.each([404, 410])('that says %i ends the subscription', async (status) => {
    respond = () => ({ status, retryAfter: null, contentType: null, body: '' });
    await alert('Gone');
    await settled();
    expect(await subscriptions.ofPerson(organization.uuid, ada.uuid)).toEqual([]);
  });

  it('that fails is tried again a few times, with growing pauses', async () => {
    respond = () => ({ status: 503, retryAfter: null, contentType: null, body: '' });
    await alert('Again');
    for (const attempts of [1, 2, 3, 4, 4]) {
      await settled();
      expect(calls).toHaveLength(attempts);
      clock.advance(300_000);
    }
  });

  it('is not asked before the time that it names', async () => {
    respond = () => ({ status: 429, retryAfter: '200', contentType: null, body: '' });
    await alert('Slow down');
    await settled();
    clock.advance(199_000);
    await settled();
    expect(calls).toHaveLength(1);
    clock.advance(1_000);
    await settled();
    expect(calls).toHaveLength(2);
  });

  it.each([301, 400, 403, 413])(
    'that says %i is not asked again, and keeps the subscription',
    async (status) => {
      respond = () => ({ status, retryAfter: null, contentType: null, body: '' });
      await alert('No');
      await settled();
      clock.advance(300_000);
      await settled();
      expect(calls).toHaveLength(1);
      expect(await subscriptions.ofPerson(organization.uuid, ada.uuid)).toHaveLength(1);
    },
  );

  it('in a private network is not called, as webhooks are not', async () => {
    const own = createPushServices({
      store,
      views,
      clock,
      log,
      allowPrivateNetworks: false,
      publicApiUrl: 'https://cams.example',
    });
    for (const { uuid } of await subscriptions.ofPerson(organization.uuid, ada.uuid)) {
      await subscriptions.remove(organization.uuid, ada.uuid, uuid);
    }
    const { given } = newPushBrowser('127.0.0.1');
    await subscriptions.add(sampleConsoleSession(ada), given);
    const event = sampleEvent(organization.uuid, {
      kind: 'policyAlert',
      id: newRuuid(),
      deviceUuid: gate.uuid,
      atMs: clock.epochMs(),
    });
    await store.events.add([event]);
    await own.onEvents([event], () => false);
    await eventually('the refusal', () => logged.join().includes('WEBHOOK_ADDRESS_REFUSED'));
    await own.close();
    expect(logged.join()).not.toContain(given.endpoint);
  });

  it('that hangs holds up only the organization’s share of calls', async () => {
    respond = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    for (let index = 0; index < 9; index++) await subscribed(ada);
    await alert('Hangs');
    for (let round = 0; round < 40; round++) await store.organizations.find(organization.uuid);
    expect(calls).toHaveLength(4);
  });
});

describe('a subscription', () => {
  const addOf = (given: object) =>
    subscriptions.add(sampleConsoleSession(ada), {
      ...newPushBrowser().given,
      ...given,
    });

  it.each([
    ['http', { endpoint: 'http://push.example.net/x' }],
    ['a login', { endpoint: 'https://me:you@push.example.net/x' }],
    ['no URL', { endpoint: 'push' }],
    ['a key that is not on the curve', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
    ['a short key', { p256dh: 'AAAA' }],
    ['a short secret', { auth: 'AAAA' }],
    ['no base64url', { auth: '/+/+/+/+/+/+/+/+/+/+/+' }],
  ])('is refused with %s', async (_name, given) => {
    await expect(addOf(given)).rejects.toMatchObject({ code: 'PUSH_SUBSCRIPTION_INVALID' });
  });

  it('is one of at most 10, and is renewed, not doubled', async () => {
    for (let index = 0; index < 9; index++) await addOf({});
    await expect(addOf({})).rejects.toMatchObject({ code: 'TOO_MANY_PUSH_SUBSCRIPTIONS' });
    await addOf(phone.given);
    expect(await subscriptions.ofPerson(organization.uuid, ada.uuid)).toHaveLength(10);
  });

  it('ends 30 days after the last visit, and with the person', async () => {
    clock.advance(PUSH_SUBSCRIPTION_MS);
    await addOf({});
    clock.advance(1);
    expect(await subscriptions.ofPerson(organization.uuid, ada.uuid)).toHaveLength(1);
    await store.people.remove(organization.uuid, ada.uuid);
    expect(await subscriptions.ofOrganization(organization.uuid)).toEqual([]);
  });

  it.each([
    [
      'the person signs out',
      (sessions: ConsoleSessions, { token }: BegunSession) => sessions.signOut(token.reveal(), null),
    ],
    [
      'someone ends the session',
      (sessions: ConsoleSessions, { session }: BegunSession) =>
        sessions.end(organization.uuid, session.uuid, null),
    ],
    ['the password changes', (sessions: ConsoleSessions) => sessions.endOthers(ada, null)],
  ])('ends in that browser alone when %s', async (_when, end) => {
    const rules = { applied: async () => undefined } as unknown as CredentialRules;
    const sessions = new ConsoleSessions({ store, rules, clock });
    const client = {
      address: '192.0.2.1',
      userAgent: null,
      sessionToken: null,
      browserToken: null,
      browserProof: null,
    };
    const begun = await sessions.begin(ada, 'password', client);
    const own = await subscriptions.add(begun.session, newPushBrowser().given);
    await end(sessions, begun);
    const left = await subscriptions.ofPerson(organization.uuid, ada.uuid);
    expect(left).toHaveLength(1);
    expect(left[0]!.uuid).not.toBe(own.uuid);
  });

  it('has one key, whoever asks first', async () => {
    const all = await Promise.all([1, 2, 3].map(() => subscriptions.keys(organization.uuid)));
    expect(new Set(all.map(({ publicKey }) => publicKey)).size).toBe(1);
    expect(new Set(all.map(({ privateKey }) => privateKey.reveal())).size).toBe(1);
    expect(JSON.stringify(all)).not.toContain(all[0]!.privateKey.reveal());
  });
});
