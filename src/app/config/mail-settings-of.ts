/** The configured mail server, in the plain form that threads exchange. */

import type { MailSettings } from '../../mail/mail-settings.ts';
import type { Config } from './schema.ts';

/** null: no mail is sent. */
export function mailSettingsOf({ mail }: Pick<Config, 'mail'>): MailSettings | null {
  const { host, port, tls, allowPlain, from, name, user, password, oauth } = mail;
  if (host === null || from === null) return null;
  const { tokenUrl, clientId, clientSecret, refreshToken, scope } = oauth;
  const isOAuth = tokenUrl !== null && clientId !== null && clientSecret !== null;
  return {
    host,
    port,
    tls,
    allowsPlain: allowPlain,
    from,
    name,
    user,
    password: password?.reveal() ?? null,
    oauth: isOAuth
      ? {
          tokenUrl,
          clientId,
          clientSecret: clientSecret.reveal(),
          refreshToken: refreshToken?.reveal() ?? null,
          scope,
        }
      : null,
  };
}
