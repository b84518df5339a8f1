/** Mail of two gateways on one PostgreSQL database: both see each report, and one mail goes out, also when one gateway is gone. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotificationSettingsService } from '../accounts/notification-settings.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { EventEffect } from '../events/event-effects.ts';
import { FAKE_MAIL_SETTINGS, FakeMailServer } from '../mail/fake-mail-server.ts';
import { createMailServices, type MailServices } from '../mail/mail-services.ts';
import type { Camera, Organization } from '../store/entities.ts';
import { openStore } from '../store/open-store.ts';
import {
  sampleCamera,
  sampleEvent,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { withNewSchema } from '../store/test-store-fixture.ts';
import { createMailNotices } from './mail-notices.ts';

/** Set by test/support/postgres-for-contracts.ts. */
const DATABASE = process.env.TEST_CONTRACT_DATABASE ?? '';

interface Gateway {
  readonly store: Store;
  readonly mail: MailServices;
  readonly onEvents: EventEffect;
  close(): Promise<void>;
}

let gateways: Gateway[];
let server: FakeMailServer;
let own: Organization;
let gate: Camera;

async function gateway(url: Awaited<ReturnType<typeof withNewSchema>>): Promise<Gateway> {
  const clock = systemClock;
  const store = await openStore({ kind: 'postgres', url, fieldKey: Buffer.alloc(32, 7), clock });
  const views = new ScopeViews(store);
  const mail = createMailServices({
    store,
    clock,
    log: silentLog,
    settings: FAKE_MAIL_SETTINGS,
    allowPrivateNetworks: false,
    deliver: server.deliver,
    linkKey: Buffer.alloc(32, 7),
    publicApiUrl: 'https://cams.example',
  });
  const takePicture = async () => Buffer.from('ffd8ffd9', 'hex');
  const onEvents = createMailNotices({ store, views, clock, log: silentLog, mail, takePicture });
  await mail.resume();
  const close = async () => {
    await mail.close();
    views.close();
    await store.close();
  };
  return { store, mail, onEvents, close };
}

beforeEach(async () => {
  server = new FakeMailServer();
  const url = await withNewSchema(DATABASE);
  gateways = [await gateway(url), await gateway(url)];
  const [{ store }] = gateways as [Gateway, Gateway];
  own = sampleOrganization();
  await store.organizations.save(own);
  gate = sampleCamera(own.uuid, { name: 'Gate', locationUuid: null, nvrUuid: null });
  await store.cameras.save(gate);
  const ada = samplePerson(own.uuid, { name: 'Ada', email: 'ada@example.org' });
  await store.people.save(ada);
  const settings = new NotificationSettingsService({ store, clock: systemClock });
  await settings.update(own.uuid, ada.uuid, { summaryEmailEnabled: true });
});
afterEach(async () => {
  for (const { close } of gateways) await close();
});

const alert = () =>
  sampleEvent(own.uuid, {
    kind: 'policyAlert',
    id: newRuuid(),
    deviceUuid: gate.uuid,
    atMs: systemClock.epochMs(),
    body: { textDescription: 'Person' },
  });
const idle = () => Promise.all(gateways.map(({ mail }) => mail.outbox.idle()));
const counted = () =>
  server.for('ada@example.org').reduce((sum, { headers }) => sum + Number(headers.get('x-sluice-count')), 0);

it('of two that see the same reports at the same time, one sends, and each alert counts once', async () => {
  const [one, other] = gateways as [Gateway, Gateway];
  const alerts = Array.from({ length: 20 }, alert);
  await one.store.events.add(alerts);
  await Promise.all([one.onEvents(alerts, () => false), other.onEvents(alerts, () => false)]);
  await idle();
  expect(server.for('ada@example.org')).toHaveLength(1);
  expect(counted()).toBe(20);
  const { items } = await one.mail.outbox.page(own.uuid, { after: null, limit: 10 });
  // A gateway that sees the reports after the mail has left opens the next digest, which has nothing to send.
  const tried = items.filter(({ body }) => body.attempts.length > 0);
  expect(tried).toMatchObject([{ body: { state: 'DELIVERED', attempts: { length: 1 } } }]);
});

it('what a gateway leaves that ends with the mail in its hands, the other one sends', async () => {
  const [one, other] = gateways as [Gateway, Gateway];
  server.reply = () => new Promise(() => undefined);
  const event = alert();
  await one.store.events.add([event]);
  await one.onEvents([event], () => false);
  await expect.poll(() => server.attempts).toBe(1);
  server.reply = () => null;
  await one.mail.close();
  // As after an interval, or the next start.
  await other.mail.resume();
  await expect.poll(() => counted()).toBe(1);
});
