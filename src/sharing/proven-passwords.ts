/**
 * Passwords that were correct a moment ago, so that a puller that sends one with every request costs one scrypt every
 * few minutes. Kept as HMACs under a key of this process, never as text. Bound to the share's access epoch and hash, so
 * that a changed password leaves nothing valid behind.
 */

import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Share } from '../store/entities.ts';

/** A password is checked again after this time, however often it is used. */
export const PROVEN_FOR_MS = 5 * 60_000;
/** Limit on remembered passwords; beyond it the oldest are forgotten. */
export const MAX_PROVEN_PASSWORDS = 10_000;

const KEY_BYTES = 32;

/** Something that a password protects. */
export type ProtectedShare = Pick<Share, 'uuid' | 'accessEpoch' | 'passwordHash'>;

export class ProvenPasswords {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #key = randomBytes(KEY_BYTES);
  /** HMAC → until when, in the order in which they were proven. */
  readonly #untilMonoMs = new Map<string, number>();

  constructor(clock: Clock, max = MAX_PROVEN_PASSWORDS) {
    this.#clock = clock;
    this.#max = max;
  }

  get size(): number {
    return this.#untilMonoMs.size;
  }

  /** Call only for a guess that counts toward the limit of guesses: this responds faster than any check. */
  has(share: ProtectedShare, password: string): boolean {
    this.#forgetOld();
    return this.#untilMonoMs.has(this.#nameOf(share, password));
  }

  /** It was correct just now. */
  add(share: ProtectedShare, password: string): void {
    const name = this.#nameOf(share, password);
    this.#untilMonoMs.delete(name);
    this.#untilMonoMs.set(name, this.#clock.monoMs() + PROVEN_FOR_MS);
    if (this.#untilMonoMs.size > this.#max) {
      this.#untilMonoMs.delete(this.#untilMonoMs.keys().next().value!);
    }
  }

  #forgetOld(): void {
    const nowMonoMs = this.#clock.monoMs();
    for (const [name, untilMonoMs] of this.#untilMonoMs) {
      if (untilMonoMs > nowMonoMs) return;
      this.#untilMonoMs.delete(name);
    }
  }

  /** NFC, as it is hashed. */
  #nameOf({ uuid, accessEpoch, passwordHash }: ProtectedShare, password: string): string {
    const hmac = createHmac('sha256', this.#key);
    hmac.update(JSON.stringify([uuid, accessEpoch, passwordHash, password.normalize('NFC')]));
    return hmac.digest('base64');
  }
}
