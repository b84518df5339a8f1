/** How API keys are stored: only their hash. */

import { createHash } from 'node:crypto';

/** SHA-256 as hex: what `ApiKey.keyHash` holds. Keys are random, so no slow hash is needed. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
