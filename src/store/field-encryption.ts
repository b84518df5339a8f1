/**
 * Encryption of single columns at rest: AES-256-GCM (NIST SP 800-38D) with a fresh random nonce per value. The additional
 * authenticated data is the location of the value (table, uuid, column), so a value that is copied into another row does
 * not decrypt. Stored as text: base64 of version (1 byte), nonce (12), ciphertext, tag (16).
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { GatewayError } from '../core/errors.ts';
import { STORE_ERRORS } from './errors.ts';

const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

/** The location of an encrypted value; part of the authenticated data. */
export interface FieldPlace {
  readonly table: string;
  readonly uuid: string;
  readonly column: string;
}

/** Encrypts and decrypts columns with one key. The key is copied; the caller can wipe its own. */
export class FieldCipher {
  readonly #key: Buffer;

  /** `key`: 32 bytes. */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new RangeError(`a field key has ${KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
  }

  encrypt(place: FieldPlace, plainText: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(authenticatedPlace(place));
    const body = Buffer.concat([cipher.update(plainText, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, body, cipher.getAuthTag()]).toString('base64');
  }

  /** Fails STORE_FIELD_DAMAGED if the value was changed, moved, or written with another key. */
  decrypt(place: FieldPlace, stored: string): string {
    const bytes = Buffer.from(stored, 'base64');
    if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) throw damaged(place);
    const nonce = bytes.subarray(1, HEADER_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(authenticatedPlace(place));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    try {
      const head = decipher.update(bytes.subarray(HEADER_BYTES, bytes.length - TAG_BYTES));
      return Buffer.concat([head, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw damaged(place, cause);
    }
  }
}

function authenticatedPlace(place: FieldPlace): Buffer {
  return Buffer.from(`${VERSION}\0${place.table}\0${place.uuid}\0${place.column}`, 'utf8');
}

function damaged(place: FieldPlace, cause?: unknown): GatewayError {
  return new GatewayError(
    STORE_ERRORS.STORE_FIELD_DAMAGED,
    { table: place.table, uuid: place.uuid, column: place.column },
    cause,
  );
}
