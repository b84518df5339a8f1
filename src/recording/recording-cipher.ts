/**
 * Encryption of recordings at rest (docs/design/recording.md#encryption): AES-256 in counter mode (NIST SP 800-38A §6.5),
 * whose counter is the place in the file, so that any range can be read alone. Every camera has a key of its own, derived
 * from the gateway's secret by HKDF (RFC 5869), and every file one derived from that and a random id in its header. So no
 * key is ever used for two files, and no key has to be stored.
 */

import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Ruuid } from '../core/ruuid.ts';

export const KEY_ID_BYTES = 16;
export const KEY_CHECK_BYTES = 8;
const KEY_BYTES = 32;
const BLOCK_BYTES = 16;
const ALGORITHM = 'aes-256-ctr';

/** One file's. */
export class RecordingCipher {
  readonly keyId: Buffer;
  /** Says in the header whether a key is the right one, and nothing about it. */
  readonly keyCheck: Buffer;
  readonly #key: Buffer;

  constructor(key: Buffer, keyId: Buffer, keyCheck: Buffer) {
    this.#key = key;
    this.keyId = keyId;
    this.keyCheck = keyCheck;
  }

  /** Encrypts or decrypts bytes that lie at `offset` of the file. */
  apply(offset: number, bytes: Uint8Array): Buffer {
    const counter = Buffer.alloc(BLOCK_BYTES);
    counter.writeBigUInt64BE(BigInt(Math.floor(offset / BLOCK_BYTES)), BLOCK_BYTES / 2);
    const cipher = createCipheriv(ALGORITHM, this.#key, counter);
    const skipped = offset % BLOCK_BYTES;
    if (skipped > 0) cipher.update(Buffer.alloc(skipped));
    return cipher.update(bytes);
  }
}

export class RecordingKeys {
  readonly #master: Buffer;

  /** 32 bytes, derived from the gateway's secret for this use. Copied. */
  constructor(master: Uint8Array) {
    if (master.length !== KEY_BYTES) throw new RangeError(`a recording key has ${KEY_BYTES} bytes`);
    this.#master = Buffer.from(master);
  }

  /** The cipher of a new file of the camera. */
  newCipher(cameraUuid: Ruuid): RecordingCipher {
    return this.cipherOf(cameraUuid, randomBytes(KEY_ID_BYTES));
  }

  /** The cipher of a file with this ID in its header. */
  cipherOf(cameraUuid: Ruuid, keyId: Buffer): RecordingCipher {
    const ofCamera = derive(this.#master, '', `recordings of ${cameraUuid}`, KEY_BYTES);
    const key = derive(ofCamera, keyId, 'recording file', KEY_BYTES);
    return new RecordingCipher(key, keyId, derive(ofCamera, keyId, 'recording file check', KEY_CHECK_BYTES));
  }
}

function derive(key: Buffer, salt: Buffer | string, use: string, byteLength: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `sluice ${use} 1`, byteLength));
}
