/** What a failure of the mail library means: whether another attempt may succeed, and who is to blame. */

import { type ErrorDefinition, GatewayError } from '../core/errors.ts';
import { MAIL_ERRORS } from './errors.ts';

/** Characters of a server's reply that are stored. */
export const MAX_REPLY_CHARS = 300;

/** As the library gives them. */
interface LibraryError extends Error {
  readonly code?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
}

/** Context: `status` and `reply` of the server, if it said anything. */
export function smtpError(thrown: LibraryError): GatewayError {
  // A token that could not be had.
  if (thrown instanceof GatewayError) return thrown;
  const { response, responseCode: status } = thrown;
  if (response !== undefined && status !== undefined) {
    return new GatewayError(definitionOf(thrown, status), { status, reply: plainReply(response) }, thrown);
  }
  return new GatewayError(silentDefinition(thrown), { reason: thrown.code ?? 'unknown' }, thrown);
}

/** On one line, without control characters. */
export function plainReply(response: string): string {
  return [...response.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()].slice(0, MAX_REPLY_CHARS).join('');
}

function definitionOf({ code, command = '' }: LibraryError, status: number): ErrorDefinition {
  const isLogin = code === 'EAUTH' || code === 'EOAUTH2' || command.startsWith('AUTH');
  if (status >= 400 && status < 500) return MAIL_ERRORS.MAIL_POSTPONED;
  if (status < 500 || status > 599) return MAIL_ERRORS.MAIL_PROTOCOL;
  if (isLogin || status === 530) return MAIL_ERRORS.MAIL_LOGIN_REFUSED;
  if (code === 'ETLS' || command === 'STARTTLS') return MAIL_ERRORS.MAIL_TLS_FAILED;
  if (command === 'MAIL FROM') return MAIL_ERRORS.MAIL_SENDER_REFUSED;
  if (command === 'RCPT TO') return MAIL_ERRORS.MAIL_RECIPIENT_REFUSED;
  return MAIL_ERRORS.MAIL_REFUSED;
}

/** The server said nothing that ends it. */
function silentDefinition({ code, command = '', message }: LibraryError): ErrorDefinition {
  switch (code) {
    case 'ETLS':
      return MAIL_ERRORS.MAIL_TLS_FAILED;
    case 'EAUTH':
    case 'EOAUTH2':
    case 'ENOAUTH':
      return MAIL_ERRORS.MAIL_LOGIN_REFUSED;
    case 'ETIMEDOUT':
      return MAIL_ERRORS.MAIL_TIMED_OUT;
    case 'EPROTOCOL':
      return MAIL_ERRORS.MAIL_PROTOCOL;
    case 'EENVELOPE':
      return MAIL_ERRORS.MAIL_RECIPIENT_REFUSED;
    case 'EMESSAGE':
      return MAIL_ERRORS.MAIL_REFUSED;
    default:
      return command === 'STARTTLS' || /certificate|tls|ssl/i.test(message)
        ? MAIL_ERRORS.MAIL_TLS_FAILED
        : MAIL_ERRORS.MAIL_CONNECTION_FAILED;
  }
}
