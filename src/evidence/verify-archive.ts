/**
 * Checks the files of a sealed case: the signature of the manifest, each file against it, and each segment against its link. In
 * `sluice verify`, and in the page of the archive, so without Node.js.
 */

import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import { type ByteSource, digestOfRange } from './byte-source.ts';
import { cameraSignatureOf } from './camera-signature.ts';
import { type CertificateNames, namesOf } from './certificate-names.ts';
import { type RunningHash, Sha256 } from './sha256.ts';
import { checkTimeStamp, type TimeStampFinding } from './time-stamp.ts';
import {
  digest,
  type EvidenceCheck,
  type EvidenceKeys,
  hexOf,
  type MediaFinding,
  verifyMedia,
} from './verify-media.ts';

/** The files of an archive or a folder. */
export interface ArchiveFiles {
  readonly names: readonly string[];
  /** null: there is none with this name. Rejects if it cannot be read. */
  open(name: string): Promise<ByteSource | null>;
}

export interface FileFinding {
  readonly name: string;
  /** `extra`: the manifest does not list it. `unreadable`: neither whole nor changed is known. */
  readonly finding: 'whole' | 'changed' | 'missing' | 'extra' | 'unreadable';
  /** Of recorded media. */
  readonly media: MediaFinding | null;
  /** What the gateway found of the camera's own signatures, by the signed manifest; null: no camera signed it. */
  readonly cameraSignature: CameraSignature | null;
}

export interface ArchiveFinding {
  /** Everything is as it was sealed, signed by a key of the archive. */
  readonly isWhole: boolean;
  /** Whether the manifest is as it was signed. */
  readonly manifest: 'whole' | 'changed' | 'missing';
  /** SHA-256 of the certificate that signed it, hexadecimal, to be compared with the operator's; null: unreadable. */
  readonly fingerprint: string | null;
  /** Whose certificate it says it is; null: unreadable. */
  readonly signer: CertificateNames | null;
  /** The number of its key among those of the gateway, from 1 on; null: the archive does not list it. */
  readonly generation: number | null;
  readonly sealedAt: string | null;
  readonly title: string | null;
  /** null: the manifest names none. */
  readonly timeStamp: TimeStampFinding | null;
  readonly files: readonly FileFinding[];
}

interface Manifest {
  /** Read only if the manifest is as it was signed. */
  readonly items?: unknown;
  readonly sealedAt: string;
  readonly case: { readonly title: string };
  /** Its file; null or absent: there is none. */
  readonly timeStamp?: string | null;
  readonly certificates: readonly string[];
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

const MANIFEST_NAME = 'manifest.json';
const SIGNATURE_NAME = 'manifest.jws';
const TIME_STAMP_NAME = 'manifest.tsr';
/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410 §4). */
const SPKI_START = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
const KEY_BYTES = 32;
const KEY_NAME_BYTES = 16;

/** What operating systems add to folders that someone opens: neither media nor text of a case. */
const ADDED_BY_SYSTEMS = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;
/** Of a manifest: it lists at most some thousand files. A larger one is none. */
const MAX_MANIFEST_BYTES = 64 * 1_048_576;

