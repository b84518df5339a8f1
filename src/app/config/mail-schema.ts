/** Keys of the mail server. */

import { group, optional, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

const MAX_PORT = 65_535;

export const MAIL = group(
  'The mail server that takes the gateway’s mail: alerts, health, invitations, links. People choose what they get.',
  {
    host: optional(types.text, 'no mail is sent', 'Name or address of the server.', 'smtp.example.com'),
    port: setting(types.integer(1, MAX_PORT), '587', 'Its port; with tls: implicit mostly 465.'),
    tls: setting(
      types.choice('starttls', 'implicit', 'none'),
      'starttls',
      'How the connection is encrypted: starttls requires the server to switch to TLS, implicit begins with it, none sends in the clear, which is for a server on this machine.',
    ),
    allowPlain: setting(
      types.flag,
      'false',
      'Whether tls: none may send mail and password in the clear to another machine.',
    ),
    from: optional(types.email, 'required with host', 'The sender’s address.', 'alarms@example.com'),
    name: setting(types.text, 'Sluice', 'The sender’s name, where an organization has none of its own.'),
    user: optional(types.text, 'no login', 'The user at the server.', 'alarms@example.com'),
    password: optional(types.secretText, 'with user, unless oauth is set', 'The password.', 'a-password'),
    oauth: group('A login with OAuth 2.0 in place of a password, as Google and Microsoft require.', {
      tokenUrl: optional(
        types.secureUrl,
        'a password',
        'Where access tokens come from.',
        'https://oauth2.googleapis.com/token',
      ),
      clientId: optional(types.text, 'required with tokenUrl', 'The client ID.', 'sluice'),
      clientSecret: optional(
        types.secretText,
        'required with tokenUrl',
        'The client secret.',
        'a-client-secret',
      ),
      refreshToken: optional(
        types.longSecret,
        'client credentials',
        'The refresh token. Without one, the client’s own credentials are used.',
        'a-refresh-token',
      ),
      scope: optional(types.text, 'none', 'What to ask for.', 'https://outlook.office365.com/.default'),
    }),
  },
);
