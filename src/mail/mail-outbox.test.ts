/** What is queued, how often it is tried, and how much there can be of it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import type { Organization } from '../store/entities.ts';
import { resourceKind } from '../store/resource.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { FAKE_MAIL_SETTINGS, FakeMailServer } from './fake-mail-server.ts';
import { createMailServices, type MailServices } from './mail-services.ts';

const BASES = { links: ['https://media.example/'], invitations: 'https://api.example/console/#invite=' };
const URL_OF_SHARE = 'https://media.example/live/a-share-token';
const MINUTE_MS = 60_000;

let store: Store;
let clock: FakeClock;
let server: FakeMailServer;
let mail: MailServices;
let own: Organization;
let other: Organization;

async function start(): Promise<void> {
  mail = createMailServices({
    store,
    clock,
    log: silentLog,
    settings: FAKE_MAIL_SETTINGS,
    allowPrivateNetworks: false,
    deliver: server.deliver,
    linkKey: Buffer.alloc(32, 7),
    publicApiUrl: 'https://api.example',
    random: () => 1,
  });
  await mail.resume();
}

beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  server = new FakeMailServer();
  own = sampleOrganization();
  other = sampleOrganization();
  for (const organization of [own, other]) await store.organizations.save(organization);
  await start();
});
afterEach(async () => {
  await mail.close();
  await store.close();
});

const send = (to: string, { uuid }: Organization = own, url = URL_OF_SHARE) =>
  mail.linkMails.send(uuid, { to, url, name: 'Gate', from: 'Ada', language: 'en' }, BASES);
const logOf = async ({ uuid }: Organization) =>
  (await mail.outbox.page(uuid, { after: null, limit: 10_000 })).items.map(({ body }) => body);

async function later(ms: number): Promise<void> {
  clock.advance(ms);
  for (let round = 0; round < 20; round += 1) await store.organizations.find(own.uuid);
  await mail.outbox.idle();
}

describe('a link by mail', () => {
  it('has the link, the name, and who sends it; the log does not have the link', async () => {
    await send('bo@example.org');
    await later(0);
    const [sent] = server.for('bo@example.org');
    expect(sent!.subject).toBe('Video: Gate');
    expect(sent!.text).toContain(`Ada sends you a link to Gate.\n\nWatch:\n${URL_OF_SHARE}`);
    expect(JSON.stringify(await logOf(own))).not.toContain('a-share-token');
    await send('cy@example.org', own, `${BASES.invitations}sli_token`);
    await later(0);
    expect(server.for('cy@example.org')).toMatchObject([{ subject: 'Ada invites you to the console' }]);
  });

  it.each([
    ['https://evil.example/live/x'],
    ['https://media.example.evil.example/'],
    ['javascript:alert(1)'],
    ['https://api.example/console/'],
  ])('is one of this gateway, and not %s', async (url) => {
    await expect(send('bo@example.org', own, url)).rejects.toMatchObject({ code: 'MAIL_LINK_UNKNOWN' });
  });

  it.each(['bo', 'bo@a, eve@b', 'bo@example.org\r\nRCPT TO:<eve@b>', '<bo@example.org>'])(
    'goes to one address, and not to %j',
    async (to) => {
      await expect(send(to)).rejects.toMatchObject({ code: 'MAIL_ADDRESS_INVALID' });
    },
  );

  it('is one of few, and another organization’s are not fewer', async () => {
    for (let index = 0; index < 50; index += 1) await send(`to-${index}@example.org`);
    await expect(send('one-more@example.org')).rejects.toMatchObject({
      code: 'LINK_MAILS_LIMITED',
      context: { retryAfterSec: 60 },
    });
    await send('bo@example.org', other);
    await later(0);
    expect(server.for('bo@example.org')).toHaveLength(1);
  });
});

describe('the queue', () => {
  it('tries a greylisted mail again, with the same ID and growing pauses, and logs the server’s words', async () => {
    server.reply = () => '451 4.7.1 Greylisted, come back in 5 minutes';
    await send('bo@example.org');
    await later(0);
    const [waiting] = await logOf(own);
    expect(waiting).toMatchObject({
      state: 'PENDING',
      attempts: [{ smtpStatus: 451, reply: '451 4.7.1 Greylisted, come back in 5 minutes' }],
    });
    expect(waiting!.nextAttemptAtMs! - clock.epochMs()).toBe(30_000);
    await later(MINUTE_MS);
    server.reply = () => null;
    await later(4 * MINUTE_MS);
    expect(await logOf(own)).toMatchObject([
      { state: 'DELIVERED', attempts: [{}, {}, { smtpStatus: 250, reply: '250 2.0.0 queued as 1' }] },
    ]);
  });

  it('goes on after a restart, and keeps no content of what is done', async () => {
    server.reply = () => 'gone';
    await send('bo@example.org');
    await later(0);
    await mail.close();
    server.reply = () => null;
    await start();
    await later(MINUTE_MS);
    expect(server.for('bo@example.org')).toHaveLength(1);
    const [row] = await store.resources.of(resourceKind<object>('mail')).list(own.uuid);
    expect(row!.secret).toBeNull();
  });

  it('is bounded per organization; what is beyond it is logged, and the other’s mail goes out', async () => {
    server.reply = (to) => (to.startsWith('own') ? new Promise(() => undefined) : null);
    const fill = Array.from({ length: LIMITS.openMails.perOrganization + 2 }, (_, index) =>
      mail.outbox.add({
        orgUuid: own.uuid,
        topic: 'LINK',
        forUuid: null,
        to: `own-${index}@example.org`,
        request: {
          writer: 'link',
          to: `own-${index}@example.org`,
          url: URL_OF_SHARE,
          name: 'Gate',
          from: 'Ada',
          language: 'en',
          isInvitation: false,
        },
      }),
    );
    await Promise.all(fill);
    const full = (await logOf(own)).filter(({ state }) => state === 'FAILED');
    expect(full.map(({ attempts }) => attempts[0]!.errorCode)).toEqual([
      'MAIL_QUEUE_FULL',
      'MAIL_QUEUE_FULL',
    ]);
    await send('bo@example.org', other);
    await eventually('the other’s mail', () => server.for('bo@example.org').length === 1);
    expect(server.attempts).toBe(LIMITS.mailCalls.levels.organization.max + 1);
  });

  it('waits if many addresses are refused, and another organization’s does not', async () => {
    server.reply = (to) => (to.startsWith('no-') ? '550 5.1.1 No such mailbox' : null);
    for (let index = 0; index < 20; index += 1) await send(`no-${index}@example.org`);
    await later(0);
    await send('bo@example.org');
    await send('cy@example.org', other);
    await later(0);
    expect([server.for('bo@example.org').length, server.for('cy@example.org').length]).toEqual([0, 1]);
    expect((await logOf(own)).find(({ to }) => to === 'bo@example.org')).toMatchObject({
      state: 'PENDING',
      attempts: [{ errorCode: 'MAIL_REFUSALS_LIMITED' }],
    });
    await later(3 * MINUTE_MS);
    expect(server.for('bo@example.org')).toHaveLength(1);
  });

  it('keeps the newest of the log, and the newest refused addresses', async () => {
    const rows = LIMITS.refusedMailAddresses.perOrganization;
    for (let index = 0; index < rows + 3; index += 1) {
      clock.advance(1);
      await mail.refusals.mark(own.uuid, `no-${index}@example.org`, '550 No');
    }
    const marked = await mail.refusals.list(own.uuid);
    expect(marked).toHaveLength(rows);
    expect(marked[0]!.body.address).toBe('no-3@example.org');
    expect(await mail.refusals.list(other.uuid)).toEqual([]);
  });
});
