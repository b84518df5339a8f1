/** A test of the mail server: one mail now, and the server's words. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { emailKey } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import { MAIL_ERRORS } from './errors.ts';
import type { InLanguages, MailLanguage } from './languages.ts';
import type { Mail, MailRequest } from './mail.ts';
import type { MailOutbox } from './mail-outbox.ts';
import { mailContent } from './mail-page.ts';
import type { MailSender } from './mail-sender.ts';

interface TestRequest extends MailRequest {
  readonly writer: 'test';
  readonly language: MailLanguage;
  readonly to: string;
  readonly name: string;
}

export interface MailTestResult {
  readonly mail: Mail;
  /** null: the server took it. */
  readonly error: GatewayError | null;
}

const WORDS: InLanguages<{ readonly subject: string; readonly opening: string; readonly note: string }> = {
  en: {
    subject: 'Test of the mail server',
    opening: 'This mail shows that the gateway can send mail to you.',
    note: 'An administrator sent it from the console.',
  },
  de: {
    subject: 'Test des Mailservers',
    opening: 'Diese E-Mail zeigt, dass das Gateway Ihnen E-Mails senden kann.',
    note: 'Jemand aus der Administration hat sie in der Konsole ausgelöst.',
  },
  es: {
    subject: 'Prueba del servidor de correo',
    opening: 'Este correo muestra que la pasarela puede enviarle correos.',
    note: 'Lo envió una persona administradora desde la consola.',
  },
};

export class MailTest {
  readonly #outbox: MailOutbox;
  readonly #sender: MailSender;
  readonly #store: Pick<Store, 'people'>;

  constructor(parts: {
    readonly outbox: MailOutbox;
    readonly sender: MailSender;
    readonly store: Pick<Store, 'people'>;
  }) {
    this.#outbox = parts.outbox;
    this.#sender = parts.sender;
    this.#store = parts.store;
    this.#outbox.writeWith<TestRequest>('test', async (_mail, { language, to, name }) => {
      const { subject, opening, note } = WORDS[language];
      return {
        to: { name, address: to },
        content: mailContent({ language, subject, opening: [opening], rows: [], notes: [note] }),
      };
    });
  }

  /**
   * `to`: of one of the organization's people, so that no one sends tests to strangers. Fails MAIL_NOT_SET_UP, MAIL_TEST_ADDRESS_UNKNOWN,
   * MAIL_QUEUE_FULL. A mail that is refused is a result.
   */
  async run(orgUuid: Ruuid, to: string, language: MailLanguage): Promise<MailTestResult> {
    if (!this.#sender.isSetUp) throw new GatewayError(MAIL_ERRORS.MAIL_NOT_SET_UP);
    const people = await this.#store.people.list(orgUuid);
    const person = people.find(({ email }) => email !== null && emailKey(email) === emailKey(to));
    if (person === undefined) throw new GatewayError(MAIL_ERRORS.MAIL_TEST_ADDRESS_UNKNOWN);
    const request = { writer: 'test', language, to: person.email!, name: person.name } as const;
    return this.#outbox.sendOnce({
      orgUuid,
      topic: 'TEST',
      forUuid: person.uuid,
      to: person.email!,
      request,
    });
  }
}
