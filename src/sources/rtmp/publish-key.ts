/**
 * Publish keys of cameras. The gateway keeps only their digests, in the store (store/pushed-address.ts) and in memory. A
 * key has too many characters to be found from its digest.
 */

import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../../core/secret.ts';

/** The form of a publish key: text that every encoder's form accepts, and that cannot be guessed. */
export const PUBLISH_KEY_PATTERN = /^[A-Za-z0-9_-]{20,128}$/;

const KEY_RANDOM_BYTES = 24;
/** The first part of the path, which encoders call application. */
const APPLICATION = 'live';

/** A new key: 32 characters with 192 random bits. */
export function makePublishKey(): Secret {
  return new Secret(randomBytes(KEY_RANDOM_BYTES).toString('base64url'));
}

/** SHA-256 as base64url. */
export function publishDigest(key: Secret): string {
  return createHash('sha256').update(key.reveal()).digest('base64url');
}

/**
 * The digest of the key in a publisher's path, `live/<key>`: the only one that is looked up, so that the time of the
 * lookup says nothing about keys. null: the path has another form.
 */
export function digestInPath(path: string): string | null {
  const parts = path.split('/').filter((part) => part !== '');
  const [application, key] = parts;
  if (parts.length !== 2 || application !== APPLICATION || key === undefined) return null;
  return PUBLISH_KEY_PATTERN.test(key) ? publishDigest(new Secret(key)) : null;
}
