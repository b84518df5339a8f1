/** A mail server without sockets: what it was handed, and what it replies. */

import { type ParsedMail, simpleParser } from 'mailparser';
import { untilAborted } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { MAIL_ERRORS } from './errors.ts';
import type { MailSettings } from './mail-settings.ts';
import type { SmtpMail } from './smtp-client.ts';
import { smtpError } from './smtp-error.ts';

export const FAKE_MAIL_SETTINGS: MailSettings = {
  host: 'mail.example.com',
  port: 587,
  tls: 'starttls',
  allowsPlain: false,
  user: null,
  password: null,
  oauth: null,
  from: 'alarms@example.com',
  name: 'Sluice',
};

export class FakeMailServer {
  readonly accepted: { readonly to: string; readonly mail: ParsedMail; readonly source: string }[] = [];
  attempts = 0;
  /** What it replies to a mail, such as `550 No such mailbox`; null: it accepts; `gone`: it is not there. */
  reply: (to: string) => string | null | Promise<string | null> = () => null;

  readonly deliver = async ({ to, message }: SmtpMail, signal: AbortSignal): Promise<string> => {
    this.attempts += 1;
    const reply = await untilAborted(Promise.resolve(this.reply(to)), signal);
    if (reply === 'gone') throw new GatewayError(MAIL_ERRORS.MAIL_CONNECTION_FAILED);
    if (reply !== null) {
      const responseCode = Number.parseInt(reply, 10);
      throw smtpError(Object.assign(new Error(reply), { response: reply, responseCode, command: 'RCPT TO' }));
    }
    this.accepted.push({ to, mail: await simpleParser(message), source: message.toString() });
    return `250 2.0.0 queued as ${this.accepted.length}`;
  };

  /** What came for an address, in order. */
  for(address: string): ParsedMail[] {
    return this.accepted.filter(({ to }) => to === address).map(({ mail }) => mail);
  }
}