export interface VerifyOptions {
  /** Node.js has a faster one. */
  readonly newHash?: () => RunningHash;
  /** How many of the files are done. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** In little memory, however large the files are. */
export async function verifyArchive(
  files: ArchiveFiles,
  { newHash = () => new Sha256(), onProgress = () => undefined }: VerifyOptions = {},
): Promise<ArchiveFinding> {
  const [manifestBytes, signature] = [await read(files, MANIFEST_NAME), await read(files, SIGNATURE_NAME)];
  const signed = await checkManifest(manifestBytes, signature);
  const listed = signed.manifest?.files ?? [];
  const keys = await keysOf(signed.manifest?.certificates ?? []);
  const signatures = signed.state === 'whole' ? signaturesOf(signed.manifest?.items) : new Map();
  const findings: FileFinding[] = [];
  for (const [index, file] of listed.entries()) {
    onProgress(index, listed.length);
    const finding = await checkFile(files, file, { keys, newHash });
    findings.push({ ...finding, cameraSignature: signatures.get(file.name) ?? null });
  }
  const timeStamp = await timeStampOf(files, signed.manifest, signature);
  const own = [MANIFEST_NAME, SIGNATURE_NAME, ...(timeStamp === null ? [] : [TIME_STAMP_NAME])];
  const known = new Set([...own, ...listed.map(({ name }) => name)]);
  for (const name of files.names) {
    if (!known.has(name) && !ADDED_BY_SYSTEMS.test(name))
      findings.push({ name, finding: 'extra', media: null, cameraSignature: null });
  }
  const isMediaWhole = ({ media }: FileFinding): boolean =>
    media === null || (media.changed === 0 && media.unsigned === 0);
  const areFilesWhole = findings.every((file) => file.finding === 'whole' && isMediaWhole(file));
  // The signature of the archive does not depend on the kind of signature that an authority uses.
  const isTimeWhole = timeStamp === null || timeStamp.state === 'whole' || timeStamp.state === 'unverifiable';
  return {
    isWhole: signed.state === 'whole' && areFilesWhole && isTimeWhole,
    manifest: signed.state,
    fingerprint: signed.fingerprint,
    signer: signed.signer,
    generation: signed.generation,
    sealedAt: signed.manifest?.sealedAt ?? null,
    title: signed.manifest?.case.title ?? null,
    timeStamp,
    files: findings,
  };
}

/** By the names of files. */
function signaturesOf(items: unknown): Map<string, CameraSignature> {
  const found = new Map<string, CameraSignature>();
  for (const item of Array.isArray(items) ? (items as { files?: unknown }[]) : []) {
    const files = Array.isArray(item?.files) ? (item.files as Record<string, unknown>[]) : [];
    for (const file of files) {
      const signature = cameraSignatureOf(file?.cameraSignature);
      if (signature !== null && typeof file?.name === 'string') found.set(file.name, signature);
    }
  }
  return found;
}

/** null: the manifest names none. */
async function timeStampOf(
  files: ArchiveFiles,
  manifest: Manifest | null,
  signature: Uint8Array | null,
): Promise<TimeStampFinding | null> {
  if (manifest?.timeStamp == null) return null;
  const response = await read(files, TIME_STAMP_NAME);
  if (response === null || signature === null) {
    return { state: 'missing', atMs: null, authority: null, fingerprint: null };
  }
  return checkTimeStamp(response, signature);
}

interface SignedManifest extends Pick<ArchiveFinding, 'fingerprint' | 'signer' | 'generation'> {
  readonly state: ArchiveFinding['manifest'];
  readonly manifest: Manifest | null;
}

const UNSIGNED = { fingerprint: null, signer: null, generation: null };

async function checkManifest(
  bytes: Uint8Array | null,
  signature: Uint8Array | null,
): Promise<SignedManifest> {
  if (bytes === null) return { state: 'missing', manifest: null, ...UNSIGNED };
  const manifest = manifestOf(bytes);
  if (signature === null) return { state: 'missing', manifest, ...UNSIGNED };
  try {
    const [header = '', detached, value = '', ...more] = new TextDecoder()
      .decode(signature)
      .trim()
      .split('.');
    const { alg, x5c } = parsed<{ alg: string; x5c: string[] }>(fromBase64(header))!;
    const certificate = fromBase64(x5c[0]!);
    const fingerprint = hexOf(await digest(certificate));
    const key = await keyOf(certificate);
    const toCheck = new TextEncoder().encode(`${header}.${toBase64url(bytes)}`);
    const isSigned =
      alg === 'EdDSA' &&
      detached === '' &&
      more.length === 0 &&
      toBase64url(fromBase64(value)) === value &&
      toBase64url(fromBase64(header)) === header &&
      (await crypto.subtle.verify('Ed25519', key, fromBase64(value), toCheck));
    // The certificate is also in the manifest, so a manifest signed by another key contradicts itself.
    const place = manifest?.certificates.findIndex((pem) => pemBase64(pem) === x5c[0]) ?? -1;
    const generation = place < 0 ? null : place + 1;
    const state = isSigned && generation !== null ? 'whole' : 'changed';
    return { state, manifest, fingerprint, signer: namesOf(certificate), generation };
  } catch {
    return { state: 'changed', manifest, ...UNSIGNED };
  }
}

/** Whether signatures can be checked here: browsers learned Ed25519 between 2023 and 2025, and pages need a secure origin. */
export async function canVerify(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    return true;
  } catch {
    return false;
  }
}

