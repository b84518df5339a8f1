/** Error codes of mail: the reasons in its log. */

import { defineErrors } from '../core/errors.ts';

export const MAIL_ERRORS = defineErrors({
  MAIL_NOT_SET_UP: {
    kind: 'conflict',
    message: 'The gateway has no mail server: set mail.host and mail.from.',
  },
  MAIL_TEST_ADDRESS_UNKNOWN: {
    kind: 'invalid-input',
    message: 'A test mail goes only to a person of the organization.',
  },
  MAIL_LINK_UNKNOWN: { kind: 'invalid-input', message: 'Only links of this gateway are sent.' },
  LINK_MAILS_LIMITED: { kind: 'rate-limited', message: 'The organization sends too many links by mail.' },
  ALARM_RECEIVER_NOT_FOUND: { kind: 'not-found', message: 'There is no alarm center with this UUID.' },
  ALARM_INPUT_UNKNOWN: {
    kind: 'invalid-input',
    message: 'Inputs and locations of an alarm center must be those of the organization.',
  },
  ALARM_RECEIVER_UNREACHED: {
    kind: 'invalid-input',
    message:
      'No camera sends alarms there. Give the alarm center an address, or give one to a camera of its locations.',
  },
  TOO_MANY_ALARM_RECEIVERS: {
    kind: 'limit',
    message: 'The organization already has the maximum number of alarm centers.',
  },
  MAIL_REFUSALS_LIMITED: {
    kind: 'rate-limited',
    message: 'The mail server refused too many addresses of the organization, so its mails wait.',
  },
  MAIL_QUEUE_FULL: { kind: 'limit', message: 'Too many mails of the organization are waiting.' },
  MAIL_ADDRESS_MARKED: {
    kind: 'conflict',
    message: 'A mail server refused this address before, so nothing is sent to it.',
  },
  MAIL_HOST_UNKNOWN: { kind: 'unavailable', message: 'The name of the mail server could not be resolved.' },
  MAIL_CONNECTION_FAILED: { kind: 'unavailable', message: 'The connection to the mail server failed.' },
  MAIL_TLS_FAILED: {
    kind: 'unavailable',
    message: 'The connection to the mail server could not be encrypted, or its certificate proves nothing.',
  },
  MAIL_PLAIN_REFUSED: {
    kind: 'not-allowed',
    message: 'Mail leaves this machine only encrypted, unless mail.allowPlain is true.',
  },
  MAIL_LOGIN_REFUSED: { kind: 'peer-refused', message: 'The mail server refused the login.' },
  MAIL_TOKEN_REFUSED: {
    kind: 'peer-refused',
    message: 'The authorization server issued no token for the mail server.',
  },
  MAIL_ADDRESS_INVALID: { kind: 'invalid-input', message: 'No mail can go to this address.' },
  MAIL_SENDER_REFUSED: {
    kind: 'peer-refused',
    message: 'The mail server refused the address of the sender.',
  },
  MAIL_RECIPIENT_REFUSED: { kind: 'peer-refused', message: 'The mail server refused the address.' },
  MAIL_REFUSED: { kind: 'peer-refused', message: 'The mail server refused the mail.' },
  MAIL_POSTPONED: { kind: 'unavailable', message: 'The mail server asked to try again later.' },
  MAIL_PROTOCOL: { kind: 'peer-protocol', message: 'The mail server broke the protocol.' },
  MAIL_TIMED_OUT: { kind: 'timeout', message: 'The mail server did not respond in time.' },
});
