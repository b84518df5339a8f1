/**
 * Mails on their way: each is in the store from the moment it is queued, is written at each attempt, because rights and settings
 * change, and stays in the log with the server's words.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { TokenBuckets } from '../core/token-buckets.ts';
import type { QueueOutcome } from '../deliveries/delivery.ts';
import { DeliveryQueue } from '../deliveries/delivery-queue.ts';
import { seeingAll } from '../store/acting-view.ts';
import type { ResourcePageQuery } from '../store/resource.ts';
import type { ResourcePage } from '../store/resource-page.ts';
import type { Store } from '../store/store.ts';
import { MAIL_ERRORS } from './errors.ts';
import {
  MAILS,
  type Mail,
  type MailAttempt,
  type MailBody,
  type MailRequest,
  type MailTopic,
  type MailWriter,
} from './mail.ts';
import type { MailRefusals } from './mail-refusals.ts';
import type { MailSender, SenderIdentity } from './mail-sender.ts';

/** Greylisting ends after minutes, a server that is down after hours: ten attempts reach over some three hours. */
export const MAX_MAIL_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

export interface MailOutboxOptions {
  readonly store: Pick<Store, 'resources' | 'leases'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: MailSender;
  readonly refusals: MailRefusals;
  readonly identityOf: (orgUuid: Ruuid) => Promise<SenderIdentity>;
  readonly random?: (() => number) | undefined;
}

export interface NewMail<Request extends MailRequest> {
  /** One that is known stays as it is; absent: a new one. */
  readonly uuid?: Ruuid;
  readonly orgUuid: Ruuid;
  readonly topic: MailTopic;
  /** The person or the receiver; null: someone else. */
  readonly forUuid: Ruuid | null;
  /** Empty: known when it is written. */
  readonly to: string;
  readonly request: Request;
  /** When it is due; default: now. */
  readonly atMs?: number;
}

/** Codes after which the same mail may be accepted. */
const PASSING: ReadonlySet<string> = new Set([
  MAIL_ERRORS.MAIL_NOT_SET_UP.code,
  MAIL_ERRORS.MAIL_HOST_UNKNOWN.code,
  MAIL_ERRORS.MAIL_CONNECTION_FAILED.code,
  MAIL_ERRORS.MAIL_TLS_FAILED.code,
  MAIL_ERRORS.MAIL_LOGIN_REFUSED.code,
  MAIL_ERRORS.MAIL_TOKEN_REFUSED.code,
  MAIL_ERRORS.MAIL_POSTPONED.code,
  MAIL_ERRORS.MAIL_REFUSALS_LIMITED.code,
  MAIL_ERRORS.MAIL_PROTOCOL.code,
  MAIL_ERRORS.MAIL_TIMED_OUT.code,
]);

export class MailOutbox {
  readonly #options: MailOutboxOptions;
  readonly #queue: DeliveryQueue<MailBody, MailRequest>;
  readonly #writers = new Map<string, MailWriter>();
  readonly #refused: TokenBuckets;

  constructor(options: MailOutboxOptions) {
    const { store, clock, log, random } = options;
    this.#options = options;
    const { burst, perSec } = LIMITS.refusedMails.levels.organization;
    this.#refused = new TokenBuckets({ burst, refill: { tokens: perSec, perMs: 1_000 }, clock });
    this.#queue = new DeliveryQueue({
      store,
      clock,
      log,
      random,
      kind: MAILS,
      leases: 'mail/',
      calls: LIMITS.mailCalls,
      full: MAIL_ERRORS.MAIL_QUEUE_FULL,
      noFacts: { smtpStatus: null, reply: '' },
      maxOpen: LIMITS.openMails.perOrganization,
      maxLogged: LIMITS.loggedMails.perOrganization,
      maxAttempts: MAX_MAIL_ATTEMPTS,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      attempt: (mail, request, signal) => seeingAll(() => this.#attempt(mail, request, signal)),
    });
  }

  /** Who turns requests with this name into words. */
  writeWith<Request extends MailRequest>(writer: Request['writer'], write: MailWriter<Request>): void {
    this.#writers.set(writer, write as unknown as MailWriter);
  }

  /** Resumes what was in progress when the gateway ended. All writers must be known. */
  resume(): Promise<void> {
    return this.#queue.resume();
  }

  takeOver(): Promise<void> {
    return this.#queue.takeOver();
  }

  find(orgUuid: Ruuid, uuid: Ruuid): Promise<Mail | null> {
    return this.#queue.find(orgUuid, uuid);
  }

  /** Resolves with its UUID once it is stored. */
  async add<Request extends MailRequest>(mail: NewMail<Request>): Promise<Ruuid> {
    const { uuid = newRuuid(), orgUuid, topic, forUuid, to, request, atMs } = mail;
    if ((await this.#queue.find(orgUuid, uuid)) !== null) return uuid;
    const body = { topic, to, subject: '' };
    await this.#queue.add({
      uuid,
      orgUuid,
      parentUuid: forUuid,
      body,
      request,
      ...(atMs === undefined ? {} : { atMs }),
    });
    return uuid;
  }

  /** One attempt now, also to an address that is marked. Fails MAIL_QUEUE_FULL. `error` null: the server took it. */
  async sendOnce<Request extends MailRequest>(
    mail: NewMail<Request>,
  ): Promise<{ readonly mail: Mail; readonly error: GatewayError | null }> {
    const { orgUuid, topic, forUuid, to, request } = mail;
    await this.#options.refusals.clear(orgUuid, to);
    const { delivery, outcome } = await this.#queue.tryOnce({
      uuid: newRuuid(),
      orgUuid,
      parentUuid: forUuid,
      body: { topic, to, subject: '' },
      request,
    });
    return { mail: delivery, error: outcome.result === 'failed' ? outcome.error : null };
  }

  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<MailBody>> {
    return this.#queue.page(orgUuid, query);
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#options.sender.close();
  }

  async #attempt(mail: Mail, request: MailRequest, signal: AbortSignal): Promise<QueueOutcome<MailAttempt>> {
    const { sender, refusals, identityOf, log } = this.#options;
    const { orgUuid, uuid } = mail;
    const write = this.#writers.get(request.writer);
    // A later version queued it, and this one took it over.
    if (write === undefined) return { result: 'dropped' };
    const written = await write(mail, request);
    if (written === null) return { result: 'dropped' };
    const { address } = written.to;
    const learned = { to: address, subject: written.content.subject };
    try {
      if (mail.body.topic !== 'TEST' && this.#refused.peek(orgUuid) < 1) {
        throw new GatewayError(MAIL_ERRORS.MAIL_REFUSALS_LIMITED);
      }
      const marked = await refusals.find(orgUuid, address);
      if (marked !== null) {
        throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_MARKED, { reply: marked.body.reply });
      }
      const reply = await sender.send(uuid, written, await identityOf(orgUuid), signal);
      return { result: 'delivered', learned, facts: { smtpStatus: Number.parseInt(reply, 10), reply } };
    } catch (thrown) {
      const error = toGatewayError(thrown);
      const { status = null, reply = '' } = error.context;
      if (error.kind === 'internal') log.error({ err: error, mail: uuid }, 'mail not sent');
      if (error.code === MAIL_ERRORS.MAIL_RECIPIENT_REFUSED.code) {
        this.#refused.take(orgUuid);
        await refusals.mark(orgUuid, address, String(reply));
      }
      return {
        result: 'failed',
        learned,
        facts: { smtpStatus: status as number | null, reply: String(reply) },
        error,
        again: PASSING.has(error.code),
        retryAfterMs: null,
      };
    }
  }
}
