/**
 * An authenticator in software, with everything that tests want to get wrong. It makes passkeys with ES256, and packs their
 * data as W3C Web Authentication Level 3 §6.1 and §6.5 say.
 */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40 };

export interface AuthenticatorQuirks {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly isSynced?: boolean;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  readonly challenge?: string;
  readonly userHandle?: string | null;
  readonly attestation?: { readonly format: string; readonly statement: Cbor };
}

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

export class SoftAuthenticator {
  readonly credentialId = randomBytes(24).toString('base64url');
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  #userHandle = '';
  /** The next signature's count; null: it does not count. */
  counter: number | null = null;

  constructor() {
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** Result of `navigator.credentials.create`. */
  create(options: CreationOptions, quirks: AuthenticatorQuirks = {}) {
    this.#userHandle = options.user.id;
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(this.#coseKey())]);
    const authData = Buffer.concat([this.#data(options.rp.id, quirks, FLAGS.attested), attested]);
    const { format = 'none', statement = new Map() } = quirks.attestation ?? {};
    const attestation = new Map<string, Cbor>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    return {
      id: this.credentialId,
      clientDataJSON: clientData('webauthn.create', options.challenge, quirks),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal', 'hybrid'],
    };
  }

  /** Result of `navigator.credentials.get`. */
  get(options: RequestOptions, quirks: AuthenticatorQuirks = {}) {
    const authData = this.#data(options.rpId, quirks, 0);
    const clientDataJSON = clientData('webauthn.get', options.challenge, quirks);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = sign('sha256', Buffer.concat([authData, hash]), this.#keys.privateKey);
    const userHandle = quirks.userHandle === undefined ? this.#userHandle : quirks.userHandle;
    return {
      id: this.credentialId,
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle === null ? {} : { userHandle }),
    };
  }

  #data(
    rpId: string,
    { rpId: other, isVerified = true, isSynced = true }: AuthenticatorQuirks,
    more: number,
  ) {
    const synced = isSynced ? FLAGS.eligible | FLAGS.backedUp : 0;
    const flags = FLAGS.present | (isVerified ? FLAGS.verified : 0) | synced | more;
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags);
    rest.writeUInt32BE(this.counter === null ? 0 : this.counter++, 1);
    return Buffer.concat([
      createHash('sha256')
        .update(other ?? rpId)
        .digest(),
      rest,
    ]);
  }

  /** RFC 9053 §7.1.1: EC2, ES256, P-256. */
  #coseKey(): Map<number, Cbor> {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    return new Map<number, Cbor>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]);
  }
}

function clientData(type: string, challenge: string, quirks: AuthenticatorQuirks): string {
  const data = {
    type: quirks.type ?? type,
    challenge: quirks.challenge ?? challenge,
    origin: quirks.origin ?? 'https://api.example',
    crossOrigin: quirks.crossOrigin ?? false,
  };
  return Buffer.from(JSON.stringify(data)).toString('base64url');
}

export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

/** RFC 8949 §3: as much of CBOR as authenticators use. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
    return Buffer.concat([head(5, value.size), ...entries]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(cbor)]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
