/**
 * Whether a signed-in person has just confirmed their identity. A stolen session, or a browser that was left open, is not enough to add or
 * remove a way to sign in.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { ConsoleSession, Person } from '../store/person.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import type { ConsoleClient } from './console-sessions.ts';
import { ACCOUNT_ERRORS } from './errors.ts';
import type { PasswordHasher } from './person-rules.ts';
import type { SignInAudit } from './sign-in.ts';
import { type GuessLimiter, KNOWN_BROWSERS_TURN } from './sign-in-guesses.ts';

/** How long it counts after signing in, or after showing it again. */
export const CONFIRMED_MS = 10 * 60_000;

export interface SignedInPerson {
  readonly person: Person;
  readonly session: ConsoleSession;
}

export interface ConfirmationOptions {
  readonly store: Pick<Store, 'consoleSessions' | 'passkeys'>;
  readonly passwords: PasswordHasher;
  /** Wrong passwords of people who are signed in. */
  readonly guesses: GuessLimiter;
  readonly audit: SignInAudit;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** The name for which passkeys work now; null: none. */
  readonly rpId: string | null;
}

export class Confirmation {
  readonly #options: ConfirmationOptions;

  constructor(options: ConfirmationOptions) {
    this.#options = options;
  }

  /** Also true for a person without any credential: they came by a link, and choose their first way to sign in. */
  async isFresh({ person, session }: SignedInPerson): Promise<boolean> {
    const ageMs = this.#options.clock.epochMs() - session.confirmedAtMs;
    // A clock that was set back proves nothing.
    if (ageMs >= 0 && ageMs < CONFIRMED_MS) return true;
    return person.passwordHash === null && !(await this.#hasPasskey(person));
  }

  /** Fails CONFIRMATION_REQUIRED. */
  async expectFresh(who: SignedInPerson): Promise<void> {
    if (!(await this.isFresh(who))) throw new GatewayError(ACCOUNT_ERRORS.CONFIRMATION_REQUIRED);
  }

  /** The same for a person who calls the API; keys and applications confirm nothing. */
  async expectFreshCaller({ principal }: Pick<Caller, 'principal'>): Promise<void> {
    if (principal.kind === 'person') await this.expectFresh(principal);
  }

  /** Fails PASSWORD_WRONG, SIGN_IN_LIMITED. */
  async byPassword(who: SignedInPerson, password: string, client: ConsoleClient): Promise<void> {
    const { person } = who;
    try {
      if (person.passwordHash === null) throw new GatewayError(ACCOUNT_ERRORS.PASSWORD_WRONG);
      await this.expectPassword(who, person.passwordHash, password);
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code === ACCOUNT_ERRORS.PASSWORD_WRONG.code) {
        this.#options.audit.signInFailed(person, client);
      }
      throw thrown;
    }
    await this.note(who);
  }

  /** Fails PASSWORD_WRONG, SIGN_IN_LIMITED. */
  async expectPassword({ session }: SignedInPerson, hash: string, given: string | null): Promise<void> {
    const { passwords, guesses } = this.#options;
    // A stolen session can lock only itself.
    const verdict = await guesses.take(`session ${session.uuid}`);
    if (!verdict.isAllowed) {
      throw new GatewayError(ACCOUNT_ERRORS.SIGN_IN_LIMITED, { retryAfterSec: verdict.retryAfterSec });
    }
    const turn = { group: KNOWN_BROWSERS_TURN, member: session.uuid };
    if (given === null || !(await passwords.verify(hash, given, turn))) {
      throw new GatewayError(ACCOUNT_ERRORS.PASSWORD_WRONG);
    }
  }

  /** The person has shown who they are. */
  async note({ session }: SignedInPerson): Promise<void> {
    const { store, clock } = this.#options;
    await store.consoleSessions.confirm(session.orgUuid, session.uuid, clock.epochMs());
  }

  async #hasPasskey({ orgUuid, uuid }: Person): Promise<boolean> {
    const passkeys = await this.#options.store.passkeys.listByPerson(orgUuid, uuid);
    return passkeys.some(({ rpId }) => rpId === this.#options.rpId);
  }
}
