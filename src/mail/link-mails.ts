/** Mails with a link that someone made in the console: to a camera, a wall, a clip, or an invitation. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { TokenBuckets } from '../core/token-buckets.ts';
import { MAIL_ERRORS } from './errors.ts';
import type { InLanguages, MailLanguage } from './languages.ts';
import type { MailRequest } from './mail.ts';
import { isMailAddress } from './mail-address.ts';
import type { MailOutbox } from './mail-outbox.ts';
import { mailContent } from './mail-page.ts';
import type { MailSender } from './mail-sender.ts';

/** The URL is a secret: the request is stored encrypted, and gone when the mail is sent. */
interface LinkRequest extends MailRequest {
  readonly writer: 'link';
  readonly language: MailLanguage;
  readonly to: string;
  readonly url: string;
  /** What the link shows. */
  readonly name: string;
  /** Who sends it. */
  readonly from: string;
  readonly isInvitation: boolean;
}

export interface LinkMail {
  readonly to: string;
  readonly url: string;
  readonly name: string;
  readonly from: string;
  readonly language: MailLanguage;
}

interface LinkWords {
  readonly subject: (name: string, from: string) => string;
  readonly opening: (name: string, from: string) => string;
  readonly button: string;
  readonly note: string;
}

const VIDEO_WORDS: InLanguages<LinkWords> = {
  en: {
    subject: (name) => `Video: ${name}`,
    opening: (name, from) => `${from} sends you a link to ${name}.`,
    button: 'Watch',
    note: 'Anyone who has the link can open it until it ends. It may ask for a password, which you get separately.',
  },
  de: {
    subject: (name) => `Video: ${name}`,
    opening: (name, from) => `${from} schickt Ihnen einen Link zu ${name}.`,
    button: 'Ansehen',
    note: 'Wer den Link hat, kann ihn öffnen, bis er endet. Ein Passwort, falls es eins gibt, bekommen Sie getrennt.',
  },
  es: {
    subject: (name) => `Vídeo: ${name}`,
    opening: (name, from) => `${from} le envía un enlace a ${name}.`,
    button: 'Ver',
    note: 'Quien tenga el enlace puede abrirlo hasta que termine. La contraseña, si la hay, le llega por separado.',
  },
};

const INVITATION_WORDS: InLanguages<LinkWords> = {
  en: {
    subject: (_name, from) => `${from} invites you to the console`,
    opening: (name, from) => `${from} invites ${name} to the video console.`,
    button: 'Accept the invitation',
    note: 'The link works once, for 7 days, for anyone who has it. Do not pass it on.',
  },
  de: {
    subject: (_name, from) => `${from} lädt Sie in die Konsole ein`,
    opening: (name, from) => `${from} lädt ${name} in die Videokonsole ein.`,
    button: 'Einladung annehmen',
    note: 'Der Link gilt einmal, 7 Tage lang, für alle, die ihn haben. Geben Sie ihn nicht weiter.',
  },
  es: {
    subject: (_name, from) => `${from} le invita a la consola`,
    opening: (name, from) => `${from} invita a ${name} a la consola de vídeo.`,
    button: 'Aceptar la invitación',
    note: 'El enlace funciona una vez, durante 7 días, para quien lo tenga. No lo reenvíes.',
  },
};

export interface LinkMailsOptions {
  readonly outbox: MailOutbox;
  readonly sender: MailSender;
  readonly clock: Clock;
}

export class LinkMails {
  readonly #options: LinkMailsOptions;
  readonly #rate: TokenBuckets;

  constructor(options: LinkMailsOptions) {
    this.#options = options;
    const { burst, perSec } = LIMITS.linkMails.levels.organization;
    this.#rate = new TokenBuckets({ burst, refill: { tokens: perSec, perMs: 1_000 }, clock: options.clock });
    options.outbox.writeWith<LinkRequest>('link', async (_mail, request) => {
      const { language, to, url, name, from, isInvitation } = request;
      const words = (isInvitation ? INVITATION_WORDS : VIDEO_WORDS)[language];
      return {
        to: { name: isInvitation ? name : '', address: to },
        content: mailContent({
          language,
          subject: words.subject(name, from),
          opening: [words.opening(name, from)],
          rows: [],
          button: { title: words.button, url },
          notes: [words.note],
        }),
      };
    });
  }

  /**
   * `bases`: what URLs of this gateway's links and invitations begin with. Resolves with the mail. Fails MAIL_NOT_SET_UP,
   * MAIL_ADDRESS_INVALID, MAIL_LINK_UNKNOWN, LINK_MAILS_LIMITED.
   */
  async send(
    orgUuid: Ruuid,
    { to, url, ...mail }: LinkMail,
    bases: { readonly links: readonly string[]; readonly invitations: string },
  ): Promise<Ruuid> {
    const { sender, outbox } = this.#options;
    if (!sender.isSetUp) throw new GatewayError(MAIL_ERRORS.MAIL_NOT_SET_UP);
    if (!isMailAddress(to)) throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_INVALID, { field: 'to' });
    const isInvitation = url.startsWith(bases.invitations);
    const isOurs = URL.canParse(url) && (isInvitation || bases.links.some((base) => url.startsWith(base)));
    if (!isOurs) throw new GatewayError(MAIL_ERRORS.MAIL_LINK_UNKNOWN);
    const { isTaken, waitMs } = this.#rate.take(orgUuid);
    if (!isTaken) {
      throw new GatewayError(MAIL_ERRORS.LINK_MAILS_LIMITED, { retryAfterSec: Math.ceil(waitMs / 1_000) });
    }
    return outbox.add<LinkRequest>({
      orgUuid,
      topic: isInvitation ? 'INVITATION' : 'LINK',
      forUuid: null,
      to,
      request: { writer: 'link', to, url, isInvitation, ...mail },
    });
  }
}
