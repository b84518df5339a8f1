/**
 * Device grants: what media paths hold when a camera is watched with an API key, a federated session, an OAuth access
 * token or a console session instead of a share. A grant proves that its principal could watch the device when it was made; whether it still can is decided for
 * every request (access-decision.ts). Layout, base64url: device uuid 16 ‖ principal uuid 16 ‖ kind of principal u8 ‖
 * viewer id 8 ‖ expiration in epoch seconds u32 ‖ HMAC-SHA256 truncated to 16; 82 characters. A share's grant is
 * shorter, so their length tells the two apart, and each kind has its own key.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';

export const DEVICE_GRANT_CHARS = 82;

const UUID_BYTES = 16;
const KIND_OFFSET = 2 * UUID_BYTES;
const VIEWER_ID_OFFSET = KIND_OFFSET + 1;
const VIEWER_ID_BYTES = 8;
const EXPIRY_OFFSET = VIEWER_ID_OFFSET + VIEWER_ID_BYTES;
const SIGNED_BYTES = EXPIRY_OFFSET + 4;
const MAC_BYTES = 16;
const MIN_KEY_BYTES = 32;
const MAX_U32 = 2 ** 32 - 1;

const KINDS = ['key', 'session', 'token', 'person'] as const;

/**
 * The identity that watches a device: an API key, a page with a federated session (accounts/federated-session.ts), an application with an
 * OAuth access token (accounts/access-tokens.ts), or a person, named by their console session.
 */
export interface Principal {
  readonly kind: (typeof KINDS)[number];
  readonly uuid: Ruuid;
}

export interface DeviceGrant {
  readonly of: 'device';
  readonly deviceUuid: Ruuid;
  readonly principal: Principal;
  /** 8 random bytes, base64url. */
  readonly viewerId: string;
  /** First second at which it is no longer valid. */
  readonly expiresAtSec: number;
}

/** Under which the viewers of a device are counted, apart from those of its shares. */
export function deviceAudienceUuid(deviceUuid: Ruuid): Ruuid {
  return deriveRuuid('device audience', deviceUuid);
}

export class DeviceGrants {
  readonly #key: Buffer;

  /** `key`: at least 32 bytes, used for nothing else. Copied. Throws RangeError for a shorter one. */
  constructor(key: Buffer) {
    if (key.length < MIN_KEY_BYTES) throw new RangeError(`a device grant key has ${MIN_KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
  }

  /** A grant for a new viewer. `expiresAtSec` is capped at 2106. */
  issue(deviceUuid: Ruuid, { kind, uuid }: Principal, expiresAtSec: number): string {
    const bytes = Buffer.allocUnsafe(SIGNED_BYTES + MAC_BYTES);
    bytes.write(deviceUuid, 0, 'base64url');
    bytes.write(uuid, UUID_BYTES, 'base64url');
    bytes.writeUInt8(KINDS.indexOf(kind), KIND_OFFSET);
    randomBytes(VIEWER_ID_BYTES).copy(bytes, VIEWER_ID_OFFSET);
    bytes.writeUInt32BE(Math.min(expiresAtSec, MAX_U32), EXPIRY_OFFSET);
    this.#mac(bytes.subarray(0, SIGNED_BYTES)).copy(bytes, SIGNED_BYTES);
    return bytes.toString('base64url');
  }

  /** null if this gateway did not make it. Accepts only one spelling. Does not check whether it is still valid. */
  verify(text: string): DeviceGrant | null {
    if (text.length !== DEVICE_GRANT_CHARS) return null;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== SIGNED_BYTES + MAC_BYTES || bytes.toString('base64url') !== text) return null;
    if (!timingSafeEqual(this.#mac(bytes.subarray(0, SIGNED_BYTES)), bytes.subarray(SIGNED_BYTES)))
      return null;
    const kind = KINDS[bytes.readUInt8(KIND_OFFSET)];
    if (kind === undefined) return null;
    return {
      of: 'device',
      deviceUuid: bytes.toString('base64url', 0, UUID_BYTES) as Ruuid,
      principal: { kind, uuid: bytes.toString('base64url', UUID_BYTES, KIND_OFFSET) as Ruuid },
      viewerId: bytes.toString('base64url', VIEWER_ID_OFFSET, EXPIRY_OFFSET),
      expiresAtSec: bytes.readUInt32BE(EXPIRY_OFFSET),
    };
  }

  #mac(signed: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(signed).digest().subarray(0, MAC_BYTES);
  }
}
