/**
 * A time stamp (RFC 3161): an authority signs when it saw the digest of something. A CMS SignedData (RFC 5652 §5) with TSTInfo. Without
 * Node.js. Whether someone trusts the authority is theirs to decide: its certificate is named, and leads nowhere here.
 */

import { namesOf } from './certificate-names.ts';
import { type DerElement, derAt, derChildren, derOf, derTimeMs, oidHex } from './der.ts';
import { digest, hexOf } from './verify-media.ts';

export interface TimeStampFinding {
  /** `unverifiable`: signed in a way that is not known here. */
  readonly state: 'whole' | 'changed' | 'missing' | 'unverifiable';
  /** When the authority signed, epoch milliseconds; null: unreadable. */
  readonly atMs: number | null;
  /** Whose certificate it says it is; null: unreadable. */
  readonly authority: string | null;
  /** SHA-256 of that certificate, hexadecimal. */
  readonly fingerprint: string | null;
}

/** What a response says, before its signature is checked. */
interface Stamp {
  readonly info: Uint8Array;
  readonly atMs: number;
  /** Of what was stamped. */
  readonly imprintHex: string;
  readonly imprintHash: string | undefined;
  readonly nonceHex: string | null;
  readonly signer: DerElement[];
  readonly certificate: DerElement;
}

