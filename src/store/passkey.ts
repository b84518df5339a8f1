/** Passkeys (W3C Web Authentication Level 3): what people sign in with instead of a password. */

import type { Ruuid } from '../core/ruuid.ts';

export interface Passkey {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly personUuid: Ruuid;
  /** As the person calls it. */
  readonly name: string;
  /** The host name for which it was made; it works for no other. */
  readonly rpId: string;
  /** base64url; unique. */
  readonly credentialId: string;
  /** COSE_Key (RFC 9052 §7), base64url. */
  readonly publicKey: string;
  /** Signatures that the authenticator says it has made; 0: it does not count. */
  readonly counter: number;
  /** How browsers reach the authenticator, such as `internal`. */
  readonly transports: readonly string[];
  /** True: it can be on several devices; false: it never leaves the one that it is on. Never changes. */
  readonly isSynced: boolean;
  /** True: it would survive the loss of its device. */
  readonly isBackedUp: boolean;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/** Stored after a sign-in with a passkey. */
export interface PasskeyUse {
  readonly counter: number;
  readonly isBackedUp: boolean;
  readonly atMs: number;
}

/** The purpose of a challenge; it works for no other. */
export type PasskeyPurpose = 'sign-in' | 'confirm' | 'add' | 'invitation';

export interface PasskeyChallenge {
  /** SHA-256 of the challenge's text, as hex. */
  readonly challengeHash: string;
  /** SHA-256 of the token in the browser's cookie, as hex. */
  readonly browserHash: string;
  /** The address of one caller (core/subscriber.ts). */
  readonly address: string;
  readonly purpose: PasskeyPurpose;
  /** The person whose response it waits for; null: any person, for signing in. */
  readonly subjectUuid: Ruuid | null;
  /** First millisecond at which it no longer works. */
  readonly expiresAtMs: number;
}

export interface ChallengeBounds {
  readonly perAddress: number;
  readonly total: number;
}

export interface PasskeyChallengeRepository {
  /** Removes those that ended, and the oldest beyond the bounds. */
  add(challenge: PasskeyChallenge, nowMs: number, bounds: ChallengeBounds): Promise<void>;
  /** Removes the challenge: only one of two simultaneous calls gets it. Null: this browser has none such, or it has ended. */
  take(
    wanted: Pick<PasskeyChallenge, 'challengeHash' | 'browserHash' | 'purpose'>,
    nowMs: number,
  ): Promise<PasskeyChallenge | null>;
}
