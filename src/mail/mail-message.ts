/** A mail as bytes: header and MIME parts (RFC 5322, RFC 2045), by the library. */

import type { Ruuid } from '../core/ruuid.ts';
import { MAX_EMAIL_CHARS } from './mail-address.ts';
import type { MailContent } from './mail-page.ts';
import { oneLine } from './plain-text.ts';

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

export interface MailHead {
  readonly from: MailAddress;
  readonly to: MailAddress;
  /** null: the sender's. */
  readonly replyTo: string | null;
  readonly dateMs: number;
  /** The same for each attempt, so that a mail that came twice counts once. */
  readonly messageUuid: Ruuid;
  /** The first mail of the thread; null: this is the first. */
  readonly threadUuid?: Ruuid | null;
  /** Where one click ends mails like this (RFC 8058); null: nothing does. */
  readonly unsubscribeUrl?: string | null;
  /** Further headers, by name. */
  readonly extra?: Readonly<Record<string, string>>;
}

export async function mailMessage(head: MailHead, content: MailContent): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const {
    from,
    to,
    replyTo,
    dateMs,
    messageUuid,
    threadUuid = null,
    unsubscribeUrl = null,
    extra = {},
  } = head;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const idOf = (uuid: Ruuid): string => `<${uuid}@${domain}>`;
  const composer = new MailComposer({
    from: plainAddress(from),
    to: plainAddress(to),
    ...(replyTo === null ? {} : { replyTo: oneLine(replyTo, MAX_EMAIL_CHARS) }),
    subject: content.subject,
    date: new Date(dateMs),
    messageId: idOf(messageUuid),
    ...(threadUuid === null ? {} : { inReplyTo: idOf(threadUuid), references: [idOf(threadUuid)] }),
    headers: {
      // RFC 3834: answers of absent people go nowhere.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribeUrl === null
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, foldLines: false, value: `<${unsubscribeUrl}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
      ...Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, oneLine(value)])),
    },
    text: content.text,
    ...(content.html === null ? {} : { html: content.html }),
    attachments: [
      ...content.pictures.map(({ cid, jpeg }, index) => ({
        ...jpegPart(jpeg, index),
        cid,
        contentDisposition: 'inline',
      })),
      ...(content.attached ?? []).map(({ jpeg }, index) => jpegPart(jpeg, index)),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function plainAddress({ name, address }: MailAddress): MailAddress {
  return { name: oneLine(name), address: oneLine(address, MAX_EMAIL_CHARS) };
}

function jpegPart(content: Buffer, index: number) {
  return { content, contentType: 'image/jpeg', filename: `picture-${index + 1}.jpg` };
}
