/**
 * Whether someone who opens a link has its password. Guesses are limited per link and subscriber, computed in a bounded
 * queue where links take turns, and a correct password is remembered for a while (docs/design/access.md).
 */

import type { Clock } from '../core/clock.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { Passwords } from './password.ts';
import { type ProtectedShare, ProvenPasswords } from './proven-passwords.ts';

export interface PasswordRefusal {
  readonly reason: 'password-needed' | 'password-wrong' | 'too-many-attempts';
  /** `too-many-attempts`: when the next one is considered. */
  readonly retryAfterMs: number | null;
}

/** The wait of an address with too many queued passwords: some of them will have been checked by then. */
const OWN_QUEUE_WAIT_MS = 2_000;

export class PasswordCheck {
  readonly #passwords: Passwords;
  readonly #limiter: AttemptLimiter;
  readonly #proven: ProvenPasswords;

  constructor(options: { passwords: Passwords; limiter: AttemptLimiter; clock: Clock }) {
    this.#passwords = options.passwords;
    this.#limiter = options.limiter;
    this.#proven = new ProvenPasswords(options.clock);
  }

  /** null: it is correct. `share`: has a password. Fails with PASSWORD_QUEUE_FULL. */
  async refusalFor(
    share: ProtectedShare,
    password: string | null,
    address: string,
  ): Promise<PasswordRefusal | null> {
    const { passwordHash, uuid } = share;
    if (password === null || passwordHash === null) return { reason: 'password-needed', retryAfterMs: null };
    const attempt = await this.#limiter.take(uuid, address);
    if ('retryAfterMs' in attempt) {
      return { reason: 'too-many-attempts', retryAfterMs: attempt.retryAfterMs };
    }
    if (!this.#proven.has(share, password)) {
      const turn = { group: uuid, member: subscriberOf(address) };
      if (this.#passwords.isFullFor(turn)) {
        attempt.forgive();
        return { reason: 'too-many-attempts', retryAfterMs: OWN_QUEUE_WAIT_MS };
      }
      const checked = this.#passwords.verify(passwordHash, password, turn);
      const isRight = await checked.catch((thrown: unknown) => {
        // The guess was not checked, so it does not count.
        attempt.forgive();
        throw thrown;
      });
      if (!isRight) return { reason: 'password-wrong', retryAfterMs: null };
      this.#proven.add(share, password);
    }
    attempt.forgive();
    return null;
  }
}
