/**
 * Share tokens: the unguessable part of the links that people pass on. Derived from the share's uuid and a key, so the
 * store holds no link: base64url(uuid, 16 bytes ‖ HMAC-SHA256 truncated to 12 bytes), 38 characters
 * (docs/design/access.md).
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ruuid } from '../core/ruuid.ts';

export const SHARE_TOKEN_CHARS = 38;

const UUID_BYTES = 16;
const MAC_BYTES = 12;
/** A key shorter than the MAC's strength is a configuration mistake. */
const MIN_KEY_BYTES = 32;

/** Limit on cached tokens: about 100 bytes each. */
const MAX_KNOWN_TOKENS = 50_000;

export class ShareTokens {
  readonly #key: Buffer;
  readonly #use: string;
  /** Lists request the same ones again and again, and each costs the garbage collector a native object. */
  readonly #known = new Map<Ruuid, string>();

  /** `key`: at least 32 bytes, used for nothing else. Copied. Throws RangeError for a shorter one. */
  constructor(key: Buffer, use: 'camera' | 'video wall' | 'files' = 'camera') {
    if (key.length < MIN_KEY_BYTES) throw new RangeError(`a share token key has ${MIN_KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
    // The first kind of token is older than the others, and links stay valid.
    this.#use = use === 'camera' ? '' : use;
  }

  /** Tokens of shared video walls: neither kind is ever accepted as the other. */
  static forWalls(key: Buffer): ShareTokens {
    return new ShareTokens(key, 'video wall');
  }

  /** Tokens of shared groups of files. */
  static forGroups(key: Buffer): ShareTokens {
    return new ShareTokens(key, 'files');
  }

  tokenOf(shareUuid: Ruuid): string {
    const known = this.#known.get(shareUuid);
    if (known !== undefined) return known;
    const uuid = Buffer.from(shareUuid, 'base64url');
    const token = Buffer.concat([uuid, this.#mac(uuid)]).toString('base64url');
    if (this.#known.size >= MAX_KNOWN_TOKENS) this.#known.clear();
    this.#known.set(shareUuid, token);
    return token;
  }

  /** The share that `text` names; null if this gateway did not make it. Accepts only one spelling. */
  verify(text: string): Ruuid | null {
    if (text.length !== SHARE_TOKEN_CHARS) return null;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== UUID_BYTES + MAC_BYTES || bytes.toString('base64url') !== text) return null;
    const uuid = bytes.subarray(0, UUID_BYTES);
    if (!timingSafeEqual(this.#mac(uuid), bytes.subarray(UUID_BYTES))) return null;
    return uuid.toString('base64url') as Ruuid;
  }

  #mac(uuid: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(this.#use).update(uuid).digest().subarray(0, MAC_BYTES);
  }
}
