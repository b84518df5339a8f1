/**
 * Checks live video against its signatures: an init segment, and segments as they come (docs/design/live-signatures.md). Throws
 * nothing: what cannot be read is broken. Without Node.js: the viewer page loads this file, too.
 */

import { derAt, derChildren } from '../evidence/der.ts';
import { hashInput, isEqual, topBoxes } from './boxes.ts';
import { toBeSigned } from './cose.ts';
import { initHashInput, readManifest, type SessionKey } from './live-manifest.ts';
import { assertionContent } from './manifest-box.ts';
import { isSegmentInfo, readSegmentInfo } from './segment-info.ts';

/** What a signed init segment says. */
export interface LiveSigner {
  readonly manifestId: string;
  readonly streamId: string;
  /** X.509 in DER. */
  readonly certificate: Uint8Array;
  /** SHA-256 of the certificate, hexadecimal: viewers compare it. */
  readonly fingerprint: string;
  readonly session: SessionKey;
}

export type InitFinding =
  | { readonly state: 'signed'; readonly signer: LiveSigner }
  | { readonly state: 'unsigned' }
  | { readonly state: 'broken'; readonly problem: InitProblem };

export type InitProblem = 'form' | 'content' | 'signature' | 'session-key';

export type SegmentFinding =
  | { readonly state: 'signed'; readonly sequenceNumber: number; readonly signedAtSec: number }
  | { readonly state: 'unsigned' }
  | { readonly state: 'broken'; readonly problem: SegmentProblem };

/** `number`: it is in the place of another one. */
export type SegmentProblem = 'form' | 'content' | 'signature' | 'session' | 'time' | 'number';

const ED25519 = { name: 'Ed25519' };
/** An Ed25519 key in SubjectPublicKeyInfo (RFC 8410 §4), up to its bytes. */
const SPKI_START = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
const KEY_BYTES = 32;
const VERSION_TAG = 0xa0;

/** Whether this browser has what the checks need. Pages of addresses without TLS do not. */
export async function canCheck(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey(ED25519, false, ['verify', 'sign']);
    return true;
  } catch {
    return false;
  }
}

export async function checkInit(init: Uint8Array): Promise<InitFinding> {
  try {
    const manifest = readManifest(init);
    if (manifest === null) return { state: 'unsigned' };
    const { parts, assertionHashes, claimSignature, binding, session } = manifest;
    const key = keyOfCertificate(manifest.certificate);
    if (key === null) return { state: 'broken', problem: 'form' };
    if (!(await isSigned(key, claimSignature))) return { state: 'broken', problem: 'signature' };
    if (!(await isSigned(session.x, binding))) return { state: 'broken', problem: 'session-key' };
    const hashes = await Promise.all(parts.assertions.map((each) => sha256(assertionContent(each))));
    const isWhole = hashes.every((hash, at) => isEqual(hash, assertionHashes[at]!));
    if (!isWhole || !isEqual(await sha256(initHashInput(init)), manifest.initHash)) {
      return { state: 'broken', problem: 'content' };
    }
    const { manifestId, streamId, certificate } = manifest;
    const fingerprint = hexOf(await sha256(certificate));
    return { state: 'signed', signer: { manifestId, streamId, certificate, fingerprint, session } };
  } catch {
    return { state: 'broken', problem: 'form' };
  }
}

/** `expectedNumber`: the segment's number where it was found; null: not known. */
export async function checkSegment(
  segment: Uint8Array,
  { manifestId, session }: Pick<LiveSigner, 'manifestId' | 'session'>,
  expectedNumber: number | null,
): Promise<SegmentFinding> {
  try {
    const boxes = topBoxes(segment);
    const found = boxes.filter(isSegmentInfo);
    if (found.length === 0) return { state: 'unsigned' };
    if (found.length > 1) return { state: 'broken', problem: 'form' };
    const statement = readSegmentInfo(found[0]!.bytes);
    const { sign1, sequenceNumber, signedAtSec, keyId } = statement;
    const isOfSession = statement.manifestId === manifestId && isEqual(keyId, session.id);
    if (!isOfSession || sequenceNumber < session.minSequenceNumber)
      return { state: 'broken', problem: 'session' };
    const signed = { bytes: toBeSigned(sign1.protectedBytes, sign1.payload), signature: sign1.signature };
    if (!(await isSigned(session.x, signed))) return { state: 'broken', problem: 'signature' };
    const rest = boxes.filter((box) => !isSegmentInfo(box));
    if (!isEqual(await sha256(hashInput(rest)), statement.hash))
      return { state: 'broken', problem: 'content' };
    const ageSec = signedAtSec - session.createdAtSec;
    if (ageSec < 0 || ageSec > session.validitySec) return { state: 'broken', problem: 'time' };
    if (expectedNumber !== null && expectedNumber !== sequenceNumber)
      return { state: 'broken', problem: 'number' };
    return { state: 'signed', sequenceNumber, signedAtSec };
  } catch {
    return { state: 'broken', problem: 'form' };
  }
}

async function isSigned(
  x: Uint8Array,
  { bytes, signature }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly signature: Uint8Array },
): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(x), ED25519, false, ['verify']);
  return crypto.subtle.verify(ED25519, key, new Uint8Array(signature), bytes);
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
}

/** null: it has no Ed25519 key. Throws a RangeError if it is not a certificate (RFC 5280 §4.1). */
function keyOfCertificate(certificate: Uint8Array): Uint8Array | null {
  const [toSign] = derChildren(derAt(certificate, 0));
  const fields = derChildren(toSign!).filter(({ tag }) => tag !== VERSION_TAG);
  // Serial number, algorithm, issuer, validity, subject, key.
  const { bytes } = fields[5]!;
  const start = bytes.subarray(0, SPKI_START.length);
  const isEd25519 =
    isEqual(start, Uint8Array.from(SPKI_START)) && bytes.length === SPKI_START.length + KEY_BYTES;
  return isEd25519 ? bytes.subarray(SPKI_START.length) : null;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
