/** Mails as programs and people read them. */

import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import { type MailHead, mailMessage } from './mail-message.ts';
import { type MailPage, mailContent } from './mail-page.ts';

const messageUuid = newRuuid();
const head = (fields: Partial<MailHead> = {}): MailHead => ({
  from: { name: 'Sluice', address: 'alarms@example.com' },
  to: { name: 'Ada', address: 'ada@example.org' },
  replyTo: null,
  dateMs: Date.UTC(2026, 10, 30, 21, 30),
  messageUuid,
  ...fields,
});
const page = (fields: Partial<MailPage> = {}): MailPage => ({
  language: 'en',
  subject: 'Person at the gate',
  opening: ['One alert.'],
  rows: [{ title: 'Gate', lines: ['Person'] }],
  notes: ['You get this because you asked for it.'],
  ...fields,
});
const parsed = async (given: Partial<MailHead>, content: Partial<MailPage>) =>
  simpleParser(await mailMessage(head(given), mailContent(page(content))));

it('has what programs that sort mail look for', async () => {
  const threadUuid = newRuuid();
  const mail = await parsed(
    { threadUuid, unsubscribeUrl: 'https://cams.example/mail/unsubscribe?token=a.b' },
    {},
  );
  expect(mail.messageId).toBe(`<${messageUuid}@example.com>`);
  expect(mail.date).toEqual(new Date(Date.UTC(2026, 10, 30, 21, 30)));
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail.references).toEqual(`<${threadUuid}@example.com>`);
  expect(mail.inReplyTo).toBe(`<${threadUuid}@example.com>`);
  const lines = mail.headerLines.map(({ line }) => line);
  expect(lines).toContain('List-Unsubscribe: <https://cams.example/mail/unsubscribe?token=a.b>');
  expect(lines).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
});

it('has the same words as text and as HTML, and loads nothing', async () => {
  const jpeg = Buffer.from('ffd8ffd9', 'hex');
  const mail = await parsed(
    {},
    {
      rows: [{ title: 'Gate <1>', lines: ['"Person" & dog'], picture: { cid: 'p1@s', jpeg, alt: 'Gate' } }],
      button: { title: 'Show', url: 'https://cams.example/mail/alert?t=1&u=2' },
    },
  );
  expect(mail.text).toContain('* Gate <1>\n  "Person" & dog');
  expect(mail.text).toContain('https://cams.example/mail/alert?t=1&u=2');
  expect(mail.html).toContain('Gate &lt;1&gt;');
  expect(mail.html).toContain('&quot;Person&quot; &amp; dog');
  expect(mail.attachments).toMatchObject([{ contentType: 'image/jpeg', content: jpeg, related: true }]);
  expect(String(mail.html)).toContain('<meta name="color-scheme" content="light dark">');
  expect(String(mail.html).match(/(?:src|background)="(?!data:|cid:)/g)).toBeNull();
});

it('lets no name add a header, an address, or an element, whatever it is', async () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      'Gate\r\nBcc: eve@example.com',
      'Gate\nSubject: other',
      'a" <eve@example.com>, "b',
      '</title><script>alert(1)</script>',
      '=?utf-8?q?Bcc:=20eve?=',
      '\u202egate',
      'x\u2028Bcc: eve@example.com',
      '\ud800',
    ),
  );
  await fc.assert(
    fc.asyncProperty(names, names, async (name, other) => {
      const source = await mailMessage(
        head({
          from: { name, address: 'alarms@example.com' },
          to: { name: other, address: 'ada@example.org' },
        }),
        mailContent(
          page({ subject: `Alert ${name}`, opening: [other], rows: [{ title: name, lines: [other] }] }),
        ),
      );
      const mail = await simpleParser(source);
      expect(mail.headers.has('bcc')).toBe(false);
      expect(mail.headerLines.filter(({ key }) => key === 'subject')).toHaveLength(1);
      const to = [mail.to].flat().flatMap((each) => each!.value.map(({ address }) => address));
      expect(to).toEqual(['ada@example.org']);
      expect(mail.from!.value.map(({ address }) => address)).toEqual(['alarms@example.com']);
      expect(String(mail.html)).not.toMatch(/<script/i);
    }),
    randomRuns(200),
  );
});
