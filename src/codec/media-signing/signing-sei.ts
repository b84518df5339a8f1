/**
 * The SEI NAL units in which a camera signs its video: ONVIF Media Signing Specification §5, user_data_unregistered
 * (ISO/IEC 14496-10 §D.1.7, ISO/IEC 23008-2 §D.2.7) with tags, lengths, and values. What a camera sends is untrusted.
 */

import { withoutEmulationPrevention } from '../emulation-prevention.ts';

/** General facts, which every SEI has. */
export interface SignedGroup {
  /** Cameras number their groups; the number of the previous one and 1, modulo 2^32. */
  readonly number: number;
  /** It ends before the next key frame, because the camera signs parts of long groups. */
  readonly isPart: boolean;
  /** By the camera's clock, of the first and of the last frame. */
  readonly beginsAtMs: number;
  readonly endsAtMs: number;
  /** How many NAL units are signed. */
  readonly units: number;
  /** The hash of the hashes of its NAL units. */
  readonly hash: Buffer;
  /** The hash of the first NAL unit of the previous group; zeros: there was none. */
  readonly previousHash: Buffer;
}

export interface SigningSei {
  readonly group: SignedGroup | null;
  /** Hashes of the NAL units, one after another; null: not sent, to save bits. */
  readonly hashes: Buffer | null;
  /** null: a later SEI signs this one. */
  readonly signature: Buffer | null;
  /** What the signature, or the hash of this SEI, is of. */
  readonly signedBytes: Uint8Array;
  /** null: not stated, as before. */
  readonly hashAlgorithm: HashAlgorithm | null;
  /** PEM, the camera's own first, without the trust anchor; null: not sent, as before. */
  readonly certificates: string | null;
  /** It carries the certificates for a stream and is about no frames. */
  readonly isAboutCertificates: boolean;
  readonly vendor: SigningVendor | null;
}

/** What the camera says that it is. */
export interface SigningVendor {
  readonly firmware: string;
  readonly serialNumber: string;
  readonly manufacturer: string;
}

export type HashAlgorithm = 'sha256' | 'sha384' | 'sha512';

/** `other`: not of Media Signing. `damaged`: it is, and cannot be read. */
export type SeiReading = SigningSei | 'other' | 'damaged';

const USER_DATA_UNREGISTERED = 5;
const UUID = Buffer.from('005bc93f2d715e95ada4796f90877a6f', 'hex');
const CONTINUED = 0xff;
/** rbsp_trailing_bits in a byte of its own. */
const STOP_BYTE = 0x80;
const IS_ABOUT_CERTIFICATES = 0x80;
/** Hashes are of the bytes as sent, with emulation prevention. */
const IS_ESCAPED = 0x40;
/** More than 300 hashes of 64 bytes and a chain of certificates. */
const MAX_SEI_BYTES = 65_536;

const GENERAL = 1;
const HASH_LIST = 2;
const SIGNATURE = 3;
const CRYPTO_INFO = 4;
const VENDOR_INFO = 5;
const CERTIFICATES = 6;
const ARBITRARY_DATA = 7;

/** DER of the object identifiers (NIST, 2.16.840.1.101.3.4.2). */
const HASH_ALGORITHMS: Readonly<Record<string, HashAlgorithm>> = {
  '0609608648016503040201': 'sha256',
  '0609608648016503040202': 'sha384',
  '0609608648016503040203': 'sha512',
};
const HASH_BYTES: ReadonlySet<number> = new Set([32, 48, 64]);
/** From 1601, in units of 100 ns, to 1970. */
const EPOCH_OFFSET_MS = 11_644_473_600_000n;
const UNITS_PER_MS = 10_000n;

