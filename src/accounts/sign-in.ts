/**
 * Signing in to the console: with an email address and a password, or with a one-time code. Guesses are limited
 * (sign-in-guesses.ts). A person who does not exist costs as much time as one who does, and gets the same response.
 */

import { randomBytes } from 'node:crypto';
import { GatewayError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { emailKey, type Person, type SessionAtProvider, type SignInMethod } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleCodes } from './console-codes.ts';
import type { BegunSession, ConsoleClient, ConsoleSessions } from './console-sessions.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { MAX_EMAIL_CHARS, type PasswordHasher } from './person-rules.ts';
import type { SignInGuesses } from './sign-in-guesses.ts';

/** People of several organizations can have the same address; the password decides which of them signs in. */
const MAX_PEOPLE_OF_ADDRESS = 4;
/** When an address with too many passwords waiting can try again. */
const QUEUE_WAIT_SEC = 2;

/** `browserProof`: what makes the browser a known one; null: the person has no email address. */
export interface SignedIn extends BegunSession {
  readonly browserProof: Secret | null;
}

/** The part of the audit trail that records sign-ins. */
export interface SignInAudit {
  signInFailed(person: Pick<Person, 'orgUuid' | 'uuid' | 'name'>, client: ConsoleClient): void;
  /** Runs `work` on behalf of a person who has just confirmed their identity. */
  as<T>(person: Pick<Person, 'uuid' | 'name'>, client: ConsoleClient, work: () => Promise<T>): Promise<T>;
}

export interface SignInOptions {
  readonly store: Pick<Store, 'people'>;
  readonly sessions: ConsoleSessions;
  readonly codes: ConsoleCodes;
  readonly passwords: PasswordHasher;
  readonly guesses: SignInGuesses;
  readonly browsers: Pick<KnownBrowsers, 'proofFor'>;
  readonly audit: SignInAudit;
  readonly nowMs: () => number;
}

export class SignIn {
  readonly #options: SignInOptions;
  /** The hash against which the password of a nonexistent person is checked. */
  #decoy: Promise<string> | null = null;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Fails SIGN_IN_FAILED, SIGN_IN_LIMITED. */
  async byPassword(email: string, password: string, client: ConsoleClient): Promise<SignedIn> {
    const { store, guesses, passwords } = this.#options;
    const key = emailKey(email.slice(0, MAX_EMAIL_CHARS + 1));
    const turn = guesses.turnOf(key, client);
    await guesses.expectAllowed(client, key);
    if (passwords.isFullFor(turn)) throw limited(QUEUE_WAIT_SEC);
    await guesses.takeFor(key, client);
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
    throw await this.#failed(client, key);
  }

  /** Fails SIGN_IN_FAILED, SIGN_IN_LIMITED. */
  async byCode(code: string, client: ConsoleClient): Promise<SignedIn> {
    await this.#options.guesses.expectAllowed(client);
    const person = await this.#options.codes.redeem(code);
    if (person === null) throw await this.#failed(client);
    return this.#begin(person, 'code', client);
  }

  /** Signs in a person who has just accepted an invitation. */
  byInvitation(person: Person, client: ConsoleClient): Promise<SignedIn> {
    return this.#begin(person, 'invitation', client);
  }

  /** Signs in a person whose passkey was accepted. */
  byPasskey(person: Person, client: ConsoleClient): Promise<SignedIn> {
    return this.#begin(person, 'passkey', client);
  }

  /** Signs in a person whom a provider has authenticated. */
  byProvider(
    person: Person,
    method: 'oidc' | 'saml',
    client: ConsoleClient,
    provider: SessionAtProvider,
  ): Promise<SignedIn> {
    return this.#begin(person, method, client, provider);
  }

  async #failed(client: ConsoleClient, key: string | null = null): Promise<GatewayError> {
    await this.#options.guesses.failed(client, key);
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
  ): Promise<SignedIn> {
    const { store, sessions, browsers, audit, nowMs } = this.#options;
    const begun = await audit.as(person, client, () => sessions.begin(person, method, client, provider));
    await store.people.noteSignIn(person.orgUuid, person.uuid, nowMs());
    return {
      ...begun,
      browserProof: person.email === null ? null : browsers.proofFor(emailKey(person.email)),
    };
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
