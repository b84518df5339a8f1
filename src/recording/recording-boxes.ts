/**
 * Our boxes in a recording file (docs/design/recording.md#recording-files): `uuid` boxes (ISO/IEC 14496-12 §11.1), which
 * players skip. Each ends with the CRC-32 of its fields, so that bytes left over from a power cut are not believed.
 */

import { crc32 } from 'node:zlib';
import { GatewayError } from '../core/errors.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import { BoxWriter } from '../isobmff/box-writer.ts';
import type { RecordedRendition, RecordingPurpose } from '../store/recording.ts';
import { RECORDING_ERRORS } from './errors.ts';
import { KEY_CHECK_BYTES, KEY_ID_BYTES } from './recording-cipher.ts';

/** The version of the format that this code writes, and the only one that it reads. */
const FORMAT_VERSION = 1;
/** `encryption`: whether the parts and init segments are, and how (recording-cipher.ts). */
const ENCRYPTION = { none: 0, aes256Ctr: 1 } as const;

const BOX_HEADER_BYTES = 8;
const USER_TYPE_BYTES = 16;
const CRC_BYTES = 4;
/** The first 15 bytes of our user types; the last byte is the kind. */
const USER_TYPE = Buffer.from('e1d5c1a08a4f4d0b9f3c5b7a62d410', 'hex');

const KINDS = { file: 1, segment: 2, trailer: 3, link: 4 } as const;
export type RecordingBoxKind = keyof typeof KINDS;

export const BOOT_ID_BYTES = 16;
/** A run of links (segment-chain.ts), and digests (SHA-256), key names, and signatures (Ed25519) in links. */
export const RUN_BYTES = 16;
export const DIGEST_BYTES = 32;
export const KEY_NAME_BYTES = 16;
const SIGNATURE_BYTES = 64;
const UUID_BYTES = 22;
const RENDITION_BYTES = 16;

/** Bytes of each kind of box, header and CRC included. */
export const RECORDING_BOX_BYTES: Readonly<Record<RecordingBoxKind, number>> = {
  file: boxBytes(
    2 + 2 + 2 + KEY_ID_BYTES + KEY_CHECK_BYTES + BOOT_ID_BYTES + UUID_BYTES + RENDITION_BYTES + 8,
  ),
  segment: boxBytes(8 + 8 + 8 + 4 + 4),
  trailer: boxBytes(4 + 4 + 4 + 4),
  link: boxBytes(RUN_BYTES + 8 + 4 + 3 * DIGEST_BYTES + KEY_NAME_BYTES + SIGNATURE_BYTES),
};

/** Identifies a file. */
export interface FileHeader {
  readonly cameraUuid: Ruuid;
  readonly rendition: RecordedRendition;
  readonly number: number;
  /** The ID that its key is derived from, and the proof of the key; null: it is not encrypted. Default null. */
  readonly key?: { readonly id: Buffer; readonly check: Buffer } | null;
  /** All that follows is one file of another kind, encrypted as a whole. Default: it is a recording. */
  readonly isWrapped?: boolean;
  /** When the file was begun; an event can claim it later. Default: the camera's own. */
  readonly purpose?: RecordingPurpose;
  /** Each segment's trailer has a link after it. Default false: a version without links wrote it. */
  readonly isChained?: boolean;
  /** Boot ID of the running system, BOOT_ID_BYTES; zeros: unknown. */
  readonly bootId: Buffer;
}

/** The facts that are known when a segment begins. */
export interface SegmentHeader {
  /** Decoding time of the first frame, in ticks of `timescaleHz`. */
  readonly startTicks: number;
  readonly timescaleHz: number;
  /** Wall time of the first frame, epoch milliseconds, stored in microseconds. */
  readonly epochMs: number;
  /** It does not continue the segment before it. */
  readonly isDiscontinuity: boolean;
  /** Bytes of the file that were on the disk for certain when it began. */
  readonly syncedBytes: number;
}

/** The facts that are known when a segment ends. */
export interface SegmentTrailer {
  /** Bytes of its parts. */
  readonly byteLength: number;
  readonly durationTicks: number;
  readonly pictures: number;
  /** CRC-32 of its parts; 0 if the segment has a link. */
  readonly mediaCrc: number;
}

/** A segment's place in the chain of its stream, and the proof of it (segment-chain.ts). */
export interface SegmentLink {
  /** RUN_BYTES, random for each run of a writer. */
  readonly run: Buffer;
  /** In the run, from 0. */
  readonly sequence: number;
  /** The segment was unfinished when the gateway ended, and cut after its last whole part. */
  readonly isRepaired: boolean;
  /** The digest of the link before it; zeros: the run begins. */
  readonly previous: Buffer;
  /** Of its parts, in the clear. */
  readonly mediaDigest: Buffer;
  /** Covers all this and the facts of the segment. */
  readonly digest: Buffer;
  /** The key that signed it (KEY_NAME_BYTES), and the signature of the digest; null: not signed. */
  readonly keyName: Buffer | null;
  readonly signature: Buffer | null;
}

