/**
 * Grants: the signed permission in media paths. A grant proves that its share was opened. It carries a random viewer id, so that viewers
 * can be distinguished without cookies and may change their address (docs/design/access.md). Layout, base64url: share uuid 16 ‖ viewer id 8
 * ‖ access epoch u32 ‖ expiration in epoch seconds u32 ‖ HMAC-SHA256 truncated to 16; 64 characters.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';

export const GRANT_CHARS = 64;

const UUID_BYTES = 16;
const VIEWER_ID_BYTES = 8;
const EPOCH_OFFSET = UUID_BYTES + VIEWER_ID_BYTES;
const EXPIRY_OFFSET = EPOCH_OFFSET + 4;
const SIGNED_BYTES = EXPIRY_OFFSET + 4;
const MAC_BYTES = 16;
const MIN_KEY_BYTES = 32;
const MAX_U32 = 2 ** 32 - 1;

export interface Grant {
  readonly of: 'share';
  readonly shareUuid: Ruuid;
  /** 8 random bytes, base64url. */
  readonly viewerId: string;
  /** The share's access epoch when the grant was made. */
  readonly accessEpoch: number;
  /** First second at which it is no longer valid. */
  readonly expiresAtSec: number;
}

/** Under which the synthetic viewer watches a share, apart from the share's viewers. */
export function probeAudienceUuid(shareUuid: Ruuid): Ruuid {
  return deriveRuuid('probe audience', shareUuid);
}

/** Whether a grant could have this viewer ID. */
export function isViewerId(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === VIEWER_ID_BYTES && bytes.toString('base64url') === text;
}

export class Grants {
  readonly #key: Buffer;
  readonly #use: string;

  /** `key`: at least 32 bytes, used for nothing else. Copied. Throws RangeError for a shorter one. */
  constructor(key: Buffer, use: 'media' | 'files' | 'probe' = 'media') {
    if (key.length < MIN_KEY_BYTES) throw new RangeError(`a grant key has ${MIN_KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
    // The first kind of grant is older than the other, and grants survive a restart.
    this.#use = use === 'media' ? '' : use;
  }

  /** Grants of shared groups of files: neither kind is ever accepted as the other. */
  static forGroups(key: Buffer): Grants {
    return new Grants(key, 'files');
  }

  /** Grants of the synthetic viewer, which does not count as a viewer. */
  static forProbes(key: Buffer): Grants {
    return new Grants(key, 'probe');
  }

  /**
   * A grant for a new viewer, or for one that has other grants: `viewerId` as in theirs. `expiresAtSec` is capped at 2106.
   */
  issue(shareUuid: Ruuid, accessEpoch: number, expiresAtSec: number, viewerId?: string): string {
    const bytes = Buffer.allocUnsafe(SIGNED_BYTES + MAC_BYTES);
    bytes.write(shareUuid, 0, 'base64url');
    if (viewerId === undefined) randomBytes(VIEWER_ID_BYTES).copy(bytes, UUID_BYTES);
    else bytes.write(viewerId, UUID_BYTES, VIEWER_ID_BYTES, 'base64url');
    bytes.writeUInt32BE(accessEpoch, EPOCH_OFFSET);
    bytes.writeUInt32BE(Math.min(expiresAtSec, MAX_U32), EXPIRY_OFFSET);
    this.#mac(bytes.subarray(0, SIGNED_BYTES)).copy(bytes, SIGNED_BYTES);
    return bytes.toString('base64url');
  }

  /** null if this gateway did not make it. Accepts only one spelling. Does not check whether it is still valid. */
  verify(text: string): Grant | null {
    if (text.length !== GRANT_CHARS) return null;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== SIGNED_BYTES + MAC_BYTES || bytes.toString('base64url') !== text) return null;
    if (!timingSafeEqual(this.#mac(bytes.subarray(0, SIGNED_BYTES)), bytes.subarray(SIGNED_BYTES)))
      return null;
    return {
      of: 'share',
      shareUuid: bytes.toString('base64url', 0, UUID_BYTES) as Ruuid,
      viewerId: bytes.toString('base64url', UUID_BYTES, EPOCH_OFFSET),
      accessEpoch: bytes.readUInt32BE(EPOCH_OFFSET),
      expiresAtSec: bytes.readUInt32BE(EXPIRY_OFFSET),
    };
  }

  #mac(signed: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(this.#use).update(signed).digest().subarray(0, MAC_BYTES);
  }
}
