/**
 * A sign-in that waits for the provider: sealed in a cookie of the browser that began it, so it needs no memory here, and
 * no number of attempts pushes out another. Only that browser can finish it, once, within ten minutes.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';

export const ATTEMPT_MS = 600_000;
/** How many are remembered per kind. Codes work once at the provider, too. */
const MAX_USED = 10_000;
const MAX_SEALED_CHARS = 3_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** An own path. */
  readonly returnTo: string;
  /** Who was signed in to this browser when it began; null: no one. */
  readonly personUuid: Ruuid | null;
  readonly expiresAtMs: number;
}

/** Authenticated encryption of small values, apart by purpose. */
export class SealedValues<T extends { readonly expiresAtMs: number }> {
  readonly #key: Buffer;
  readonly #purpose: Buffer;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(key: Uint8Array, purpose: string, clock: Pick<Clock, 'epochMs'>) {
    this.#key = Buffer.from(key);
    this.#purpose = Buffer.from(purpose);
    this.#clock = clock;
  }

  seal(value: T): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(this.#purpose);
    const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** null: not sealed here for this purpose, or too old. */
  open(text: string | null): T | null {
    if (text === null || text.length > MAX_SEALED_CHARS) return null;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES));
      decipher.setAAD(this.#purpose).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const body = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      const value = JSON.parse(body.toString('utf8')) as T;
      return this.#clock.epochMs() < value.expiresAtMs ? value : null;
    } catch {
      // Text that someone else sealed: the tag is wrong.
      return null;
    }
  }
}

/** Values that work once: states of attempts, IDs of logout tokens. */
export class UsedOnce {
  readonly #used = new Set<string>();

  /** False: it was used before. */
  use(text: string): boolean {
    if (this.#used.has(text)) return false;
    this.#used.add(text);
    if (this.#used.size > MAX_USED) this.#used.delete(this.#used.values().next().value!);
    return true;
  }

  /** Its use failed, so it can be used again. */
  giveBack(text: string): void {
    this.#used.delete(text);
  }
}
