/** How API keys are generated and stored: only as a hash. */

import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../core/secret.ts';

const KEY_PREFIX = 'slc_';
const KEY_RANDOM_BYTES = 32;

/** A new API key: `slc_` and 43 characters with 256 random bits. */
export function makeApiKey(): Secret {
  return new Secret(KEY_PREFIX + randomBytes(KEY_RANDOM_BYTES).toString('base64url'));
}

/** SHA-256 as hex: the value of `ApiKey.keyHash`. Keys are random, so no slow hash is needed. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
