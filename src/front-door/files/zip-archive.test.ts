import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { ZipArchive, type ZipEntry, zipByteLength } from './zip-archive.ts';

const AT_MS = Date.UTC(2026, 10, 28, 13, 0, 4);
const SIGNATURES = { local: 0x0403_4b50, central: 0x0201_4b50, end: 0x0605_4b50, end64: 0x0606_4b50 };

function entryOf(name: string, ...parts: string[]): ZipEntry {
  return {
    name,
    byteLength: parts.join('').length,
    digest: parts.join(),
    modifiedEpochMs: AT_MS,
    crc32: null,
    async *read() {
      for (const part of parts) yield { buffers: [Buffer.from(part)], release: () => undefined };
    },
  };
}

async function bytesOf(archive: ZipArchive): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const { buffers } of archive.read()) all.push(...buffers);
  return Buffer.concat(all);
}

/** As a reader finds files: from the end, by the central directory. */
function filesIn(zip: Buffer): { name: string; text: string; crc: number }[] {
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(SIGNATURES.end);
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    expect(zip.readUInt32LE(at)).toBe(SIGNATURES.central);
    const [nameBytes, extraBytes] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes);
    const [crc, size, offset] = [
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 20),
      zip.readUInt32LE(at + 42),
    ];
    at += 46 + nameBytes + extraBytes;
    expect(zip.readUInt32LE(offset)).toBe(SIGNATURES.local);
    const from = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
    return { name, text: zip.toString('utf8', from, from + size), crc };
  });
}

test('holds each file as it is, and is as long as it said', async () => {
  const archive = new ZipArchive([
    entryOf('case.txt', 'Who and when'),
    entryOf('01 Läden.mp4', 'fr', 'ames', ''),
  ]);
  const zip = await bytesOf(archive);
  expect(zip.length).toBe(archive.byteLength);
  expect(filesIn(zip)).toEqual([
    { name: 'case.txt', text: 'Who and when', crc: crc32('Who and when') },
    { name: '01 Läden.mp4', text: 'frames', crc: crc32('frames') },
  ]);
});

test('is the same archive for the same files, and another one otherwise', () => {
  const digestOf = (...entries: ZipEntry[]) => new ZipArchive(entries).digest;
  expect(digestOf(entryOf('a', 'x'))).toBe(digestOf(entryOf('a', 'x')));
  expect(digestOf(entryOf('a', 'x'))).not.toBe(digestOf(entryOf('b', 'x')));
  expect(digestOf(entryOf('a', 'x'))).not.toBe(digestOf(entryOf('a', 'y')));
});

test('a file that is shorter than announced makes no archive that looks complete', async () => {
  const archive = new ZipArchive([{ ...entryOf('a', 'xyz'), byteLength: 4 }]);
  await expect(bytesOf(archive)).rejects.toThrow('another length');
});

test('beyond 4 GiB, sizes and places are those of ZIP64', async () => {
  const large = 5 * 2 ** 30;
  // Nothing is read: lengths are known before.
  const archive = new ZipArchive([{ ...entryOf('a', ''), byteLength: large }, entryOf('b', 'x')]);
  const local = 30 + 1 + 20 + large + 24;
  const second = 30 + 1 + 1 + 16;
  const central = 2 * (46 + 1 + 28);
  expect(archive.byteLength).toBe(local + second + central + 56 + 20 + 22);
});

test('begins and ends anywhere if the checksums are known before, and only as a whole otherwise', async () => {
  const texts = ['Who and when', 'frames of a video', ''];
  const entries = texts.map((text, index) => ({
    ...entryOf(`${index}.txt`),
    byteLength: text.length,
    crc32: crc32(text),
    async *read(first: number, end: number) {
      // In pieces.
      for (let at = first; at < end; at += 5) {
        const bytes = Buffer.from(text.slice(at, Math.min(end, at + 5)));
        yield { buffers: [bytes], release: () => undefined };
      }
    },
  }));
  const archive = new ZipArchive(entries);
  const whole = await bytesOf(archive);
  expect(filesIn(whole).map(({ text, crc }) => [text, crc])).toEqual(
    texts.map((text) => [text, crc32(text)]),
  );
  for (let first = 0; first < whole.length; first += 3) {
    for (let end = first + 1; end <= whole.length; end += 7) {
      const parts: Buffer[] = [];
      for await (const { buffers } of archive.read(first, end)) parts.push(...buffers);
      expect(Buffer.concat(parts).equals(whole.subarray(first, end)), `${first}-${end}`).toBe(true);
    }
  }
  expect(zipByteLength(entries)).toBe(whole.length);
  const unknown = new ZipArchive([entryOf('a.txt', 'text')]);
  await expect(unknown.read(1, 9).next()).rejects.toThrow('the archive has no ranges');
});
