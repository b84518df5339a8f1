/** COSE_Sign1 and COSE_Key (RFC 9052) with Ed25519 (RFC 9053 §2.2). Without Node.js: the viewer page loads this file, too. */

import { type CborMap, CborTag, type CborValue, cborOf, cborValue } from './cbor.ts';

/** Labels of COSE headers (RFC 9052 §3.1, RFC 9360 §2). */
export const COSE_HEADER = { algorithm: 1, keyId: 4, x5chain: 33 } as const;
export const EDDSA = -8;
const SIGN1_TAG = 18;
const KEY = { type: 1, id: 2, algorithm: 3, curve: -1, x: -2 } as const;
const OKP = 1;
const ED25519_CURVE = 6;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface CoseSign1 {
  /** The protected header as it was signed. */
  readonly protectedBytes: Uint8Array;
  readonly protectedHeader: CborMap;
  readonly unprotectedHeader: CborMap;
  /** null: it is elsewhere. */
  readonly payload: Uint8Array | null;
  readonly signature: Uint8Array;
}

/** What is signed: Sig_structure (RFC 9052 §4.4). */
export function toBeSigned(protectedBytes: Uint8Array, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  return cborOf(['Signature1', protectedBytes, new Uint8Array(), payload]);
}

/** As a tagged value. */
export function sign1Value(sign1: Omit<CoseSign1, 'protectedHeader'>): CborTag {
  const { protectedBytes, unprotectedHeader, payload, signature } = sign1;
  return new CborTag(SIGN1_TAG, [protectedBytes, unprotectedHeader, payload, signature]);
}

/** Throws a RangeError if it is not a tagged COSE_Sign1. */
export function sign1Of(value: CborValue): CoseSign1 {
  const fields = value instanceof CborTag && value.tag === SIGN1_TAG ? value.value : null;
  const [protectedBytes, unprotectedHeader, payload, signature] = Array.isArray(fields) ? fields : [];
  if (payload !== null && !(payload instanceof Uint8Array)) throw new RangeError('the payload is not bytes');
  return {
    protectedBytes: bytesOf(protectedBytes),
    protectedHeader: mapOf(cborValue(bytesOf(protectedBytes))),
    unprotectedHeader: mapOf(unprotectedHeader),
    payload,
    signature: bytesOf(signature, SIGNATURE_BYTES),
  };
}

/** A public Ed25519 key. */
export function coseKeyOf(id: Uint8Array, x: Uint8Array): CborMap {
  return new Map<number, CborValue>([
    [KEY.type, OKP],
    [KEY.id, id],
    [KEY.algorithm, EDDSA],
    [KEY.curve, ED25519_CURVE],
    [KEY.x, x],
  ]);
}

/** Throws a RangeError if it is another kind of key. */
export function ed25519Of(key: CborMap): { readonly id: Uint8Array; readonly x: Uint8Array<ArrayBuffer> } {
  const isEd25519 = key.get(KEY.type) === OKP && key.get(KEY.curve) === ED25519_CURVE;
  if (!isEd25519 || key.get(KEY.algorithm) !== EDDSA) throw new RangeError('not an Ed25519 key');
  return { id: bytesOf(key.get(KEY.id)), x: new Uint8Array(bytesOf(key.get(KEY.x), KEY_BYTES)) };
}

/** Throws a RangeError. `count`: how many they must be. */
export function bytesOf(value: CborValue | undefined, count?: number): Uint8Array {
  const isMeant = value instanceof Uint8Array && (count === undefined || value.length === count);
  if (!isMeant) throw new RangeError('not the expected bytes');
  return value;
}

/** Throws a RangeError. */
export function mapOf(value: CborValue | undefined): CborMap {
  if (!(value instanceof Map)) throw new RangeError('not a map');
  return value as CborMap;
}
