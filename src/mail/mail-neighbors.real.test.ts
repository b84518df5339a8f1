/** Mail of two organizations, two gateways, and a restart, read from the mailbox of a real mail server. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestSmtpServer, type TestSmtpServerOptions } from '../../test/support/smtp-server.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { Organization } from '../store/entities.ts';
import { sampleOrganization, samplePerson } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestFile } from '../store/test-store-fixture.ts';
import { createMailServices, type MailServices } from './mail-services.ts';

const BASES = { links: ['https://media.example/'], invitations: 'https://api.example/#' };
let folder: string;
let store: Store;
let server: TestSmtpServer;
let mail: MailServices;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-mail-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

async function open(options: TestSmtpServerOptions = {}): Promise<void> {
  server = await TestSmtpServer.open(options);
  closers.push(() => server.close());
  store = await openTestFile(join(folder, 'sluice.db'), systemClock);
  closers.push(() => store.close());
  mail = gateway();
}

function gateway(): MailServices {
  const made = createMailServices({
    store,
    clock: systemClock,
    log: silentLog,
    settings: {
      host: 'localhost',
      port: server.port,
      tls: 'starttls',
      allowsPlain: false,
      user: null,
      password: null,
      oauth: null,
      from: 'alarms@example.com',
      name: 'Sluice',
    },
    allowPrivateNetworks: false,
    linkKey: Buffer.alloc(32, 7),
    publicApiUrl: 'https://api.example',
    ca: server.certificate.certPem,
    timeoutMs: 2_000,
  });
  closers.push(() => made.close());
  return made;
}

async function organization(): Promise<Organization> {
  const added = sampleOrganization();
  await store.organizations.save(added);
  return added;
}

const send = (from: MailServices, { uuid }: Organization, to: string) =>
  from.linkMails.send(
    uuid,
    { to, url: 'https://media.example/live/x', name: 'Gate', from: 'Ada', language: 'en' },
    BASES,
  );

it('of an organization goes out while another one’s hang with the message', async () => {
  await open({ onMessage: (source) => (source.includes('flood') ? 'hang' : null) });
  const [flooding, quiet] = [await organization(), await organization()];
  for (let index = 0; index < 40; index += 1) await send(mail, flooding, `flood-${index}@example.org`);
  await expect.poll(() => server.connections).toBeGreaterThanOrEqual(4);
  await send(mail, quiet, 'guard@example.org');
  await expect.poll(() => server.for('guard@example.org').length, { timeout: 10_000 }).toBe(1);
  expect(server.mostConnections).toBeLessThanOrEqual(5);
  const { items } = await mail.outbox.page(flooding.uuid, { after: null, limit: 100 });
  expect(items.every(({ body }) => body.state === 'PENDING')).toBe(true);
});

it('goes out after a restart in the middle of it', async () => {
  let isHanging = true;
  await open({ onMessage: () => (isHanging ? 'hang' : null) });
  const own = await organization();
  await send(mail, own, 'guard@example.org');
  await expect.poll(() => server.connections).toBe(1);
  await mail.close();
  isHanging = false;
  const next = gateway();
  await next.resume();
  await expect.poll(() => server.for('guard@example.org').length, { timeout: 10_000 }).toBe(1);
});

it('a test says what the server said, whatever that is', async () => {
  await open({ onRecipient: () => ({ status: 451, text: 'Greylisted' }) });
  const own = await organization();
  await store.people.save(samplePerson(own.uuid, { name: 'Ada', email: 'ada@example.org' }));
  const { error, mail: tried } = await mail.mailTest.run(own.uuid, 'ada@example.org', 'es');
  expect(error?.code).toBe('MAIL_POSTPONED');
  expect(tried.body).toMatchObject({
    subject: 'Prueba del servidor de correo',
    attempts: [{ smtpStatus: 451, reply: '451 Greylisted' }],
  });
});
