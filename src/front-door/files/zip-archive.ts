/**
 * A ZIP archive of stored files whose length is known before the first byte, made while it is sent (PKWARE APPNOTE 6.3.10). Video does not
 * shrink, so nothing is compressed. Checksums follow each file, because some are known only when it has been read.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ServedBlock, ServedFile } from '../../playback/served-file.ts';

export interface ZipEntry {
  readonly name: string;
  readonly byteLength: number;
  /** Equal for equal bytes. */
  readonly digest: string;
  readonly modifiedEpochMs: number;
  /** Its CRC-32; null: known when it has been read. */
  readonly crc32: number | null;
  /** The bytes from `first` to before `end`, in order. */
  read(first: number, end: number): AsyncIterable<ServedBlock>;
}

/** What its headers say of an entry. */
interface Placed {
  readonly entry: ZipEntry;
  readonly name: Buffer;
  readonly offset: number;
}

/** Names are UTF-8; sizes and the checksum follow the file. §4.4.4 */
const FLAGS = 0x0808;
const VERSION = 20;
const VERSION_64 = 45;
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END_64_BYTES = 56 + 20;
/** Of a large file: id, length, both sizes. */
const LOCAL_EXTRA_64_BYTES = 20;
const CENTRAL_EXTRA_64_BYTES = 28;

export class ZipArchive implements ServedFile {
  readonly byteLength: number;
  readonly digest: string;
  readonly modifiedEpochMs: number;
  readonly #placed: readonly Placed[];
  readonly #centralOffset: number;

  /** At least one entry, at most 65,535. */
  constructor(entries: readonly ZipEntry[]) {
    const placed: Placed[] = [];
    let offset = 0;
    const hash = createHash('sha256');
    for (const entry of entries) {
      const name = Buffer.from(entry.name);
      placed.push({ entry, name, offset });
      offset += localHeader(placed.at(-1)!).length + entry.byteLength + descriptorBytes(entry);
      hash.update(`${entry.name}\0${entry.digest}\0`);
    }
    this.#placed = placed;
    this.#centralOffset = offset;
    const centralBytes = placed.reduce((sum, each) => sum + centralHeader(each, 0).length, 0);
    this.byteLength = offset + centralBytes + endOf(placed.length, offset, centralBytes).length;
    this.digest = hash.digest('hex');
    this.modifiedEpochMs = Math.max(...entries.map(({ modifiedEpochMs }) => modifiedEpochMs));
  }

  /** Whether `read` can begin anywhere: all checksums are known. */
  get hasRanges(): boolean {
    return this.#placed.every(({ entry }) => entry.crc32 !== null);
  }

