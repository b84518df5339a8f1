/** Requirements of the mail server across its keys. */

import type { Reject } from './errors.ts';
import type { Config } from './schema.ts';

/** `unread`: keys whose values could not be read. */
export function checkMail(mail: Config['mail'] | undefined, reject: Reject, unread: readonly string[]): void {
  if (mail === undefined || unread.some((key) => key.startsWith('mail.'))) return;
  const { host, from, user, password, oauth } = mail;
  if (host === null) {
    const others = [from, user, password, oauth.tokenUrl];
    if (others.some((value) => value !== null)) reject('mail.host', 'is required to send mail');
    return;
  }
  if (from === null) reject('mail.from', 'is required with mail.host');
  if (oauth.tokenUrl !== null) {
    if (oauth.clientId === null) reject('mail.oauth.clientId', 'is required with mail.oauth.tokenUrl');
    if (oauth.clientSecret === null)
      reject('mail.oauth.clientSecret', 'is required with mail.oauth.tokenUrl');
    if (user === null) reject('mail.user', 'is required with mail.oauth.tokenUrl');
    return;
  }
  if (user !== null && password === null) reject('mail.password', 'is required with mail.user');
  if (user === null && password !== null) reject('mail.user', 'is required with mail.password');
}