const TAG = { set: 0x31, sequence: 0x30, integer: 0x02, first: 0xa0 } as const;
const SIGNED_DATA = '2a864886f70d010702';
const TST_INFO = '2a864886f70d0109100104';
const MESSAGE_DIGEST = '2a864886f70d010904';
/** id-kp-timeStamping with its tag: the certificate must be for that (RFC 3161 §2.3). */
const FOR_TIME_STAMPING = '06082b06010505070308';
const RSA_PSS = '2a864886f70d01010a';
const HASHES: Readonly<Record<string, string>> = {
  '608648016503040201': 'SHA-256',
  '608648016503040202': 'SHA-384',
  '608648016503040203': 'SHA-512',
};
/** Signature algorithms by identifier; without a hash, it is that of the signer. */
const SIGNATURES: Readonly<Record<string, { readonly name: string; readonly hash?: string }>> = {
  '2a864886f70d010101': { name: 'RSASSA-PKCS1-v1_5' },
  '2a864886f70d01010b': { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  '2a864886f70d01010c': { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  '2a864886f70d01010d': { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  [RSA_PSS]: { name: 'RSA-PSS' },
  '2a8648ce3d040302': { name: 'ECDSA', hash: 'SHA-256' },
  '2a8648ce3d040303': { name: 'ECDSA', hash: 'SHA-384' },
  '2a8648ce3d040304': { name: 'ECDSA', hash: 'SHA-512' },
  '2b6570': { name: 'Ed25519' },
};
/** Curves by identifier, and the bytes of a coordinate. */
const CURVES: Readonly<Record<string, { readonly namedCurve: string; readonly bytes: number }>> = {
  '2a8648ce3d030107': { namedCurve: 'P-256', bytes: 32 },
  '2b81040022': { namedCurve: 'P-384', bytes: 48 },
  '2b81040023': { namedCurve: 'P-521', bytes: 66 },
};
/** AlgorithmIdentifier of RSA keys (RFC 3279 §2.3.1): WebCrypto takes no key that is for PSS alone. */
const RSA_ALGORITHM = Uint8Array.of(
  0x30,
  0x0d,
  0x06,
  0x09,
  0x2a,
  0x86,
  0x48,
  0x86,
  0xf7,
  0x0d,
  0x01,
  0x01,
  0x01,
  0x05,
  0,
);
const MGF1 = '2a864886f70d010108';
/** Tags of the parameters of RSA-PSS (RFC 4055 §3.1). */
const PSS = { hash: 0xa0, maskGeneration: 0xa1, saltLength: 0xa2, trailer: 0xa3 } as const;
const UNREADABLE = { atMs: null, authority: null, fingerprint: null } as const;

/** `response`: a TimeStampResp. `stamped`: the bytes whose SHA-256 it must have. Never rejects. */
export async function checkTimeStamp(response: Uint8Array, stamped: Uint8Array): Promise<TimeStampFinding> {
  try {
    const stamp = stampOf(response);
    const { certificate, atMs } = stamp;
    const shown = {
      atMs,
      authority: namesOf(certificate.bytes)?.subject ?? null,
      fingerprint: hexOf(await digest(certificate.bytes)),
    };
    const isOfThis = stamp.imprintHash === 'SHA-256' && stamp.imprintHex === hexOf(await digest(stamped));
    const signed = await isSigned(stamp);
    if (signed === null) return { state: isOfThis ? 'unverifiable' : 'changed', ...shown };
    return { state: isOfThis && signed && isForStamps(certificate, atMs) ? 'whole' : 'changed', ...shown };
  } catch {
    return { state: 'changed', ...UNREADABLE };
  }
}

/** The nonce of the response, hexadecimal; null: none. Throws if it is no response with a time stamp. */
export function nonceOf(response: Uint8Array): string | null {
  return stampOf(response).nonceHex;
}

/** Throws a RangeError or a TypeError if it has another form. */
function stampOf(response: Uint8Array): Stamp {
  const [, token] = derChildren(derAt(response, 0));
  const [type, wrapped] = derChildren(token!);
  if (oidHex(type!) !== SIGNED_DATA) throw new RangeError('no signed data');
  const parts = derChildren(derChildren(wrapped!)[0]!);
  const [contentType, content] = derChildren(parts[2]!);
  if (oidHex(contentType!) !== TST_INFO) throw new RangeError('no time stamp');
  const info = derChildren(content!)[0]!.content;
  const [, , imprint, , time, ...more] = derChildren(derAt(info, 0));
  const [algorithm, imprinted] = derChildren(imprint!);
  const atMs = derTimeMs(time!);
  if (atMs === null) throw new RangeError('no time');
  const signer = derChildren(derChildren(parts.findLast(({ tag }) => tag === TAG.set)!)[0]!);
  const certificates = derChildren(parts.find(({ tag }) => tag === TAG.first)!);
  const nonce = more.find(({ tag }) => tag === TAG.integer);
  return {
    info,
    atMs,
    imprintHex: hexOf(imprinted!.content),
    imprintHash: HASHES[oidHex(derChildren(algorithm!)[0]!)],
    nonceHex: nonce === undefined ? null : hexOf(nonce.content),
    signer,
    certificate: certificates.find((each) => isOfSigner(each, signer[1]!))!,
  };
}

/** By issuer and serial number (RFC 5652 §5.3). */
function isOfSigner(certificate: DerElement, identifier: DerElement): boolean {
  const [issuer, serial] = derChildren(identifier);
  const fields = fieldsOf(certificate);
  return hexOf(fields[0]!.bytes) === hexOf(serial!.bytes) && hexOf(fields[2]!.bytes) === hexOf(issuer!.bytes);
}

/** Serial number, algorithm, issuer, validity, subject, key. */
function fieldsOf(certificate: DerElement): DerElement[] {
  return derChildren(derChildren(certificate)[0]!).filter(({ tag }, index) => index > 0 || tag !== TAG.first);
}

function isForStamps(certificate: DerElement, atMs: number): boolean {
  const [from, to] = derChildren(fieldsOf(certificate)[3]!).map(derTimeMs);
  const isValid = from != null && to != null && from <= atMs && atMs <= to;
  return isValid && hexOf(certificate.content).includes(FOR_TIME_STAMPING);
}

/** null: the algorithm is not known here. */
async function isSigned({ info, signer, certificate }: Stamp): Promise<boolean | null> {
  const [, , digestAlgorithm, attributes, signatureAlgorithm, signature] = signer;
  const hash = HASHES[oidHex(derChildren(digestAlgorithm!)[0]!)];
  const known = SIGNATURES[oidHex(derChildren(signatureAlgorithm!)[0]!)];
  if (hash === undefined || known === undefined) return null;
  const content = hexOf(new Uint8Array(await crypto.subtle.digest(hash, info as Uint8Array<ArrayBuffer>)));
  const stated = derChildren(attributes!).map((attribute) => derChildren(attribute));
  const messageDigest = stated.find(([type]) => oidHex(type!) === MESSAGE_DIGEST);
  if (hexOf(derChildren(messageDigest![1]!)[0]!.content) !== content) return false;
  // They are signed as a SET, and not with the tag that they have here.
  const toCheck = Uint8Array.from(attributes!.bytes);
  toCheck[0] = TAG.set;
  const spki = fieldsOf(certificate)[5]!;
  const curve = CURVES[oidHex(derChildren(derChildren(spki)[0]!)[1] ?? { content: new Uint8Array() })];
  if (known.name === 'ECDSA' && curve === undefined) return null;
  const pss = known.name === 'RSA-PSS' ? pssOf(derChildren(signatureAlgorithm!)[1]) : null;
  if (known.name === 'RSA-PSS' && (pss === null || pss.hash !== hash)) return null;
  const algorithm = {
    name: known.name,
    hash: known.hash ?? hash,
    namedCurve: curve?.namedCurve ?? '',
    saltLength: pss?.saltLength ?? 0,
  };
  const key = await crypto.subtle
    .importKey('spki', plainKey(spki) as Uint8Array<ArrayBuffer>, algorithm, false, ['verify'])
    .catch(() => null);
  if (key === null) return null;
  const bytes = curve === undefined ? signature!.content : joined(signature!.content, curve.bytes);
  return crypto.subtle.verify(algorithm, key, bytes as Uint8Array<ArrayBuffer>, toCheck);
}

/** null: WebCrypto knows no such combination, or there are no parameters, which means SHA-1. */
function pssOf(
  parameters: DerElement | undefined,
): { readonly hash: string; readonly saltLength: number } | null {
  if (parameters === undefined) return null;
  const fields = derChildren(parameters);
  const field = (wanted: number) => fields.find(({ tag }) => tag === wanted);
  const [hash, mask, salt] = [field(PSS.hash), field(PSS.maskGeneration), field(PSS.saltLength)];
  if (hash === undefined || mask === undefined || salt === undefined || field(PSS.trailer) !== undefined)
    return null;
  const name = HASHES[oidHex(derChildren(derChildren(hash)[0]!)[0]!)];
  const [generation, maskHash] = derChildren(derChildren(mask)[0]!);
  const isSame = oidHex(generation!) === MGF1 && HASHES[oidHex(derChildren(maskHash!)[0]!)] === name;
  const saltLength = Number.parseInt(hexOf(derChildren(salt)[0]!.content), 16);
  return name === undefined || !isSame ? null : { hash: name, saltLength };
}

/** A SubjectPublicKeyInfo whose RSA key is for every padding. Limits that a key for PSS alone has are not checked. */
function plainKey(spki: DerElement): Uint8Array {
  const [algorithm, key] = derChildren(spki);
  const isForPss = oidHex(derChildren(algorithm!)[0]!) === RSA_PSS;
  return isForPss ? derOf(TAG.sequence, RSA_ALGORITHM, key!.bytes) : spki.bytes;
}

/** The two numbers of an ECDSA signature, as WebCrypto takes them. */
function joined(signature: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(2 * length);
  for (const [index, { content }] of derChildren(derAt(signature, 0)).entries()) {
    const number = content.subarray(content.findIndex((byte) => byte !== 0));
    bytes.set(number, (index + 1) * length - number.length);
  }
  return bytes;
}
