/**
 * Browsers in which a person has signed in before. Each has a proof in a cookie of its own, and guesses of its own (sign-in-guesses.ts). So
 * other people cannot use up the guesses that the person has there (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The
 * proof opens nothing.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { Secret } from '../core/secret.ts';
import { SealedValues } from '../oidc/sign-in-attempt.ts';

/** As long as browsers keep a cookie, nearly. */
export const KNOWN_BROWSER_MS = 365 * 86_400_000;
const NAME_BYTES = 12;

interface Proof {
  /** A digest: the cookie does not contain the address. */
  readonly of: string;
  readonly name: string;
  readonly expiresAtMs: number;
}

export interface KnownBrowser {
  readonly name: string;
  /** Whether the person who signed in had this email address, as `emailKey` writes it. */
  isOf(key: string): boolean;
}

export class KnownBrowsers {
  readonly #proofs: SealedValues<Proof>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(key: Uint8Array, clock: Pick<Clock, 'epochMs'>) {
    this.#proofs = new SealedValues(key, 'known browser', clock);
    this.#clock = clock;
  }

  /** Proof for the browser in which the person with this email address (`emailKey`) has just signed in. */
  proofFor(key: string): Secret {
    const name = randomBytes(NAME_BYTES).toString('base64url');
    const expiresAtMs = this.#clock.epochMs() + KNOWN_BROWSER_MS;
    return new Secret(this.#proofs.seal({ of: digestOf(key), name, expiresAtMs }));
  }

  /** null: no sign-in there, or too long ago. */
  find(proof: string | null): KnownBrowser | null {
    const known = this.#proofs.open(proof);
    return known && { name: known.name, isOf: (key) => digestOf(key) === known.of };
  }
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