  /** Without `hasRanges`, only all of it. Fails like the entries. */
  async *read(first = 0, end = this.byteLength): AsyncGenerator<ServedBlock, void, undefined> {
    if (end - first < this.byteLength && !this.hasRanges) throw new RangeError('the archive has no ranges');
    const central: Buffer[] = [];
    let at = 0;
    /** What of so many bytes is in the range. */
    const next = (bytes: number): { readonly from: number; readonly to: number } => {
      const range = { from: Math.max(0, first - at), to: Math.min(bytes, end - at) };
      at += bytes;
      return range;
    };
    const cut = function* (buffer: Buffer): Generator<ServedBlock, void, undefined> {
      const { from, to } = next(buffer.length);
      if (from < to) yield own(buffer.subarray(from, to));
    };
    for (const placed of this.#placed) {
      const { entry } = placed;
      yield* cut(localHeader(placed));
      const { from, to } = next(entry.byteLength);
      let crc = entry.crc32 ?? 0;
      if (from < to) {
        let left = to - from;
        for await (const block of entry.read(from, to)) {
          for (const buffer of block.buffers) {
            if (entry.crc32 === null) crc = crc32(buffer, crc);
            left -= buffer.length;
          }
          yield block;
        }
        if (left !== 0) throw new RangeError(`${entry.name} has another length than announced`);
      }
      yield* cut(descriptor(entry, crc));
      central.push(centralHeader(placed, crc));
    }
    const directory = Buffer.concat(central);
    yield* cut(directory);
    yield* cut(endOf(this.#placed.length, this.#centralOffset, directory.length));
  }
}

/** Of an archive of these files. */
export function zipByteLength(files: readonly Pick<ZipEntry, 'name' | 'byteLength'>[]): number {
  const unread = { digest: '', modifiedEpochMs: 0, crc32: 0, read: () => NOTHING };
  return new ZipArchive(files.map(({ name, byteLength }) => ({ ...unread, name, byteLength }))).byteLength;
}

const NOTHING: AsyncIterable<ServedBlock> = (async function* () {})();

function own(buffer: Buffer): ServedBlock {
  return { buffers: [buffer], release: () => undefined };
}

function isLarge({ byteLength }: ZipEntry): boolean {
  return byteLength >= MAX_32;
}

/** §4.3.7 */
function localHeader({ entry, name }: Placed): Buffer {
  const extra = isLarge(entry) ? Buffer.alloc(LOCAL_EXTRA_64_BYTES) : Buffer.alloc(0);
  if (isLarge(entry)) {
    extra.writeUInt16LE(1, 0); // ZIP64 extended information
    extra.writeUInt16LE(16, 2);
  }
  const head = Buffer.alloc(LOCAL_BYTES);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(isLarge(entry) ? VERSION_64 : VERSION, 4);
  head.writeUInt16LE(FLAGS, 6);
  writeTime(head, 10, entry.modifiedEpochMs);
  if (isLarge(entry)) {
    head.writeUInt32LE(MAX_32, 18);
    head.writeUInt32LE(MAX_32, 22);
  }
  head.writeUInt16LE(name.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, name, extra]);
}

function descriptorBytes(entry: ZipEntry): number {
  return isLarge(entry) ? 24 : 16;
}

/** §4.3.9 */
function descriptor(entry: ZipEntry, crc: number): Buffer {
  const bytes = Buffer.alloc(descriptorBytes(entry));
  bytes.writeUInt32LE(0x0807_4b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (isLarge(entry)) {
    bytes.writeBigUInt64LE(BigInt(entry.byteLength), 8);
    bytes.writeBigUInt64LE(BigInt(entry.byteLength), 16);
  } else {
    bytes.writeUInt32LE(entry.byteLength, 8);
    bytes.writeUInt32LE(entry.byteLength, 12);
  }
  return bytes;
}

/** §4.3.12. With a large size or offset, all of them are in the extra field, in this order. */
function centralHeader({ entry, name, offset }: Placed, crc: number): Buffer {
  const is64 = isLarge(entry) || offset >= MAX_32;
  const extra = Buffer.alloc(is64 ? CENTRAL_EXTRA_64_BYTES : 0);
  if (is64) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    extra.writeBigUInt64LE(BigInt(entry.byteLength), 4);
    extra.writeBigUInt64LE(BigInt(entry.byteLength), 12);
    extra.writeBigUInt64LE(BigInt(offset), 20);
  }
  const head = Buffer.alloc(CENTRAL_BYTES);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE(is64 ? VERSION_64 : VERSION, 4);
  head.writeUInt16LE(is64 ? VERSION_64 : VERSION, 6);
  head.writeUInt16LE(FLAGS, 8);
  writeTime(head, 12, entry.modifiedEpochMs);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(is64 ? MAX_32 : entry.byteLength, 20);
  head.writeUInt32LE(is64 ? MAX_32 : entry.byteLength, 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE(is64 ? MAX_32 : offset, 42);
  return Buffer.concat([head, name, extra]);
}

/** §4.3.14 to §4.3.16 */
function endOf(count: number, centralOffset: number, centralBytes: number): Buffer {
  const is64 = centralOffset >= MAX_32 || centralBytes >= MAX_32;
  const last = Buffer.alloc(END_BYTES);
  last.writeUInt32LE(0x0605_4b50, 0);
  last.writeUInt16LE(Math.min(count, MAX_16), 8);
  last.writeUInt16LE(Math.min(count, MAX_16), 10);
  last.writeUInt32LE(is64 ? MAX_32 : centralBytes, 12);
  last.writeUInt32LE(is64 ? MAX_32 : centralOffset, 16);
  if (!is64) return last;
  const first = Buffer.alloc(END_64_BYTES);
  first.writeUInt32LE(0x0606_4b50, 0);
  first.writeBigUInt64LE(44n, 4);
  first.writeUInt16LE(VERSION_64, 12);
  first.writeUInt16LE(VERSION_64, 14);
  first.writeBigUInt64LE(BigInt(count), 24);
  first.writeBigUInt64LE(BigInt(count), 32);
  first.writeBigUInt64LE(BigInt(centralBytes), 40);
  first.writeBigUInt64LE(BigInt(centralOffset), 48);
  first.writeUInt32LE(0x0706_4b50, 56);
  first.writeBigUInt64LE(BigInt(centralOffset + centralBytes), 64);
  first.writeUInt32LE(1, 72);
  return Buffer.concat([first, last]);
}

/** MS-DOS time, which has no zone: UTC. §4.4.6 */
function writeTime(bytes: Buffer, offset: number, epochMs: number): void {
  const at = new Date(epochMs);
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const year = Math.min(127, Math.max(0, at.getUTCFullYear() - 1_980));
  bytes.writeUInt16LE(time, offset);
  bytes.writeUInt16LE((year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(), offset + 2);
}
