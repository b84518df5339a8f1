/** The gateway's one sender: builds messages and hands them to the mail server that is configured now. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { OAuthClientTokens } from '../webhooks/oauth-client-tokens.ts';
import type { PostOutbound } from '../webhooks/outbound-call.ts';
import { MAIL_ERRORS } from './errors.ts';
import type { WrittenMail } from './mail.ts';
import { isMailAddress } from './mail-address.ts';
import { mailMessage } from './mail-message.ts';
import type { MailSettings } from './mail-settings.ts';
import { SmtpClient, type SmtpClientOptions, type SmtpMail } from './smtp-client.ts';

export interface MailSenderOptions extends Pick<SmtpClientOptions, 'ca' | 'resolveHost' | 'timeoutMs'> {
  readonly settings: MailSettings | null;
  readonly clock: Clock;
  /** Fetches tokens of OAuth 2.0. */
  readonly post: PostOutbound;
  /** Hands a message to the server. Default: SMTP. */
  readonly deliver?: DeliverMail;
}

export type DeliverMail = (mail: SmtpMail, signal: AbortSignal) => Promise<string>;

/** How an organization appears as the sender. */
export interface SenderIdentity {
  /** null: the configured name. */
  readonly name: string | null;
  readonly replyTo: string | null;
}

interface Current {
  readonly settings: MailSettings;
  readonly client: SmtpClient;
}

export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #tokens: OAuthClientTokens;
  #current: Current | null;

  constructor(options: MailSenderOptions) {
    this.#options = options;
    this.#tokens = new OAuthClientTokens(options.post, options.clock);
    this.#current = this.#currentOf(options.settings);
  }

  get isSetUp(): boolean {
    return this.#current !== null;
  }

  /** The sender's address; null: none is set. */
  get address(): string | null {
    return this.#current?.settings.from ?? null;
  }

  /** Mails that are being sent end with their connections, and are tried again. */
  set settings(settings: MailSettings | null) {
    if (JSON.stringify(settings) === JSON.stringify(this.#current?.settings ?? null)) return;
    this.#current?.client.close();
    this.#current = this.#currentOf(settings);
  }

  /** Resolves with the server's last word. Fails with a code of MAIL_ERRORS. */
  async send(
    messageUuid: Ruuid,
    { to, content, threadUuid, unsubscribeUrl, extra }: WrittenMail,
    identity: SenderIdentity,
    signal: AbortSignal,
  ): Promise<string> {
    if (this.#current === null) throw new GatewayError(MAIL_ERRORS.MAIL_NOT_SET_UP);
    if (!isMailAddress(to.address)) throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_INVALID);
    const { settings, client } = this.#current;
    const message = await mailMessage(
      {
        from: { name: identity.name ?? settings.name, address: settings.from },
        to,
        replyTo: identity.replyTo,
        dateMs: this.#options.clock.epochMs(),
        messageUuid,
        threadUuid: threadUuid ?? null,
        unsubscribeUrl: unsubscribeUrl ?? null,
        ...(extra === undefined ? {} : { extra }),
      },
      content,
    );
    const { deliver = (mail: SmtpMail) => client.send(mail, signal) } = this.#options;
    return deliver({ from: settings.from, to: to.address, message }, signal);
  }

  close(): void {
    this.#current?.client.close();
  }

  #currentOf(settings: MailSettings | null): Current | null {
    if (settings === null) return null;
    const { clock, ca, resolveHost, timeoutMs } = this.#options;
    const { oauth } = settings;
    const client = new SmtpClient({
      settings,
      clock,
      token: (signal, isRefused) => {
        if (oauth === null) throw new GatewayError(MAIL_ERRORS.MAIL_TOKEN_REFUSED);
        if (isRefused) this.#tokens.forget(oauth);
        return this.#tokens.token(oauth, signal).catch((cause: unknown) => {
          throw new GatewayError(MAIL_ERRORS.MAIL_TOKEN_REFUSED, {}, cause);
        });
      },
      ca,
      ...(resolveHost === undefined ? {} : { resolveHost }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return { settings, client };
  }
}
