/** Loads segments and their init sections, and decrypts them (AES-128, RFC 8216 §4.3.2.4). */

import { createDecipheriv } from 'node:crypto';
import { GatewayError } from '../../core/errors.ts';
import type { HttpClient } from '../http/http-client.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import type { MediaRange, MediaSegment, SegmentKey } from './playlist.ts';

const MAX_INIT_BYTES = 1_048_576;
const SEGMENT_TIMEOUT_MS = 20_000;
const SMALL_TIMEOUT_MS = 8_000;
const KEY_BYTES = 16;
const IV_BYTES = 16;

export class SegmentLoader {
  readonly #client: HttpClient;
  readonly #maxSegmentBytes: number;
  /** The newest of each: they change rarely. */
  #init: { readonly at: MediaRange; readonly bytes: Buffer } | null = null;
  #key: { readonly url: string; readonly bytes: Buffer } | null = null;

  constructor(client: HttpClient, maxSegmentBytes: number) {
    this.#client = client;
    this.#maxSegmentBytes = maxSegmentBytes;
  }

  /** The init section of a segment; null if it has none. Fails like `segment`. */
  async init({ map, mediaSequenceNumber }: MediaSegment): Promise<Buffer | null> {
    if (map === null) return null;
    if (this.#init !== null && isSameRange(this.#init.at, map)) return this.#init.bytes;
    const limits = { maxBytes: MAX_INIT_BYTES, timeoutMs: SMALL_TIMEOUT_MS };
    const { body } = await this.#client.fetch(map.url, limits, map.range);
    const bytes = map.key === null ? body : await this.#decrypt(body, map.key, mediaSequenceNumber);
    this.#init = { at: map, bytes };
    return bytes;
  }

  /** Fails PULL_…, DIRECT_ADDRESS_REFUSED or HLS_SEGMENT_INVALID. */
  async segment({ url, range, key, mediaSequenceNumber }: MediaSegment): Promise<Buffer> {
    const limits = { maxBytes: this.#maxSegmentBytes, timeoutMs: SEGMENT_TIMEOUT_MS };
    const { body } = await this.#client.fetch(url, limits, range);
    return key === null ? body : this.#decrypt(body, key, mediaSequenceNumber);
  }

  async #decrypt(body: Buffer, key: SegmentKey, mediaSequenceNumber: number): Promise<Buffer> {
    const decipher = createDecipheriv(
      'aes-128-cbc',
      await this.#keyBytes(key),
      ivOf(key, mediaSequenceNumber),
    );
    try {
      return Buffer.concat([decipher.update(body), decipher.final()]);
    } catch (thrown) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { reason: 'decryption' }, thrown);
    }
  }

  async #keyBytes({ url }: SegmentKey): Promise<Buffer> {
    if (this.#key?.url === url.href) return this.#key.bytes;
    const limits = { maxBytes: KEY_BYTES, timeoutMs: SMALL_TIMEOUT_MS };
    const { body } = await this.#client.fetch(url, limits);
    if (body.length !== KEY_BYTES) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { reason: 'key' });
    }
    this.#key = { url: url.href, bytes: body };
    return body;
  }
}

/** §5.2: without an IV, the media sequence number in 128 bits. */
function ivOf({ iv }: SegmentKey, mediaSequenceNumber: number): Uint8Array {
  if (iv !== null) return iv;
  const made = Buffer.alloc(IV_BYTES);
  made.writeBigUInt64BE(BigInt(mediaSequenceNumber), IV_BYTES - 8);
  return made;
}

function isSameRange(a: MediaRange, b: MediaRange): boolean {
  return (
    a.url.href === b.url.href && a.range?.offset === b.range?.offset && a.range?.length === b.range?.length
  );
}
