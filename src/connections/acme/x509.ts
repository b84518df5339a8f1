/** Writes X.509 certificates (RFC 5280) of keys on P-256 and of RSA, in DER (X.690) and PEM. */

import { type KeyObject, randomBytes, sign } from 'node:crypto';

/** UTCTime ends with 2049 (RFC 5280 §4.1.2.5). */
const LAST_SHORT_YEAR = 2049;

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** id-at-commonName, id-ce-subjectAltName, ecdsa-with-SHA256, sha256WithRSAEncryption. */
const COMMON_NAME = der(OBJECT_IDENTIFIER, Buffer.from('550403', 'hex'));
const SUBJECT_ALT_NAME = der(OBJECT_IDENTIFIER, Buffer.from('551d11', 'hex'));
const SIGNED_BY_P256 = der(SEQUENCE, der(OBJECT_IDENTIFIER, Buffer.from('2a8648ce3d040302', 'hex')));
/** With parameters, which are NULL (RFC 4055 §5). */
const SIGNED_BY_RSA = der(
  SEQUENCE,
  der(OBJECT_IDENTIFIER, Buffer.from('2a864886f70d01010b', 'hex')),
  Buffer.of(0x05, 0),
);
const VERSION_3 = der(VERSION, der(INTEGER, Buffer.of(2)));

export interface CertificateFields {
  /** Common names. */
  readonly subject: string;
  readonly issuer: string;
  readonly domains: readonly string[];
  /** IPv4 addresses, four bytes each. */
  readonly addresses?: readonly Buffer[];
  readonly fromEpochMs: number;
  readonly toEpochMs: number;
  readonly publicKey: KeyObject;
  /** On P-256, or of RSA. */
  readonly issuerKey: KeyObject;
}

/** Returns a signed certificate in PEM, with a random serial number. */
export function writeCertificate(fields: CertificateFields): string {
  const { subject, issuer, domains, addresses = [], fromEpochMs, toEpochMs, publicKey, issuerKey } = fields;
  const signedBy = issuerKey.asymmetricKeyType === 'rsa' ? SIGNED_BY_RSA : SIGNED_BY_P256;
  const names = der(
    SEQUENCE,
    ...domains.map((domain) => der(DNS_NAME, Buffer.from(domain, 'latin1'))),
    ...addresses.map((address) => der(IP_ADDRESS, address)),
  );
  const extensions = der(
    EXTENSIONS,
    der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, names))),
  );
  const signed = der(
    SEQUENCE,
    VERSION_3,
    serialNumber(),
    signedBy,
    nameOf(issuer),
    der(SEQUENCE, time(fromEpochMs), time(toEpochMs)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', signed, issuerKey));
  return pemOf('CERTIFICATE', der(SEQUENCE, signed, signedBy, signature));
}

function nameOf(commonName: string): Buffer {
  const attribute = der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(commonName)));
  return der(SEQUENCE, der(SET, attribute));
}

/** Positive, and without leading zeros. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return der(INTEGER, bytes);
}

function time(epochMs: number): Buffer {
  const date = new Date(epochMs);
  const text = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() > LAST_SHORT_YEAR
    ? der(GENERALIZED_TIME, Buffer.from(text))
    : der(UTC_TIME, Buffer.from(text.slice(2)));
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content]);
}

function pemOf(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
