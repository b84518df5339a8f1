/**
 * A self-signed X.509 certificate (RFC 5280) of an Ed25519 key (RFC 8410), in DER (ITU-T X.690). It names the gateway's key,
 * so that anyone who compares its fingerprint once knows the signatures of the gateway.
 */

import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';

import { derOf } from './der.ts';

export interface CertificateFacts {
  readonly commonName: string;
  readonly key: KeyObject;
  readonly publicKey: KeyObject;
  /** Start of validity, epoch milliseconds. */
  readonly nowEpochMs: number;
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  generalizedTime: 0x18,
  utcTime: 0x17,
  version: 0xa0,
  extensions: 0xa3,
} as const;
const ED25519 = '2b6570';
const COMMON_NAME = '550403';
const KEY_USAGE = '551d0f';
const BASIC_CONSTRAINTS = '551d13';
/** digitalSignature, as a bit string with 7 unused bits. */
const DIGITAL_SIGNATURE = Buffer.from('03020780', 'hex');
const VERSION_3 = Buffer.from('020102', 'hex');
const SERIAL_BYTES = 16;
/** Written as GeneralizedTime from this year on (RFC 5280 §4.1.2.5). */
const FIRST_GENERALIZED_YEAR = 2050;
/** No well-defined end (RFC 5280 §4.1.2.5). */
const NEVER = '99991231235959Z';

/** The certificate in DER. */
export function selfSignedCertificate({ commonName, key, publicKey, nowEpochMs }: CertificateFacts): Buffer {
  const algorithm = der(TAG.sequence, oid(ED25519));
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, oid(COMMON_NAME), der(TAG.utf8String, Buffer.from(commonName)))),
  );
  const validity = der(TAG.sequence, timeOf(nowEpochMs), der(TAG.generalizedTime, Buffer.from(NEVER)));
  const isCritical = der(TAG.boolean, Buffer.from([0xff]));
  const extensions = der(
    TAG.sequence,
    der(TAG.sequence, oid(BASIC_CONSTRAINTS), isCritical, der(TAG.octetString, der(TAG.sequence))),
    der(TAG.sequence, oid(KEY_USAGE), isCritical, der(TAG.octetString, DIGITAL_SIGNATURE)),
  );
  const toSign = der(
    TAG.sequence,
    der(TAG.version, VERSION_3),
    der(TAG.integer, positive(randomBytes(SERIAL_BYTES))),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(TAG.extensions, extensions),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign(null, toSign, key)]);
  return der(TAG.sequence, toSign, algorithm, der(TAG.bitString, signature));
}

export function pemOf(certificate: Uint8Array): string {
  const base64 = Buffer.from(certificate)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}

/** SHA-256 of the certificate, hexadecimal: what recipients compare. */
export function fingerprintOf(pem: string): string {
  const certificate = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return createHash('sha256').update(certificate).digest('hex');
}

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  return Buffer.from(derOf(tag, ...contents));
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

/** In the range from 2^120 to 2^127, so that no sign or zero byte is needed. */
function positive(bytes: Buffer): Buffer {
  const first = bytes[0]! & 0x7f;
  bytes[0] = first === 0 ? 1 : first;
  return bytes;
}

function timeOf(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const isGeneralized = Number(digits.slice(0, 4)) >= FIRST_GENERALIZED_YEAR;
  return isGeneralized
    ? der(TAG.generalizedTime, Buffer.from(digits))
    : der(TAG.utcTime, Buffer.from(digits.slice(2)));
}