/** `nalu`: without a start code, borrowed. `headerBytes`: 1 for H.264, 2 for H.265. */
export function readSigningSei(nalu: Uint8Array, headerBytes: number): SeiReading {
  const place = placeOfPayload(nalu, headerBytes);
  if (place === null) return 'other';
  const borrowed = withoutTrailingZeros(nalu);
  if (borrowed.length > MAX_SEI_BYTES) return 'damaged';
  // Its hashes are needed after the call.
  const sent = Uint8Array.from(borrowed);
  // Some cameras and recorders write these bytes into files without emulation prevention, so that the size decides.
  const stopBytes = sent.at(-1) === STOP_BYTE ? 1 : 0;
  const isEscaped = sent.length - place.begin - place.bytes - stopBytes > 0;
  const plain = isEscaped ? withoutEmulationPrevention(sent, 0, sent.length) : sent;
  const end = place.begin + place.bytes;
  if (end > plain.length) return 'damaged';
  const flags = plain[place.begin + UUID.length]!;
  const firstTag = place.begin + UUID.length + 1;
  const values = readTags(plain.subarray(0, end), firstTag);
  if (values === null) return 'damaged';
  const signatureAt = values.get(SIGNATURE)?.at ?? null;
  const signedBytes =
    (flags & IS_ESCAPED) !== 0 && isEscaped
      ? sent.subarray(0, signatureAt === null ? sent.length : sentIndexOf(sent, signatureAt))
      : plain.subarray(0, signatureAt ?? plain.length);
  return readValues(values, signedBytes, (flags & IS_ABOUT_CERTIFICATES) !== 0) ?? 'damaged';
}

/** Whether it is an SEI of Media Signing, readable or not. */
export function isSigningSei(nalu: Uint8Array, headerBytes: number): boolean {
  return placeOfPayload(nalu, headerBytes) !== null;
}

/** ffmpeg adds zeros after NAL units of H.265 in files (cabac_zero_words, ISO/IEC 23008-2 §7.3.2.10). */
export function withoutTrailingZeros(nalu: Uint8Array): Uint8Array {
  let end = nalu.length;
  while (end > 0 && nalu[end - 1] === 0) end--;
  return nalu.subarray(0, end);
}

/** Where the payload with the UUID lies; null: another SEI. None of these bytes needs emulation prevention. */
function placeOfPayload(
  sent: Uint8Array,
  headerBytes: number,
): { readonly begin: number; readonly bytes: number } | null {
  let at = headerBytes;
  if (sent[at++] !== USER_DATA_UNREGISTERED) return null;
  let bytes = 0;
  for (; sent[at] === CONTINUED; at++) bytes += CONTINUED;
  bytes += sent[at++] ?? 0;
  const isOurs = bytes > UUID.length && UUID.equals(sent.subarray(at, at + UUID.length));
  return isOurs ? { begin: at, bytes } : null;
}

interface Value {
  /** Of its tag. */
  readonly at: number;
  readonly bytes: Buffer;
}

/** Values by tag; null: lengths do not add up, or a tag is unknown or repeated. */
function readTags(plain: Uint8Array, from: number): Map<number, Value> | null {
  const values = new Map<number, Value>();
  let at = from;
  while (at < plain.length) {
    const tag = plain[at]!;
    const begin = at + 3;
    if (begin > plain.length || tag < GENERAL || tag > ARBITRARY_DATA || values.has(tag)) return null;
    const end = begin + ((plain[at + 1]! << 8) | plain[at + 2]!);
    if (end > plain.length) return null;
    values.set(tag, { at, bytes: Buffer.from(plain.buffer, plain.byteOffset + begin, end - begin) });
    at = end;
  }
  return values;
}

/** The index in `sent` of a byte that has the index `plainIndex` without emulation prevention. */
function sentIndexOf(sent: Uint8Array, plainIndex: number): number {
  let zeros = 0;
  let plain = 0;
  for (let at = 0; at < sent.length; at++) {
    const byte = sent[at]!;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    if (plain === plainIndex) return at;
    zeros = byte === 0 ? zeros + 1 : 0;
    plain++;
  }
  return sent.length;
}

