/** Reads the files of a ZIP archive that are stored without compression (PKWARE APPNOTE 6.3.10). Without Node.js. */

import type { ByteSource } from './byte-source.ts';
import type { ArchiveFiles } from './verify-archive.ts';

interface Entry {
  readonly headerOffset: number;
  readonly byteLength: number;
}

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const LOCATOR_64_BYTES = 20;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const SIGNATURE = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  locator64: 0x07064b50,
  end64: 0x06064b50,
};
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
const ZIP64_EXTRA = 1;

/** Rejects with a RangeError if it is not such an archive. */
export async function zipFiles(source: ByteSource): Promise<ArchiveFiles> {
  const entries = await readDirectory(source);
  return {
    names: [...entries.keys()],
    async open(name) {
      const entry = entries.get(name);
      if (entry === undefined) return null;
      const local = viewOf(await source.read(entry.headerOffset, LOCAL_BYTES));
      if (local.getUint32(0, true) !== SIGNATURE.local) throw new RangeError('a local header is damaged');
      const at = entry.headerOffset + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
      const { byteLength } = entry;
      return {
        byteLength,
        read: (offset, length) =>
          source.read(at + offset, Math.max(0, Math.min(length, byteLength - offset))),
      };
    },
  };
}

async function readDirectory(source: ByteSource): Promise<Map<string, Entry>> {
  const { offset, byteLength, count } = await findDirectory(source);
  const bytes = await source.read(offset, byteLength);
  const view = viewOf(bytes);
  const entries = new Map<string, Entry>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== SIGNATURE.central) throw new RangeError('the directory is damaged');
    if (view.getUint16(at + 10, true) !== 0) throw new RangeError('a file is compressed');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
      view.getUint16(at + field, true),
    );
    const name = new TextDecoder().decode(
      bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes!),
    );
    let size = view.getUint32(at + 24, true);
    let headerOffset = view.getUint32(at + 42, true);
    if (size === MAX_32 || headerOffset === MAX_32) {
      let field = zip64At(view, at + CENTRAL_BYTES + nameBytes!, extraBytes!);
      if (size === MAX_32) {
        size = Number(view.getBigUint64(field, true));
        // The compressed size follows.
        field += 16;
      }
      if (headerOffset === MAX_32) headerOffset = Number(view.getBigUint64(field, true));
    }
    if (entries.has(name)) throw new RangeError('two files have the same name');
    entries.set(name, { headerOffset, byteLength: size });
    at += CENTRAL_BYTES + nameBytes! + extraBytes! + commentBytes!;
  }
  return entries;
}

function zip64At(view: DataView, start: number, byteLength: number): number {
  for (let at = start; at + 4 <= start + byteLength; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) === ZIP64_EXTRA) return at + 4;
  }
  throw new RangeError('a large file has no size');
}

async function findDirectory(
  source: ByteSource,
): Promise<{ readonly offset: number; readonly byteLength: number; readonly count: number }> {
  const tailBytes = Math.min(source.byteLength, END_BYTES + MAX_COMMENT_BYTES + LOCATOR_64_BYTES);
  const tailAt = source.byteLength - tailBytes;
  const tail = viewOf(await source.read(tailAt, tailBytes));
  for (let at = tailBytes - END_BYTES; at >= 0; at--) {
    if (tail.getUint32(at, true) !== SIGNATURE.end) continue;
    const count = tail.getUint16(at + 10, true);
    const byteLength = tail.getUint32(at + 12, true);
    const offset = tail.getUint32(at + 16, true);
    const locatorAt = at - LOCATOR_64_BYTES;
    const isLarge = count === MAX_16 || byteLength === MAX_32 || offset === MAX_32;
    if (!isLarge || locatorAt < 0 || tail.getUint32(locatorAt, true) !== SIGNATURE.locator64) {
      return { offset, byteLength, count };
    }
    const end = viewOf(await source.read(Number(tail.getBigUint64(locatorAt + 8, true)), 56));
    if (end.getUint32(0, true) !== SIGNATURE.end64) throw new RangeError('the end is damaged');
    return {
      count: Number(end.getBigUint64(32, true)),
      byteLength: Number(end.getBigUint64(40, true)),
      offset: Number(end.getBigUint64(48, true)),
    };
  }
  throw new RangeError('not a ZIP archive');
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
