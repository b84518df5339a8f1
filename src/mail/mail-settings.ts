/** The gateway's sender: the mail server that takes its mail, in the plain form that threads exchange. */

/** `none` sends in the clear. */
export type MailTls = 'starttls' | 'implicit' | 'none';

export interface MailOAuth {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** null: the client credentials alone (RFC 6749 §4.4). */
  readonly refreshToken: string | null;
  readonly scope: string | null;
}

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: MailTls;
  /** Whether mail may leave this machine in the clear. */
  readonly allowsPlain: boolean;
  /** null: the server asks for no login. */
  readonly user: string | null;
  readonly password: string | null;
  readonly oauth: MailOAuth | null;
  /** The address of the sender. */
  readonly from: string;
  /** How the sender is shown where an organization has no name of its own. */
  readonly name: string;
}
