/**
 * Challenges for passkeys: 256 random bits that work once, for five minutes, for one purpose, and only in the browser that requested them.
 * Only hashes are stored, of the challenge and of the token in the browser's cookie.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { PasskeyChallenge, PasskeyPurpose } from '../store/passkey.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleClient } from './console-sessions.ts';
import { newConsoleToken } from './console-token.ts';

export const CHALLENGE_MS = 5 * 60_000;
/** Beyond these, the oldest stop working. */
export const CHALLENGE_BOUNDS = { perAddress: 200, total: 10_000 };
const CHALLENGE_BYTES = 32;
const BROWSER_TOKEN = /^slp_[\w-]{43}$/;

export interface NewChallenge {
  /** base64url, as it is passed to the browser. */
  readonly challenge: string;
  /** Goes into the browser's cookie. */
  readonly browserToken: Secret;
}

export class PasskeyChallenges {
  readonly #challenges: Store['passkeyChallenges'];
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({
    store,
    clock,
  }: {
    readonly store: Pick<Store, 'passkeyChallenges'>;
    readonly clock: Pick<Clock, 'epochMs'>;
  }) {
    this.#challenges = store.passkeyChallenges;
    this.#clock = clock;
  }

  /**
   * `subjectUuid`: whose response it waits for; null: anyone's. A browser that has a token keeps it, so that each of its
   * pages can wait for a response.
   */
  async begin(
    purpose: PasskeyPurpose,
    subjectUuid: Ruuid | null,
    { address, browserToken }: ConsoleClient,
  ): Promise<NewChallenge> {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const isKept = browserToken !== null && BROWSER_TOKEN.test(browserToken);
    const token = isKept ? new Secret(browserToken) : newConsoleToken('slp_').token;
    const browserHash = hashApiKey(token.reveal());
    const nowMs = this.#clock.epochMs();
    await this.#challenges.add(
      {
        challengeHash: hashApiKey(challenge),
        browserHash,
        address: subscriberOf(address),
        purpose,
        subjectUuid,
        expiresAtMs: nowMs + CHALLENGE_MS,
      },
      nowMs,
      CHALLENGE_BOUNDS,
    );
    return { challenge, browserToken: token };
  }

  /** Uses a challenge up, whatever the outcome. Null: it does not belong to this browser, or no longer works. */
  async take(
    challenge: string,
    purpose: PasskeyPurpose,
    { browserToken }: ConsoleClient,
  ): Promise<PasskeyChallenge | null> {
    if (browserToken === null) return null;
    const wanted = { challengeHash: hashApiKey(challenge), browserHash: hashApiKey(browserToken), purpose };
    return this.#challenges.take(wanted, this.#clock.epochMs());
  }
}
