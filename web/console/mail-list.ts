/** The organization's mail: how it appears, a test of the server, and the log. */

import { LANGUAGE } from '../words/choices.ts';
import { type Answer, call } from './api.ts';
import { deliveryFault } from './delivery-words.ts';
import { readEveryPage } from './every-page.ts';
import { place } from './places.ts';
import { t } from './words.ts';

export type MailSettings = Answer<'console/getMailSettings'>['mailSettings'];
export type Mail = Answer<'console/getMails'>['mails'][number];
export type MailTestResult = Answer<'console/sendTestMail'>;

/** Where the mail server is set up. */
export const MAIL_SETTINGS_PLACE = place('settings?text=mail.');

const MAIL_PAGE = 100;
/** The newest 500 are enough to see what happens; the gateway has 2,000. */
const MAX_MAIL_PAGES = 5;

export const MAIL_TOPICS: Readonly<Record<Mail['topic'], string>> = {
  TEST: t('Test'),
  ALERTS: t('Alerts'),
  HEALTH: t('Connection of cameras'),
  SYSTEM: t('State of the gateway'),
  ALARM: t('Alarm center'),
  INVITATION: t('Invitation'),
  LINK: t('Link'),
  EMERGENCY: t('Emergency'),
};

/** Fails with a CallError. */
export async function readMailSettings(signal: AbortSignal): Promise<MailSettings> {
  return (await call('console/getMailSettings', {}, signal)).mailSettings;
}

/** Empty texts remove. Fails with a CallError. */
export async function saveMailSettings(senderName: string, replyTo: string): Promise<void> {
  await call('console/updateMailSettings', { senderName, replyTo });
}

/** The newest first. Fails with a CallError. */
export function readMails(signal: AbortSignal): Promise<readonly Mail[]> {
  return readEveryPage(MAIL_PAGE, MAX_MAIL_PAGES, async (page) => {
    const { mails, lastEvaluatedKey } = await call('console/getMails', page, signal);
    return { items: mails, lastEvaluatedKey };
  });
}

/** A mail that the server refuses is a result. Fails with a CallError. */
export function sendTestMail(to: string): Promise<MailTestResult> {
  return call('console/sendTestMail', { to, language: LANGUAGE });
}

/** Fails with a CallError. */
export async function sendLinkMail(to: string, url: string, name: string): Promise<void> {
  await call('console/sendLinkMail', { to, url, name, language: LANGUAGE });
}

/** What the mail server said, or why nothing came of it. */
export function attemptWords({ reply, errorCode }: Mail['attempts'][number]): string {
  if (reply !== '') return reply;
  return errorCode === undefined ? '' : deliveryFault(errorCode);
}

/** How the last attempt ended; empty: there was none. */
export function lastWords({ attempts }: Mail): string {
  const last = attempts.at(-1);
  return last === undefined ? '' : attemptWords(last);
}
