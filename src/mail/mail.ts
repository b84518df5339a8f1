/** A mail in the log, and what it is to contain. */

import type { LoggedAttempt, QueuedBody } from '../deliveries/delivery.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { MailAddress, MailHead } from './mail-message.ts';
import type { MailContent } from './mail-page.ts';

/** What mails are about. */
export const MAIL_TOPICS = [
  'TEST',
  'ALERTS',
  'HEALTH',
  'SYSTEM',
  'ALARM',
  'INVITATION',
  'LINK',
  'EMERGENCY',
] as const;
export type MailTopic = (typeof MAIL_TOPICS)[number];

export interface MailAttempt extends LoggedAttempt {
  /** null: the server said nothing. */
  readonly smtpStatus: number | null;
  /** Its words, on one line; empty: none. */
  readonly reply: string;
}

/** The parent is the person or the receiver who gets it; null: someone else. */
export interface MailBody extends QueuedBody<MailAttempt> {
  readonly topic: MailTopic;
  /** Empty until it is first sent. */
  readonly to: string;
  readonly subject: string;
}

export const MAILS: ResourceKind<MailBody> = resourceKind('mail');
export type Mail = Resource<MailBody>;

/** What to send: stored encrypted with the mail until it is finished, and turned into words at each attempt. */
export interface MailRequest {
  /** Which writer knows it. */
  readonly writer: string;
}

/** A mail as it is at this moment. */
export interface WrittenMail extends Pick<MailHead, 'threadUuid' | 'unsubscribeUrl' | 'extra'> {
  readonly to: MailAddress;
  readonly content: MailContent;
}

/** null: there is nothing to say any more, or no one to say it to. Rejects like the store. */
export type MailWriter<Request extends MailRequest = MailRequest> = (
  mail: Mail,
  request: Request,
) => Promise<WrittenMail | null>;
