/** Client secrets, codes and tokens: random text that is shown once and stored as a hash. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const RANDOM_BYTES = 32;

/** Its first characters show the purpose of a secret, which helps anyone who finds one in the wrong place. */
export type OAuthSecretPrefix = 'slo_cs_' | 'slo_ac_' | 'slo_at_' | 'slo_rt_';

/** A new secret: the prefix, and 43 characters with 256 random bits. */
export function newOAuthSecret(prefix: OAuthSecretPrefix): string {
  return prefix + randomBytes(RANDOM_BYTES).toString('base64url');
}

/** Compares two hashes of 32 bytes as hex in constant time. */
export function isSameHash(hash: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(other, 'hex'));
}

/** PKCE S256: BASE64URL(SHA256(verifier)) (RFC 7636 §4.2). */
export function codeChallengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier, 'ascii').digest('base64url');
}
