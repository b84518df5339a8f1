/**
 * Hands mail to the gateway's mail server (RFC 6409, RFC 3207), over a few connections that are kept for the next mail. The name is resolved
 * once, its addresses are checked, and the connection goes to one of them. A deadline covers a mail from the lookup to the server's last
 * word, so a server that is silent, or sends a byte now and then, holds up no one for longer.
 */

import { isIP, connect as openSocket, type Socket } from 'node:net';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { isLate, untilAborted, withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { parsePeerAddress } from '../core/ip-address.ts';
import { machineNameResolver } from '../names/machine-names.ts';
import { checkedLookup, type FoundAddress } from '../network/checked-lookup.ts';
import { MAIL_ERRORS } from './errors.ts';
import type { MailSettings } from './mail-settings.ts';
import { smtpError } from './smtp-error.ts';

/** One message for one recipient. */
export interface SmtpMail {
  /** The envelope's sender, to which bounces go. */
  readonly from: string;
  readonly to: string;
  /** Header and body, RFC 5322. */
  readonly message: Buffer;
}

export interface SmtpClientOptions {
  readonly settings: MailSettings;
  readonly clock: Clock;
  /** An access token for `settings.oauth`. `isRefused`: the server refused the last one. */
  readonly token: (signal: AbortSignal, isRefused: boolean) => Promise<string>;
  /** Default: the resolver of the machine. */
  readonly resolveHost?: (hostname: string) => Promise<readonly FoundAddress[]>;
  /** Certificates to trust in place of the machine's, PEM. */
  readonly ca?: string | undefined;
  readonly timeoutMs?: number;
}

/** From the lookup to the last word. Shorter than a lease, so that no other gateway takes the mail over while it is being sent. */
export const SEND_TIMEOUT_MS = 20_000;
/** A connection waits so long for the next mail: servers close idle ones, some after 10 s. */
const KEPT_MS = 5_000;
const MAX_KEPT = 4;
/** Longest response that is read: real ones have a few lines. */
const MAX_RESPONSE_BYTES = 16_384;
const RESOLVER = machineNameResolver();

interface KeptConnection {
  readonly connection: SMTPConnection;
  readonly timer: TimerHandle;
}

export class SmtpClient {
  readonly #options: SmtpClientOptions;
  readonly #kept: KeptConnection[] = [];
  readonly #open = new Set<SMTPConnection>();
  #isClosed = false;

  constructor(options: SmtpClientOptions) {
    this.#options = options;
  }

  /** Resolves with the server's last word, which begins with its status. Fails with a code of MAIL_ERRORS. */
  async send(mail: SmtpMail, signal: AbortSignal): Promise<string> {
    const { clock, timeoutMs = SEND_TIMEOUT_MS } = this.#options;
    expectPlain(mail);
    const work = async (ending: AbortSignal): Promise<string> => {
      try {
        return await this.#sendUntil(mail, ending);
      } catch (thrown) {
        throw isLate(ending) ? new GatewayError(MAIL_ERRORS.MAIL_TIMED_OUT) : thrown;
      }
    };
    return withDeadline(clock, timeoutMs, work, signal);
  }

  /** Ends all connections. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#kept.splice(0)) timer.cancel();
    for (const connection of this.#open) connection.close();
  }

  async #sendUntil(mail: SmtpMail, signal: AbortSignal): Promise<string> {
    const kept = this.#takeKept();
    if (kept !== null) {
      try {
        return await this.#sendOver(kept, mail, signal);
      } catch (thrown) {
        // The server has closed it in the meantime: it has not seen the mail.
        if (!isStale(thrown) || signal.aborted) throw thrown;
      }
    }
    return this.#sendOver(await this.#connect(signal), mail, signal);
  }

  async #sendOver(connection: SMTPConnection, mail: SmtpMail, signal: AbortSignal): Promise<string> {
    const { from, to, message } = mail;
    try {
      const reply = await untilAborted(
        new Promise<string>((resolve, reject) => {
          // Without a listener, an error of the connection would end the process.
          connection.once('error', (error) => reject(smtpError(error)));
          connection.send({ from, to: [to], size: message.length }, message, (error, info) =>
            error === null ? resolve(info.response) : reject(smtpError(error)),
          );
        }),
        signal,
      );
      this.#keep(connection);
      return reply;
    } catch (thrown) {
      this.#end(connection);
      throw thrown;
    }
  }

  /** Connected, encrypted, and logged in. */
  async #connect(signal: AbortSignal): Promise<SMTPConnection> {
    const { settings } = this.#options;
    const socket = await this.#socket(signal);
    let connection: SMTPConnection | null = null;
    try {
      connection = await this.#begin(socket);
      if (this.#isClosed) throw new GatewayError(MAIL_ERRORS.MAIL_CONNECTION_FAILED);
      this.#open.add(connection);
      connection.once('end', () => this.#open.delete(connection!));
      await untilAborted(greeted(connection), signal);
      if (settings.user !== null) await this.#logIn(connection, signal);
      return connection;
    } catch (thrown) {
      if (connection !== null) this.#end(connection);
      socket.destroy();
      throw thrown;
    }
  }

  async #begin(socket: Socket): Promise<SMTPConnection> {
    const { settings, ca } = this.#options;
    // Loaded with the first mail: most gateways never send any.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    return new Connection({
      connection: socket,
      host: settings.host,
      port: settings.port,
      secure: settings.tls === 'implicit',
      ignoreTLS: settings.tls === 'none',
      requireTLS: settings.tls === 'starttls',
      tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
      name: domainOf(settings.from),
      logger: false,
      // Our deadline comes first.
      greetingTimeout: 2 * SEND_TIMEOUT_MS,
      connectionTimeout: 2 * SEND_TIMEOUT_MS,
      socketTimeout: 2 * SEND_TIMEOUT_MS,
      socketCloseTimeout: 0,
      maxResponseSize: MAX_RESPONSE_BYTES,
    } as SMTPConnection.Options);
  }

  async #socket(signal: AbortSignal): Promise<Socket> {
    const { host, port } = this.#options.settings;
    const addresses = await untilAborted(this.#addresses(), signal);
    const socket = openSocket({ host, port, lookup: checkedLookup(async () => addresses) });
    const connected = new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (cause) =>
        reject(new GatewayError(MAIL_ERRORS.MAIL_CONNECTION_FAILED, { host, reason: codeOf(cause) }, cause)),
      );
    });
    try {
      await untilAborted(connected, signal);
      return socket;
    } catch (thrown) {
      socket.destroy();
      throw thrown;
    }
  }

  /** Fails MAIL_HOST_UNKNOWN, MAIL_PLAIN_REFUSED. */
  async #addresses(): Promise<readonly FoundAddress[]> {
    const { settings, resolveHost = (name: string) => RESOLVER.addressesOf(name, name) } = this.#options;
    const { host, tls, allowsPlain } = settings;
    const family = isIP(host);
    const unknown = (cause?: unknown) => new GatewayError(MAIL_ERRORS.MAIL_HOST_UNKNOWN, { host }, cause);
    const addresses =
      family === 0
        ? await resolveHost(host).catch((cause: unknown) => {
            throw unknown(cause);
          })
        : [{ address: host, family }];
    if (addresses.length === 0) throw unknown();
    const isHere = addresses.every(({ address }) => parsePeerAddress(address)?.range() === 'loopback');
    if (tls === 'none' && !allowsPlain && !isHere) {
      throw new GatewayError(MAIL_ERRORS.MAIL_PLAIN_REFUSED, { host });
    }
    return addresses;
  }

  /** With a new token if the server refused the kept one. */
  async #logIn(connection: SMTPConnection, signal: AbortSignal): Promise<void> {
    const { settings, token } = this.#options;
    const user = settings.user ?? '';
    if (settings.oauth === null) {
      await untilAborted(loggedIn(connection, { user, pass: settings.password ?? '' }), signal);
      return;
    }
    const { default: XOAuth2 } = await import('nodemailer/lib/xoauth2');
    const oauth2 = new XOAuth2({
      user,
      accessToken: await token(signal, false),
      provisionCallback: (_user, isRefused, done) => {
        token(signal, isRefused).then(
          (fresh) => done(null, fresh),
          (error: Error) => done(error),
        );
      },
    });
    await untilAborted(loggedIn(connection, { user, oauth2 }), signal);
  }

  #takeKept(): SMTPConnection | null {
    const kept = this.#kept.pop();
    kept?.timer.cancel();
    return kept?.connection ?? null;
  }

  #keep(connection: SMTPConnection): void {
    connection.removeAllListeners('error');
    if (this.#isClosed || this.#kept.length >= MAX_KEPT) {
      this.#end(connection);
      return;
    }
    const drop = (): void => {
      const index = this.#kept.findIndex((each) => each.connection === connection);
      if (index >= 0) this.#kept.splice(index, 1)[0]!.timer.cancel();
      this.#end(connection);
    };
    connection.once('error', drop);
    connection.once('end', drop);
    this.#kept.push({ connection, timer: this.#options.clock.after(KEPT_MS, drop) });
  }

  #end(connection: SMTPConnection): void {
    this.#open.delete(connection);
    // What is still on its way fails into nothing.
    connection.on('error', () => undefined);
    connection.close();
  }
}

function greeted(connection: SMTPConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('error', (error) => reject(smtpError(error)));
    connection.connect((error) => (error ? reject(smtpError(error)) : resolve()));
  });
}

function loggedIn(connection: SMTPConnection, auth: object): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.login(auth as SMTPConnection.AuthenticationType, (error) =>
      error === null ? resolve() : reject(smtpError(error)),
    );
  });
}

/** A kept connection that ended before the server said anything. */
function isStale(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === MAIL_ERRORS.MAIL_CONNECTION_FAILED.code;
}

/** Commands are lines, so an address with a line break would be another command. */
function expectPlain({ from, to }: SmtpMail): void {
  if (/[\p{Cc}<>\s]/u.test(from + to)) throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_INVALID);
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/** What the gateway calls itself to the server (RFC 5321 §4.1.4). */
function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
