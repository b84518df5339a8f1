/**
 * Where links in mails lead. `GET /mail/alert` takes the reader to the console, which asks to sign in. `GET /mail/unsubscribe` shows a
 * button, because programs that check links open them, and `POST` ends the mails, also for the mail program's own button (RFC 8058). The
 * token says whose mails, and does nothing else.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { NotificationSettingsService } from '../accounts/notification-settings.ts';
import { actAs } from '../audit/acting-principal.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { auditedUserAgent } from '../http/audit-principal.ts';
import { type InLanguages, type MailLanguage, mailLanguage } from '../mail/languages.ts';
import {
  ALERT_LINK_PATH,
  type MailLinks,
  UNSUBSCRIBE_PATH,
  type UnsubscribeLink,
} from '../mail/mail-links.ts';
import { escaped } from '../mail/plain-text.ts';
import type { Store } from '../store/store.ts';

export interface MailRoutesOptions {
  readonly links: MailLinks;
  readonly settings: Pick<NotificationSettingsService, 'find' | 'update'>;
  readonly store: Pick<Store, 'people'>;
  readonly log: Log;
}

interface PageWords {
  readonly expired: string;
  readonly console: string;
  readonly ask: string;
  readonly button: string;
  readonly done: string;
}

const MAX_BODY_BYTES = 4_096;

const WORDS: InLanguages<PageWords> = {
  en: {
    expired: 'This link has expired, or it is incomplete.',
    console: 'Open the console',
    ask: 'Do you want no more mails about alerts and cameras?',
    button: 'Get no more mails',
    done: 'You get no more mails about alerts and cameras. You can change that on your page in the console.',
  },
  de: {
    expired: 'Dieser Link ist abgelaufen oder unvollständig.',
    console: 'Konsole öffnen',
    ask: 'Möchten Sie keine E-Mails über Alarme und Kameras mehr?',
    button: 'Keine E-Mails mehr bekommen',
    done: 'Sie bekommen keine E-Mails über Alarme und Kameras mehr. Auf Ihrer Seite in der Konsole können Sie das ändern.',
  },
  es: {
    expired: 'Este enlace ha caducado o está incompleto.',
    console: 'Abrir la consola',
    ask: '¿No quiere más correos sobre alertas y cámaras?',
    button: 'No recibir más correos',
    done: 'Ya no recibe correos sobre alertas y cámaras. Puede cambiarlo en su página de la consola.',
  },
};

export async function mailRoutes(api: FastifyInstance, options: MailRoutesOptions): Promise<void> {
  const { links, settings, store, log } = options;
  api.removeAllContentTypeParsers();
  const reading = { parseAs: 'string', bodyLimit: MAX_BODY_BYTES } as const;
  api.addContentTypeParser('*', reading, (_request, body, done) => done(null, body));
  const expired = (reply: FastifyReply) => {
    const { expired: title, console } = WORDS.en;
    return page(reply.code(410), 'en', title, `<p><a href="${links.consoleUrl}">${escaped(console)}</a></p>`);
  };

  api.get(ALERT_LINK_PATH, async (request, reply) => {
    const target = links.alertTarget(tokenOf(request.query));
    return target === null ? expired(reply) : reply.header('cache-control', 'no-store').redirect(target, 302);
  });
  api.get(UNSUBSCRIBE_PATH, async (request, reply) => {
    const link = links.unsubscribing(tokenOf(request.query));
    if (link === null) return expired(reply);
    const language = await languageOf(link);
    const { ask, button } = WORDS[language];
    return page(reply, language, ask, `<form method="post"><button>${escaped(button)}</button></form>`);
  });
  api.post(UNSUBSCRIBE_PATH, async (request, reply) => {
    const link = links.unsubscribing(tokenOf(request.query));
    if (link === null) return expired(reply);
    const person = await store.people.find(link.orgUuid, link.personUuid);
    if (person === null) return expired(reply);
    const language = await languageOf(link);
    const client = {
      sourceIp: request.ip,
      userAgent: auditedUserAgent(request.headers['user-agent']),
    };
    try {
      await actAs({ type: 'USER', uuid: person.uuid, name: person.name, ...client }, () =>
        settings.update(link.orgUuid, person.uuid, { summaryEmailEnabled: false }),
      );
    } catch (thrown) {
      log.error({ err: toGatewayError(thrown) }, 'mails not ended');
      throw thrown;
    }
    return page(reply, language, WORDS[language].done, '');
  });

  async function languageOf({ orgUuid, personUuid }: UnsubscribeLink): Promise<MailLanguage> {
    return mailLanguage((await settings.find(orgUuid, personUuid)).language);
  }
}

function tokenOf(query: unknown): string {
  const { token } = query as { readonly token?: unknown };
  return typeof token === 'string' ? token : '';
}

/** Without scripts, and without anything to load. */
function page(reply: FastifyReply, language: MailLanguage, title: string, body: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    .send(
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8">` +
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
        '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:15vh auto;padding:0 16px}' +
        'h1{font-size:20px}button{font:inherit;min-height:44px;padding:8px 16px}</style>' +
        `<title>${escaped(title)}</title></head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>`,
    );
}