/** null: a value does not have the shape of its tag. */
function readValues(
  values: ReadonlyMap<number, Value>,
  signedBytes: Uint8Array,
  isAboutCertificates: boolean,
): SigningSei | null {
  const general = values.get(GENERAL);
  const group = general === undefined ? null : readGeneral(general.bytes);
  const hashes = readVersioned(values.get(HASH_LIST)?.bytes);
  const signature = readSignature(values.get(SIGNATURE)?.bytes);
  const hashAlgorithm = readHashAlgorithm(values.get(CRYPTO_INFO)?.bytes);
  const certificates = readVersioned(values.get(CERTIFICATES)?.bytes);
  const vendor = readVendor(values.get(VENDOR_INFO)?.bytes);
  const all = [hashes, signature, hashAlgorithm, certificates, vendor];
  if (all.includes(undefined) || (general !== undefined && group === null)) return null;
  if (group === null && !isAboutCertificates) return null;
  return {
    group,
    hashes: hashes ?? null,
    signature: signature ?? null,
    signedBytes,
    hashAlgorithm: hashAlgorithm ?? null,
    // After the version, a byte says whether an organization gave the camera its key.
    certificates: certificates?.subarray(1).toString('latin1') ?? null,
    isAboutCertificates,
    vendor: vendor ?? null,
  };
}

/** Version 2 has the time of the last frame, too. */
function readGeneral(bytes: Buffer): SignedGroup | null {
  const version = bytes[0];
  if (version !== 1 && version !== 2) return null;
  const afterTimes = version === 1 ? 13 : 21;
  const firstHash = afterTimes + 6;
  const hashBytes = (bytes.length - firstHash) / 2;
  if (!HASH_BYTES.has(hashBytes)) return null;
  const beginsAtMs = epochMsOf(bytes.readBigInt64BE(5));
  return {
    number: bytes.readUInt32BE(afterTimes),
    isPart: bytes[4] !== 0,
    beginsAtMs,
    endsAtMs: version === 1 ? beginsAtMs : epochMsOf(bytes.readBigInt64BE(13)),
    units: bytes.readUInt16BE(afterTimes + 4),
    hash: bytes.subarray(firstHash, firstHash + hashBytes),
    previousHash: bytes.subarray(firstHash + hashBytes),
  };
}

function epochMsOf(since1601: bigint): number {
  return Number(since1601 / UNITS_PER_MS - EPOCH_OFFSET_MS);
}

// In the readers below, null: absent; undefined: not of this shape.

/** What follows the version 1. */
function readVersioned(bytes: Buffer | undefined): Buffer | null | undefined {
  if (bytes === undefined) return null;
  return bytes[0] === 1 && bytes.length > 1 ? bytes.subarray(1) : undefined;
}

/** Two bytes give the size of the signature; more may be reserved for longer ones. */
function readSignature(bytes: Buffer | undefined): Buffer | null | undefined {
  const value = readVersioned(bytes);
  if (value === null || value === undefined) return value;
  if (value.length < 2) return undefined;
  const size = value.readUInt16BE(0);
  return size > 0 && size <= value.length - 2 ? value.subarray(2, 2 + size) : undefined;
}

function readHashAlgorithm(bytes: Buffer | undefined): HashAlgorithm | null | undefined {
  const value = readVersioned(bytes);
  if (value === null || value === undefined) return value;
  return HASH_ALGORITHMS[value.subarray(1, 1 + value[0]!).toString('hex')];
}

function readVendor(bytes: Buffer | undefined): SigningVendor | null | undefined {
  const value = readVersioned(bytes);
  if (value === null || value === undefined) return value;
  const texts: string[] = [];
  let at = 0;
  for (let index = 0; index < 3; index++) {
    const size = value[at] ?? 0;
    if (at + 1 + size > value.length) return undefined;
    texts.push(value.toString('utf8', at + 1, at + 1 + size).replaceAll('\0', ''));
    at += 1 + size;
  }
  const [firmware, serialNumber, manufacturer] = texts as [string, string, string];
  return { firmware, serialNumber, manufacturer };
}
