/**
 * Mails the operator's people of problems of the gateway itself: a certificate that expires, a full disk, a node that is gone. One mail names
 * all that there are; the same ones are mailed once a day. Of several gateways, the first one queues it.
 */

import type { NotificationSettingsService } from '../accounts/notification-settings.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type InLanguages, mailLanguage } from '../mail/languages.ts';
import type { MailRequest, WrittenMail } from '../mail/mail.ts';
import type { MailLinks } from '../mail/mail-links.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import { mailContent } from '../mail/mail-page.ts';
import type { Store } from '../store/store.ts';
import { digestWords } from './digest-words.ts';
import { readerOf } from './mail-digests.ts';
import { isNotified } from './notice-rules.ts';

/** A problem and its solution, in sentences. */
export interface GatewayProblem {
  readonly code: string;
  readonly sentence: string;
  readonly whatToDo: string;
}

interface SystemRequest extends MailRequest {
  readonly writer: 'system';
  readonly personUuid: Ruuid;
  readonly problems: readonly GatewayProblem[];
}

const CHECK_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

interface SystemWords {
  readonly subject: (count: number) => string;
  readonly opening: string;
  readonly show: string;
}

const WORDS: InLanguages<SystemWords> = {
  en: {
    subject: (count) => (count === 1 ? 'The gateway has a problem' : `The gateway has ${count} problems`),
    opening: 'The gateway reports:',
    show: 'Open the console',
  },
  de: {
    subject: (count) => (count === 1 ? 'Das Gateway hat ein Problem' : `Das Gateway hat ${count} Probleme`),
    opening: 'Das Gateway meldet auf Englisch, was es feststellt:',
    show: 'Konsole öffnen',
  },
  es: {
    subject: (count) =>
      count === 1 ? 'La pasarela tiene un problema' : `La pasarela tiene ${count} problemas`,
    opening: 'La pasarela informa en inglés de lo que observa:',
    show: 'Abrir la consola',
  },
};

export interface SystemMailsOptions {
  readonly store: Pick<Store, 'people'>;
  readonly outbox: MailOutbox;
  readonly isSetUp: () => boolean;
  readonly settings: Pick<NotificationSettingsService, 'find' | 'ofOrganization'>;
  readonly links: MailLinks;
  /** The organization of those who run the gateway. */
  readonly orgUuid: Ruuid;
  readonly readProblems: () => Promise<readonly GatewayProblem[]>;
  readonly clock: Clock;
  readonly log: Log;
}

export class SystemMails {
  readonly #options: SystemMailsOptions;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: SystemMailsOptions) {
    this.#options = options;
    options.outbox.writeWith<SystemRequest>('system', (_mail, request) => this.#write(request));
  }

  start(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.after(CHECK_MS, () => {
      this.check()
        .catch((thrown: unknown) => {
          this.#options.log.warn({ err: toGatewayError(thrown) }, 'problems of the gateway not mailed');
        })
        .finally(() => this.start());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Queues what there is to say. Rejects like the store. */
  async check(): Promise<void> {
    const { store, settings, outbox, isSetUp, orgUuid, readProblems, clock } = this.#options;
    if (!isSetUp()) return;
    const problems = await readProblems();
    if (problems.length === 0) return;
    const atMs = clock.epochMs();
    const all = await settings.ofOrganization(orgUuid);
    for (const person of await store.people.list(orgUuid)) {
      const reader = readerOf(person, all.get(person.uuid) ?? {});
      if (reader === null || person.role !== 'admin') continue;
      const facts = { deviceUuid: orgUuid, locationUuid: null, activities: [], atMs, timeZone: null };
      const wanted = problems.filter(({ code }) =>
        isNotified(reader.settings, 'EMAIL', { ...facts, diagnostics: [code] }),
      );
      if (wanted.length === 0) continue;
      const codes = wanted.map(({ code }) => code).sort();
      await outbox.add<SystemRequest>({
        uuid: deriveRuuid('system mail', `${person.uuid}\0${codes.join()}\0${Math.floor(atMs / DAY_MS)}`),
        orgUuid,
        topic: 'SYSTEM',
        forUuid: person.uuid,
        to: '',
        request: { writer: 'system', personUuid: person.uuid, problems: wanted },
      });
    }
  }

  async #write({ personUuid, problems }: SystemRequest): Promise<WrittenMail | null> {
    const { store, settings, links, orgUuid } = this.#options;
    const person = await store.people.find(orgUuid, personUuid);
    const reader = person === null ? null : readerOf(person, await settings.find(orgUuid, personUuid));
    if (reader === null || reader.person.role !== 'admin') return null;
    const language = mailLanguage(reader.settings.language);
    const { subject, opening, show } = WORDS[language];
    const { why, unsubscribe } = digestWords(language);
    const unsubscribeUrl = links.unsubscribeUrl(orgUuid, personUuid);
    return {
      to: { name: reader.person.name, address: reader.person.email },
      unsubscribeUrl,
      content: mailContent({
        language,
        subject: subject(problems.length),
        opening: [opening],
        rows: problems.map(({ sentence, whatToDo }) => ({ title: sentence, lines: [whatToDo] })),
        button: { title: show, url: links.consoleUrl },
        notes: [why],
        link: { title: unsubscribe, url: unsubscribeUrl },
      }),
    };
  }
}
