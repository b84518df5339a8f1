/** Mail as administrators see it: their organization's name, a test, the log. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { samplePerson } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const TEST = '/api/console/sendTestMail';
const MAILS = '/api/console/getMails';

let fixture: ApiFixture;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
  await fixture.store.people.save(
    samplePerson(fixture.own.organization.uuid, { name: 'Ada', email: 'ada@example.org' }),
  );
});
afterEach(() => fixture.close());

it('tests the mail server with one mail, and says what the server said', async () => {
  const tested = await fixture.call(TEST, { to: 'ADA@example.org', language: 'de' });
  expect(tested).toMatchObject({ delivered: true, smtpStatus: 250, reply: '250 2.0.0 queued as 1' });
  expect(fixture.mailServer.for('ada@example.org')).toMatchObject([{ subject: 'Test des Mailservers' }]);
  fixture.clock.advance(1);
  fixture.mailServer.reply = () => '550 5.1.1 No such mailbox';
  expect(await fixture.call(TEST, { to: 'ada@example.org' })).toMatchObject({
    delivered: false,
    smtpStatus: 550,
    reply: '550 5.1.1 No such mailbox',
    errorCode: 'MAIL_RECIPIENT_REFUSED',
    errorSentence: 'The mail server refused the address.',
  });
  expect(await fixture.call(MAILS)).toMatchObject({
    mails: [
      { topic: 'TEST', to: 'ada@example.org', state: 'FAILED', attempts: [{ smtpStatus: 550 }] },
      { topic: 'TEST', subject: 'Test des Mailservers', state: 'DELIVERED' },
    ],
  });
  expect((await fixture.call(MAILS, {}, foreignHeaders)).mails).toEqual([]);
});

it('sends tests to no stranger, and to no one of another organization', async () => {
  for (const headers of [{}, foreignHeaders]) {
    const to = headers === foreignHeaders ? 'ada@example.org' : 'eve@example.org';
    const refused = await fixture.post(TEST, { to }, headers);
    expect(refused.json().errorMsg).toContain('to must be the email address of a person');
  }
  expect(fixture.mailServer.attempts).toBe(0);
});

it('shows the organization’s own name and reply address, and no one else’s', async () => {
  await fixture.call('/api/console/updateMailSettings', {
    senderName: 'Harbor\r\nBcc: eve@example.com',
    replyTo: 'desk@harbor.example',
  });
  expect((await fixture.call('/api/console/getMailSettings')).mailSettings).toEqual({
    isSetUp: true,
    senderAddress: 'alarms@example.com',
    senderName: 'Harbor Bcc: eve@example.com',
    replyTo: 'desk@harbor.example',
  });
  await fixture.call(TEST, { to: 'ada@example.org' });
  const [mail] = fixture.mailServer.for('ada@example.org');
  expect(mail!.from!.value).toEqual([{ name: 'Harbor Bcc: eve@example.com', address: 'alarms@example.com' }]);
  expect(mail!.replyTo!.value).toMatchObject([{ address: 'desk@harbor.example' }]);
  const foreign = await fixture.call('/api/console/getMailSettings', {}, foreignHeaders);
  expect(foreign.mailSettings).not.toHaveProperty('replyTo');
  const refused = await fixture.post('/api/console/updateMailSettings', { replyTo: 'a@b.c, d@e.f' });
  expect(refused.json().errorMsg).toContain('replyTo must be an email address');
  await fixture.call('/api/console/updateMailSettings', { replyTo: '', senderName: '' });
  const cleared = await fixture.call('/api/console/getMailSettings');
  expect(cleared.mailSettings).not.toHaveProperty('senderName');
});
