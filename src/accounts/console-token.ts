/** Tokens of the console: random text that is shown once and stored as a hash. */

import { randomBytes } from 'node:crypto';
import { Secret } from '../core/secret.ts';
import { hashApiKey } from '../store/api-key-hash.ts';

const RANDOM_BYTES = 32;

/** The prefixes of a session, an invitation, a one-time code, a browser that uses a passkey, and provisioning. */
export type ConsoleTokenPrefix = 'sls_' | 'sli_' | 'slk_' | 'slp_' | 'slv_';

export interface NewConsoleToken {
  readonly token: Secret;
  /** SHA-256 as hex. */
  readonly hash: string;
}

/** The prefix, and 43 characters with 256 random bits. */
export function newConsoleToken(prefix: ConsoleTokenPrefix): NewConsoleToken {
  const text = prefix + randomBytes(RANDOM_BYTES).toString('base64url');
  return { token: new Secret(text), hash: hashApiKey(text) };
}
