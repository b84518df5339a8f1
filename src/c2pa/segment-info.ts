/**
 * The box in a segment with its signature: an `emsg` (ISO/IEC 23009-1 §5.10.3.3) with a COSE_Sign1 over the segment's number,
 * hash, and manifest (C2PA 2.4 §19.4). Without Node.js.
 */

import { BOX_HEADER_BYTES, boxOf, isEqual, type TopBox } from './boxes.ts';
import { type CborMap, type CborValue, cborOf, cborValue, joined } from './cbor.ts';
import { bytesOf, COSE_HEADER, type CoseSign1, EDDSA, mapOf, sign1Of, sign1Value } from './cose.ts';
import { textZ } from './manifest-box.ts';

export interface SegmentInfo {
  readonly sequenceNumber: number;
  /** SHA-256 over the boxes, without this one. */
  readonly hash: Uint8Array;
  readonly manifestId: string;
}

/** Fields of the box outside the signed value. So the protected header repeats them. */
export interface EventFields {
  readonly timescaleHz: number;
  /** At least that of the segment. */
  readonly durationTicks: number;
  /** Unique in a session. */
  readonly id: number;
}

/** What is signed. */
export interface SegmentStatement extends SegmentInfo, EventFields {
  readonly keyId: Uint8Array;
  /** Time of signing, epoch seconds. */
  readonly signedAtSec: number;
}

export interface ReadStatement extends SegmentStatement {
  readonly sign1: CoseSign1 & { readonly payload: Uint8Array };
}

const SCHEME = 'urn:c2pa:verifiable-segment-info';
const VALUE = 'fseg';
const VERSION_AND_FLAGS = new Uint8Array(4);
const HEAD = joined([VERSION_AND_FLAGS, textZ(SCHEME), textZ(VALUE)]);
const NUMBERS_BYTES = 16;
/** Where a box of version 0 has its scheme. */
const SCHEME_OFFSET = BOX_HEADER_BYTES + VERSION_AND_FLAGS.length;
const SCHEME_BYTES = new TextEncoder().encode(SCHEME);
/** Headers of ours: the time of signing (RFC 8392 §3.1.6), and EventFields. */
const [ISSUED_AT, EVENT] = ['iat', 'sluice.event'];
const SIGNATURE_BYTES = 64;
const HASH_BYTES = 32;

export function isSegmentInfo({ type, bytes }: TopBox): boolean {
  return (
    type === 'emsg' &&
    isEqual(bytes.subarray(SCHEME_OFFSET, SCHEME_OFFSET + SCHEME_BYTES.length), SCHEME_BYTES)
  );
}

export function protectedHeaderOf({
  signedAtSec,
  timescaleHz,
  durationTicks,
  id,
}: SegmentStatement): Uint8Array {
  return cborOf(
    new Map<number | string, CborValue>([
      [COSE_HEADER.algorithm, EDDSA],
      [ISSUED_AT!, signedAtSec],
      [EVENT!, [timescaleHz, durationTicks, id]],
    ]),
  );
}

export function payloadOf({ sequenceNumber, hash, manifestId }: SegmentInfo): Uint8Array {
  return cborOf(
    new Map<string, CborValue>([
      ['sequenceNumber', sequenceNumber],
      ['bmffHash', boxHash(hash, '/emsg', SCHEME_OFFSET, SCHEME_BYTES)],
      ['manifestId', manifestId],
    ]),
  );
}

/** `signature`: over the protected header and the payload. */
export function segmentInfoBox(statement: SegmentStatement, signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const { timescaleHz, durationTicks, id, keyId } = statement;
  const numbers = new Uint8Array(NUMBERS_BYTES);
  const view = new DataView(numbers.buffer);
  view.setUint32(0, timescaleHz);
  view.setUint32(8, durationTicks);
  view.setUint32(12, id);
  const message = cborOf(
    sign1Value({
      protectedBytes: protectedHeaderOf(statement),
      unprotectedHeader: new Map([[COSE_HEADER.keyId, keyId]]),
      payload: payloadOf(statement),
      signature,
    }),
  );
  return boxOf('emsg', HEAD, numbers, message);
}

/** How long the box will be: the hash of what follows it depends on it. */
export function segmentInfoBytes(statement: Omit<SegmentStatement, 'hash'>): number {
  const unknown = { ...statement, hash: new Uint8Array(HASH_BYTES) };
  return segmentInfoBox(unknown, new Uint8Array(SIGNATURE_BYTES)).length;
}

/** Throws a RangeError unless the box is exactly what `segmentInfoBox` makes of the statement. */
export function readSegmentInfo(box: Uint8Array): ReadStatement {
  const numbersAt = BOX_HEADER_BYTES + HEAD.length;
  const sign1 = sign1Of(cborValue(box.subarray(numbersAt + NUMBERS_BYTES)));
  const payload = bytesOf(sign1.payload ?? undefined);
  const info = mapOf(cborValue(payload));
  const event = sign1.protectedHeader.get(EVENT!);
  const [timescaleHz, durationTicks, id] = Array.isArray(event) ? event.map(numberOf) : [];
  const statement = {
    sequenceNumber: numberOf(info.get('sequenceNumber')),
    hash: bytesOf(mapOf(info.get('bmffHash')).get('hash'), HASH_BYTES),
    manifestId: textOf(info.get('manifestId')),
    timescaleHz: numberOf(timescaleHz),
    durationTicks: numberOf(durationTicks),
    id: numberOf(id),
    keyId: bytesOf(sign1.unprotectedHeader.get(COSE_HEADER.keyId)),
    signedAtSec: numberOf(sign1.protectedHeader.get(ISSUED_AT!)),
  };
  if (!isEqual(segmentInfoBox(statement, sign1.signature), box))
    throw new RangeError('another form of a box');
  return { ...statement, sign1: { ...sign1, payload } };
}

/** A bmff-hash-map (C2PA 2.4 §18.6.2) that leaves out the boxes at `xpath` that have these bytes at `offset`. */
export function boxHash(hash: Uint8Array, xpath: string, offset: number, bytes: Uint8Array): CborMap {
  const data = new Map<string, CborValue>([
    ['offset', offset],
    ['value', bytes],
  ]);
  const exclusion = new Map<string, CborValue>([
    ['xpath', xpath],
    ['data', [data]],
  ]);
  return new Map<string, CborValue>([
    ['exclusions', [exclusion]],
    ['alg', 'sha256'],
    ['hash', hash],
  ]);
}

/** Throws a RangeError. */
export function numberOf(value: CborValue | undefined): number {
  if (typeof value !== 'number' || value < 0) throw new RangeError('not a number');
  return value;
}

/** Throws a RangeError. */
export function textOf(value: CborValue | undefined): string {
  if (typeof value !== 'string') throw new RangeError('not a text');
  return value;
}