const DISCONTINUITY_FLAG = 1;
const FOR_SHARES_FLAG = 1;
const WRAPPED_FLAG = 2;
const CHAINED_FLAG = 4;
const REPAIRED_FLAG = 1;
const SIGNED_FLAG = 2;

export function writeFileHeader(header: FileHeader): Buffer {
  return writeBox('file', (writer) => {
    writer.u16(FORMAT_VERSION);
    const { key = null } = header;
    writer.u16(key === null ? ENCRYPTION.none : ENCRYPTION.aes256Ctr);
    const purposeFlag = header.purpose === 'shares' ? FOR_SHARES_FLAG : 0;
    const chainedFlag = header.isChained === true ? CHAINED_FLAG : 0;
    writer.u16(purposeFlag | (header.isWrapped === true ? WRAPPED_FLAG : 0) | chainedFlag);
    if (key === null) writer.zeros(KEY_ID_BYTES + KEY_CHECK_BYTES);
    else for (const bytes of [key.id, key.check]) writer.put(bytes);
    writer.put(header.bootId.subarray(0, BOOT_ID_BYTES));
    writer.put(Buffer.from(header.cameraUuid, 'latin1'));
    const rendition = Buffer.from(header.rendition, 'latin1');
    writer.put(rendition);
    writer.zeros(RENDITION_BYTES - rendition.length);
    writer.u64(header.number);
  });
}

/** `name`: of the file, for errors. Fails RECORDING_DAMAGED, RECORDING_UNREADABLE. */
export function readFileHeader(box: Buffer, name: string): FileHeader {
  if (kindOfBox(box) !== 'file' || !isIntact(box)) {
    throw new GatewayError(RECORDING_ERRORS.RECORDING_DAMAGED, { name });
  }
  const fields = fieldsOf(box);
  const version = fields.readUInt16BE(0);
  const encryption = fields.readUInt16BE(2);
  if (version !== FORMAT_VERSION || encryption > ENCRYPTION.aes256Ctr) {
    throw new GatewayError(RECORDING_ERRORS.RECORDING_UNREADABLE, { name, version, encryption });
  }
  const purpose = (fields.readUInt16BE(4) & FOR_SHARES_FLAG) === 0 ? 'camera' : 'shares';
  const isWrapped = (fields.readUInt16BE(4) & WRAPPED_FLAG) !== 0;
  const isChained = (fields.readUInt16BE(4) & CHAINED_FLAG) !== 0;
  const keyCheckAt = 6 + KEY_ID_BYTES;
  const bootIdAt = keyCheckAt + KEY_CHECK_BYTES;
  const key =
    encryption === ENCRYPTION.none
      ? null
      : {
          id: Buffer.from(fields.subarray(6, keyCheckAt)),
          check: Buffer.from(fields.subarray(keyCheckAt, bootIdAt)),
        };
  const uuidAt = bootIdAt + BOOT_ID_BYTES;
  const renditionAt = uuidAt + UUID_BYTES;
  const numberAt = renditionAt + RENDITION_BYTES;
  const bootId = Buffer.from(fields.subarray(bootIdAt, uuidAt));
  const cameraUuid = fields.toString('latin1', uuidAt, renditionAt);
  const rendition = fields.toString('latin1', renditionAt, numberAt).replaceAll('\0', '');
  const number = Number(fields.readBigUInt64BE(numberAt));
  if (!isRuuid(cameraUuid)) throw new GatewayError(RECORDING_ERRORS.RECORDING_DAMAGED, { name });
  const known: FileHeader = {
    cameraUuid,
    rendition: rendition as RecordedRendition,
    number,
    key,
    purpose,
    bootId,
    ...(isChained ? { isChained } : {}),
  };
  return isWrapped ? { ...known, isWrapped } : known;
}

/** Whether a file that begins with this box needs a key. */
export function isEncrypted(box: Buffer): boolean {
  return isIntact(box) && fieldsOf(box).readUInt16BE(2) !== ENCRYPTION.none;
}

export function writeSegmentHeader(header: SegmentHeader): Buffer {
  return writeBox('segment', (writer) => {
    writer.u64(header.startTicks);
    writer.u64(Math.max(0, Math.round(header.epochMs * 1_000)));
    writer.u64(header.syncedBytes);
    writer.u32(header.timescaleHz);
    writer.u32(header.isDiscontinuity ? DISCONTINUITY_FLAG : 0);
  });
}

/** null: damaged. */
export function readSegmentHeader(box: Buffer): SegmentHeader | null {
  if (kindOfBox(box) !== 'segment' || !isIntact(box)) return null;
  const fields = fieldsOf(box);
  return {
    startTicks: Number(fields.readBigUInt64BE(0)),
    epochMs: Number(fields.readBigUInt64BE(8)) / 1_000,
    syncedBytes: Number(fields.readBigUInt64BE(16)),
    timescaleHz: fields.readUInt32BE(24),
    isDiscontinuity: (fields.readUInt32BE(28) & DISCONTINUITY_FLAG) !== 0,
  };
}