async function checkFile(
  files: ArchiveFiles,
  { name, bytes, sha256 }: Manifest['files'][number],
  check: EvidenceCheck,
): Promise<Omit<FileFinding, 'cameraSignature'>> {
  try {
    const source = await files.open(name);
    if (source === null) return { name, finding: 'missing', media: null };
    const range = { offset: 0, length: source.byteLength };
    const isWhole =
      source.byteLength === bytes && hexOf(await digestOfRange(source, range, check.newHash())) === sha256;
    const media = /^media\/.*\.mp4$/.test(name) ? await verifyMedia(source, check) : null;
    return { name, finding: isWhole ? 'whole' : 'changed', media };
  } catch (thrown) {
    return { name, finding: thrown instanceof RangeError ? 'changed' : 'unreadable', media: null };
  }
}

/** Empty if it cannot be read. */
async function read(files: ArchiveFiles, name: string): Promise<Uint8Array | null> {
  try {
    const source = await files.open(name);
    if (source === null) return null;
    return await source.read(0, Math.min(source.byteLength, MAX_MANIFEST_BYTES));
  } catch {
    return new Uint8Array();
  }
}

/** By the names of the keys, as links have them. */
async function keysOf(pems: readonly string[]): Promise<EvidenceKeys> {
  const keys = new Map<string, CryptoKey>();
  for (const pem of pems) {
    try {
      const certificate = fromBase64(pemBase64(pem));
      const name = await digest(spkiOf(certificate));
      keys.set(hexOf(name.subarray(0, KEY_NAME_BYTES)), await keyOf(certificate));
    } catch {
      // Its signatures are those of an unknown key.
    }
  }
  return keys;
}

function keyOf(certificate: Uint8Array): Promise<CryptoKey> {
  const spki = spkiOf(certificate) as Uint8Array<ArrayBuffer>;
  return crypto.subtle.importKey('spki', spki, 'Ed25519', false, ['verify']);
}

/** The key of an Ed25519 certificate: its SubjectPublicKeyInfo always begins with the same bytes. */
function spkiOf(certificate: Uint8Array): Uint8Array {
  for (let at = 0; at + SPKI_START.length + KEY_BYTES <= certificate.length; at++) {
    if (SPKI_START.every((byte, i) => certificate[at + i] === byte)) {
      return certificate.slice(at, at + SPKI_START.length + KEY_BYTES);
    }
  }
  throw new RangeError('not an Ed25519 certificate');
}

function pemBase64(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\s/g, '');
}

/** null: this has not the form of a manifest. */
function manifestOf(bytes: Uint8Array): Manifest | null {
  const manifest = parsed<Partial<Manifest>>(bytes);
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isManifest =
    isText(manifest?.sealedAt) &&
    isText(manifest.case?.title) &&
    Array.isArray(manifest.certificates) &&
    manifest.certificates.every(isText) &&
    Array.isArray(manifest.files) &&
    manifest.files.every(
      (file: Manifest['files'][number] | null) => isText(file?.name) && isText(file.sha256),
    );
  return isManifest ? (manifest as Manifest) : null;
}

function parsed<T>(bytes: Uint8Array): T | null {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    return null;
  }
}

/** Base64 or base64url. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

const CHUNK = 8_192;

function toBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
