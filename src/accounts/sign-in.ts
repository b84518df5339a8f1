/**
 * Signing in to the console: with an email address and a password, or with a one-time code. Guesses are limited per
 * address and per email address. A person who does not exist costs as much time as one who does, and gets the same
 * response.
 */

import { randomBytes } from 'node:crypto';
import { GatewayError } from '../core/errors.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { emailKey, type Person, type SessionAtProvider, type SignInMethod } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleCodes } from './console-codes.ts';
import type { BegunSession, ConsoleClient, ConsoleSessions } from './console-sessions.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import { MAX_EMAIL_CHARS, type PasswordHasher } from './person-rules.ts';

/** People of several organizations can have the same address; the password decides who is meant. */
const MAX_PEOPLE_OF_ADDRESS = 4;
/** When an address with too many passwords waiting can try again. */
const QUEUE_WAIT_SEC = 2;

/** How many guesses someone has left (counters/rate-limiter.ts). */
export interface GuessLimiter {
  take(key: string): Promise<GuessVerdict>;
  peek(key: string): Promise<GuessVerdict>;
}

interface GuessVerdict {
  readonly isAllowed: boolean;
  readonly retryAfterSec: number;
}

export interface SignInLimiters {
  /** Failures of one address, with every kind of credential. */
  readonly perAddress: GuessLimiter;
  /** Attempts with one email address. */
  readonly perPerson: GuessLimiter;
}

/** What the audit trail learns. */
export interface SignInAudit {
  signInFailed(person: Pick<Person, 'orgUuid' | 'uuid' | 'name'>, client: ConsoleClient): void;
  /** Runs `work` on behalf of someone who has just shown who they are. */
  as<T>(person: Pick<Person, 'uuid' | 'name'>, client: ConsoleClient, work: () => Promise<T>): Promise<T>;
}

export interface SignInOptions {
  readonly store: Pick<Store, 'people'>;
  readonly sessions: ConsoleSessions;
  readonly codes: ConsoleCodes;
  readonly passwords: PasswordHasher;
  readonly limiters: SignInLimiters;
  readonly audit: SignInAudit;
  readonly nowMs: () => number;
}

export class SignIn {
  readonly #options: SignInOptions;
  /** What the password of a person who does not exist is compared with. */
  #decoy: Promise<string> | null = null;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Fails SIGN_IN_FAILED, SIGN_IN_LIMITED. */
  async byPassword(email: string, password: string, client: ConsoleClient): Promise<BegunSession> {
    const { store, limiters, passwords } = this.#options;
    const turn = { group: 'sign-in', member: subscriberOf(client.address) };
    await this.#expectAllowed(client);
    if (passwords.isFullFor(turn)) throw limited(QUEUE_WAIT_SEC);
    // Taken before the password is checked, so that parallel guesses count.
    const guess = await limiters.perPerson.take(emailKey(email.slice(0, MAX_EMAIL_CHARS + 1)));
    if (!guess.isAllowed) throw limited(guess.retryAfterSec);
    const decoy = await this.#decoyHash();
    const people = await store.people.listByEmail(email, MAX_PEOPLE_OF_ADDRESS);
    const hashes = people.length === 0 ? [decoy] : people.map(({ passwordHash }) => passwordHash ?? decoy);
    for (const [index, hash] of hashes.entries()) {
      const isRight = await passwords.verify(hash, password, turn);
      const person = people[index];
      if (!isRight || person === undefined || person.passwordHash === null || person.disabled) continue;
      const begun = await this.#begin(person, 'password', client);
      await this.#expectUnchanged(begun);
      return begun;
    }
    for (const person of people) this.#options.audit.signInFailed(person, client);
    throw await this.#failed(client);
  }

  /** Fails SIGN_IN_FAILED, SIGN_IN_LIMITED. */
  async byCode(code: string, client: ConsoleClient): Promise<BegunSession> {
    await this.#expectAllowed(client);
    const person = await this.#options.codes.redeem(code);
    if (person === null) throw await this.#failed(client);
    return this.#begin(person, 'code', client);
  }

  /** For a person who has just accepted an invitation. */
  byInvitation(person: Person, client: ConsoleClient): Promise<BegunSession> {
    return this.#begin(person, 'invitation', client);
  }

  /** For a person whose passkey was accepted. */
  byPasskey(person: Person, client: ConsoleClient): Promise<BegunSession> {
    return this.#begin(person, 'passkey', client);
  }

  /** For a person whom the OIDC provider signed in. */
  byProvider(person: Person, client: ConsoleClient, provider: SessionAtProvider): Promise<BegunSession> {
    return this.#begin(person, 'oidc', client, provider);
  }

  /** An address that guessed too often gets no further guess. Fails SIGN_IN_LIMITED. */
  async #expectAllowed({ address }: ConsoleClient): Promise<void> {
    const verdict = await this.#options.limiters.perAddress.peek(subscriberOf(address));
    if (!verdict.isAllowed) throw limited(verdict.retryAfterSec);
  }

  async #failed({ address }: ConsoleClient): Promise<GatewayError> {
    await this.#options.limiters.perAddress.take(subscriberOf(address));
    return new GatewayError(ACCOUNT_ERRORS.SIGN_IN_FAILED);
  }

  /** The password may have changed while it was checked: then the new session was not ended with the others. */
  async #expectUnchanged({ person, session }: BegunSession): Promise<void> {
    const { store, sessions } = this.#options;
    const now = await store.people.find(person.orgUuid, person.uuid);
    if (now !== null && !now.disabled && now.passwordHash === person.passwordHash) return;
    if (now !== null) await sessions.end(person.orgUuid, session.uuid, null).catch(() => undefined);
    throw new GatewayError(ACCOUNT_ERRORS.SIGN_IN_FAILED);
  }

  async #begin(
    person: Person,
    method: SignInMethod,
    client: ConsoleClient,
    provider: SessionAtProvider | null = null,
  ): Promise<BegunSession> {
    const { store, sessions, audit, nowMs } = this.#options;
    const begun = await audit.as(person, client, () => sessions.begin(person, method, client, provider));
    await store.people.noteSignIn(person.orgUuid, person.uuid, nowMs());
    return begun;
  }

  #decoyHash(): Promise<string> {
    this.#decoy ??= this.#options.passwords.hash(randomBytes(16).toString('base64url'));
    const decoy = this.#decoy;
    // There may be room for it the next time.
    decoy.catch(() => {
      if (this.#decoy === decoy) this.#decoy = null;
    });
    return decoy;
  }
}

function limited(retryAfterSec: number): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.SIGN_IN_LIMITED, { retryAfterSec });
}
