/** Where links in mails lead. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotificationSettingsService } from '../../accounts/notification-settings.ts';
import { MailLinks } from '../../mail/mail-links.ts';
import type { Person } from '../../store/person.ts';
import { samplePerson } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
let links: MailLinks;
let ada: Person;
let settings: NotificationSettingsService;
beforeEach(async () => {
  fixture = await openApiFixture();
  const { store, clock, own } = fixture;
  links = new MailLinks({ key: Buffer.alloc(32, 7), publicApiUrl: 'http://api.example', clock });
  ada = samplePerson(own.organization.uuid, { name: 'Ada', email: 'ada@example.org' });
  await store.people.save(ada);
  settings = new NotificationSettingsService({ store, clock });
  await settings.update(ada.orgUuid, ada.uuid, { summaryEmailEnabled: true, language: 'de' });
});
afterEach(() => fixture.close());

const pathOf = (url: string) => url.slice('http://api.example'.length);
const isOn = async () => (await settings.find(ada.orgUuid, ada.uuid)).summaryEmailEnabled;

it('an alert leads to the console, for a week', async () => {
  const url = pathOf(links.alertUrl('an-alert'));
  const { statusCode, headers } = await fixture.api.inject(url);
  expect([statusCode, headers.location]).toEqual([302, 'http://api.example/console/alerts?alert=an-alert']);
  fixture.clock.advance(7 * 24 * 3_600_000);
  const expired = await fixture.api.inject(url);
  expect([expired.statusCode, expired.headers.location]).toEqual([410, undefined]);
});

it('mails end by a button, not by opening the link, and by the button of mail programs', async () => {
  const url = pathOf(links.unsubscribeUrl(ada.orgUuid, ada.uuid));
  const page = await fixture.api.inject(url);
  expect(page.body).toContain('<form method="post"><button>Keine E-Mails mehr bekommen</button></form>');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(await isOn()).toBe(true);
  const oneClick = {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  } as const;
  expect((await fixture.api.inject(oneClick)).statusCode).toBe(200);
  expect(await isOn()).toBe(false);
  await fixture.audit.settled();
  const { auditEvents } = await fixture.call('/api/report/getAuditFeed', {});
  expect(JSON.stringify(auditEvents)).toContain('NOTIFICATION_SETTINGS_UPDATE');
});

it.each(['', 'x'.repeat(200), 'A'.repeat(5_000)])('a token that is not ours opens nothing', async (token) => {
  for (const path of ['/mail/alert', '/mail/unsubscribe']) {
    expect((await fixture.api.inject(`${path}?token=${token}`)).statusCode).toBe(410);
  }
  // One of an alert ends no mails.
  const url = pathOf(links.alertUrl('a')).replace('/mail/alert', '/mail/unsubscribe');
  expect((await fixture.api.inject({ method: 'POST', url, payload: '' })).statusCode).toBe(410);
  expect(await isOn()).toBe(true);
});
