/** Why a mail or a call did not get through, in words. Codes that are not here have none to show. */

import { t } from './words.ts';

export const DELIVERY_FAULTS: Readonly<Record<string, string>> = {
  MAIL_NOT_SET_UP: t('The gateway has no mail server yet'),
  MAIL_QUEUE_FULL: t('Too many mails are waiting'),
  MAIL_REFUSALS_LIMITED: t('The mail server refused too many addresses'),
  MAIL_ADDRESS_MARKED: t('A mail server refused this address before'),
  MAIL_ADDRESS_INVALID: t('No mail can go to this address'),
  MAIL_HOST_UNKNOWN: t('The mail server’s name is not known'),
  MAIL_CONNECTION_FAILED: t('The mail server cannot be reached'),
  MAIL_TLS_FAILED: t('The mail server’s certificate was not accepted'),
  MAIL_PLAIN_REFUSED: t('The mail server offers no encryption'),
  MAIL_LOGIN_REFUSED: t('The mail server refused the login'),
  MAIL_TOKEN_REFUSED: t('The mail server’s provider refused the login'),
  MAIL_SENDER_REFUSED: t('The mail server refused the sender’s address'),
  MAIL_RECIPIENT_REFUSED: t('The mail server refused the address'),
  MAIL_REFUSED: t('The mail server refused the mail'),
  MAIL_POSTPONED: t('The mail server wants it later'),
  MAIL_PROTOCOL: t('The mail server’s response made no sense'),
  MAIL_TIMED_OUT: t('The mail server did not respond in time'),
  WEBHOOK_ADDRESS_REFUSED: t('The host is in a private network, which is not allowed'),
  WEBHOOK_HOST_UNKNOWN: t('The host’s name is not known'),
  WEBHOOK_CONNECTION_FAILED: t('The host cannot be reached'),
  WEBHOOK_TIMED_OUT: t('The host did not respond in time'),
  WEBHOOK_ANSWER_TOO_LARGE: t('The host’s response is too large'),
  WEBHOOK_ANSWER_REFUSED: t('The host refused the call'),
  WEBHOOK_REDIRECTED: t('The host redirects, which is not followed'),
  WEBHOOK_TOKEN_REFUSED: t('The provider of the login refused it'),
  WEBHOOK_QUEUE_FULL: t('Too many calls are waiting'),
};

/** Absent: no one knows. */
export function deliveryFault(code: string | undefined): string {
  const known = code !== undefined && Object.hasOwn(DELIVERY_FAULTS, code);
  return known ? DELIVERY_FAULTS[code]! : t('The cause is not known');
}