export function writeSegmentTrailer(trailer: SegmentTrailer): Buffer {
  return writeBox('trailer', (writer) => {
    writer.u32(trailer.byteLength);
    writer.u32(trailer.durationTicks);
    writer.u32(trailer.pictures);
    writer.u32(trailer.mediaCrc);
  });
}

/** null: damaged. */
export function readSegmentTrailer(box: Buffer): SegmentTrailer | null {
  if (kindOfBox(box) !== 'trailer' || !isIntact(box)) return null;
  const fields = fieldsOf(box);
  return {
    byteLength: fields.readUInt32BE(0),
    durationTicks: fields.readUInt32BE(4),
    pictures: fields.readUInt32BE(8),
    mediaCrc: fields.readUInt32BE(12),
  };
}

export function writeSegmentLink(link: SegmentLink): Buffer {
  return writeBox('link', (writer) => {
    const { run, sequence, isRepaired, previous, mediaDigest, digest, keyName, signature } = link;
    writer.put(run);
    writer.u64(sequence);
    const isSigned = keyName !== null && signature !== null;
    writer.u32((isRepaired ? REPAIRED_FLAG : 0) | (isSigned ? SIGNED_FLAG : 0));
    for (const bytes of [previous, mediaDigest, digest]) writer.put(bytes);
    if (isSigned) for (const bytes of [keyName, signature]) writer.put(bytes);
    else writer.zeros(KEY_NAME_BYTES + SIGNATURE_BYTES);
  });
}

/** null: damaged. */
export function readSegmentLink(box: Buffer): SegmentLink | null {
  if (kindOfBox(box) !== 'link' || !isIntact(box)) return null;
  const fields = Buffer.from(fieldsOf(box));
  const flags = fields.readUInt32BE(RUN_BYTES + 8);
  const isSigned = (flags & SIGNED_FLAG) !== 0;
  const digestsAt = RUN_BYTES + 8 + 4;
  const digestAt = (index: number): Buffer =>
    fields.subarray(digestsAt + index * DIGEST_BYTES, digestsAt + (index + 1) * DIGEST_BYTES);
  const keyNameAt = digestsAt + 3 * DIGEST_BYTES;
  const signatureAt = keyNameAt + KEY_NAME_BYTES;
  return {
    run: fields.subarray(0, RUN_BYTES),
    sequence: Number(fields.readBigUInt64BE(RUN_BYTES)),
    isRepaired: (flags & REPAIRED_FLAG) !== 0,
    previous: digestAt(0),
    mediaDigest: digestAt(1),
    digest: digestAt(2),
    keyName: isSigned ? fields.subarray(keyNameAt, signatureAt) : null,
    signature: isSigned ? fields.subarray(signatureAt, signatureAt + SIGNATURE_BYTES) : null,
  };
}

/** Which of our boxes begins with these bytes; null: none, or there are too few bytes. */
export function kindOfBox(box: Buffer): RecordingBoxKind | null {
  const isOurs =
    box.length >= BOX_HEADER_BYTES + USER_TYPE_BYTES &&
    box.toString('latin1', 4, 8) === 'uuid' &&
    box.subarray(BOX_HEADER_BYTES, BOX_HEADER_BYTES + USER_TYPE.length).equals(USER_TYPE);
  if (!isOurs) return null;
  const code = box[BOX_HEADER_BYTES + USER_TYPE.length];
  const names = Object.keys(KINDS) as RecordingBoxKind[];
  return names.find((name) => KINDS[name] === code) ?? null;
}

/** `user type` and the fields are covered by the CRC. */
function isIntact(box: Buffer): boolean {
  const kind = kindOfBox(box);
  if (kind === null || box.length !== RECORDING_BOX_BYTES[kind]) return false;
  if (box.readUInt32BE(0) !== box.length) return false;
  const end = box.length - CRC_BYTES;
  return crc32(box.subarray(BOX_HEADER_BYTES, end)) === box.readUInt32BE(end);
}

function writeBox(kind: RecordingBoxKind, fields: (writer: BoxWriter) => void): Buffer {
  const writer = new BoxWriter(Buffer.alloc(RECORDING_BOX_BYTES[kind]));
  const box = writer.begin('uuid');
  writer.put(USER_TYPE);
  writer.u8(KINDS[kind]);
  fields(writer);
  writer.u32(crc32(writer.bytes.subarray(BOX_HEADER_BYTES, writer.position)));
  writer.end(box);
  return writer.bytes;
}

function fieldsOf(box: Buffer): Buffer {
  return box.subarray(BOX_HEADER_BYTES + USER_TYPE_BYTES, box.length - CRC_BYTES);
}

function boxBytes(fieldBytes: number): number {
  return BOX_HEADER_BYTES + USER_TYPE_BYTES + fieldBytes + CRC_BYTES;
}
