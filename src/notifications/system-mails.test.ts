/** Problems of the gateway, by mail. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotificationSettingsService } from '../accounts/notification-settings.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { FAKE_MAIL_SETTINGS, FakeMailServer } from '../mail/fake-mail-server.ts';
import { createMailServices, type MailServices } from '../mail/mail-services.ts';
import type { Organization } from '../store/entities.ts';
import type { Person } from '../store/person.ts';
import { sampleOrganization, samplePerson } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { type GatewayProblem, SystemMails } from './system-mails.ts';

const EXPIRED = { code: 'TLS_CERTIFICATE_EXPIRED', sentence: 'It has expired.', whatToDo: 'Renew it.' };
const FULL = { code: 'DISK_FULL', sentence: 'The disk is full.', whatToDo: 'Make room.' };

let store: Store;
let clock: FakeClock;
let server: FakeMailServer;
let mail: MailServices;
let mails: SystemMails;
let settings: NotificationSettingsService;
let own: Organization;
let problems: GatewayProblem[];

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  server = new FakeMailServer();
  settings = new NotificationSettingsService({ store, clock });
  own = sampleOrganization();
  await store.organizations.save(own);
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
  problems = [EXPIRED];
  mails = new SystemMails({
    store,
    outbox: mail.outbox,
    isSetUp: () => true,
    settings,
    links: mail.links,
    orgUuid: own.uuid,
    readProblems: async () => problems,
    clock,
    log: silentLog,
  });
});
afterEach(async () => {
  mails.close();
  await mail.close();
  await store.close();
});

async function admin(fields: Partial<Person>, isOn = true): Promise<void> {
  const added = samplePerson(own.uuid, { role: 'admin', ...fields });
  await store.people.save(added);
  await settings.update(own.uuid, added.uuid, { summaryEmailEnabled: isOn });
}

async function checked(): Promise<void> {
  await mails.check();
  await mail.outbox.idle();
}

it('names all problems in one mail, and the same ones once a day', async () => {
  await admin({ email: 'ada@example.org' });
  problems = [EXPIRED, FULL];
  await checked();
  await checked();
  expect(server.for('ada@example.org')).toMatchObject([{ subject: 'The gateway has 2 problems' }]);
  expect(server.for('ada@example.org')[0]!.text).toContain('* The disk is full.\n  Make room.');
  clock.advance(24 * 3_600_000);
  await checked();
  expect(server.for('ada@example.org')).toHaveLength(2);
});

it('goes to administrators who want mail, and to no one of no problem', async () => {
  await admin({ email: 'ada@example.org' });
  await admin({ email: 'bo@example.org', role: 'operator' });
  await admin({ email: 'cy@example.org' }, false);
  await admin({ email: 'di@example.org', disabled: true });
  problems = [];
  await checked();
  expect(server.accepted).toEqual([]);
  problems = [EXPIRED];
  mails.start();
  clock.advance(5 * 60_000);
  for (let round = 0; round < 20; round += 1) await store.organizations.find(own.uuid);
  await mail.outbox.idle();
  expect(server.accepted.map(({ to }) => to)).toEqual(['ada@example.org']);
});
