/**
 * The gateway's keys for evidence (docs/design/evidence.md): Ed25519 (RFC 8032), derived from the gateway's secret, one per
 * generation. Every node of a cluster has the same secret, so all sign with the same key.
 */

import { createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject } from 'node:crypto';

/** A key with its name. */
export interface SigningKey {
  readonly generation: number;
  /** The first 16 bytes of the SHA-256 digest of the public key as SubjectPublicKeyInfo (RFC 8410). */
  readonly keyName: Buffer;
  readonly key: KeyObject;
  readonly publicKey: KeyObject;
}

const SEED_BYTES = 32;
const NAME_BYTES = 16;
/** PrivateKeyInfo of an Ed25519 key, up to its seed (RFC 8410 §7). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `secret`: 32 bytes, of this use alone. `generation`: 1 for the first key; each renewal takes the next one. */
export function signingKey(secret: Uint8Array, generation: number): SigningKey {
  const seed = Buffer.from(
    hkdfSync('sha256', secret, '', `sluice evidence signing key ${generation}`, SEED_BYTES),
  );
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key);
  return { generation, keyName: nameOfKey(publicKey), key, publicKey };
}

export function nameOfKey(publicKey: KeyObject): Buffer {
  return hash('sha256', publicKey.export({ format: 'der', type: 'spki' }), 'buffer').subarray(0, NAME_BYTES);
}
