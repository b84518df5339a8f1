import { expect, it } from 'vitest';
import { zipFiles } from './zip-files.ts';

const LARGE_BYTES = 5 * 2 ** 30;
const NAMES = { large: 'clips/01-1-Gate.mp4', note: 'events.json' };
const NOTE = Buffer.from('[]\n');

/** Of an archive of ZIP64 (PKWARE APPNOTE 6.3.10 §4.3.14, §4.5.3), which is mostly zeros: its other bytes, by their offsets. */
function largeArchive(): { readonly byteLength: number; readonly pieces: ReadonlyMap<number, Buffer> } {
  const noteAt = 30 + NAMES.large.length + LARGE_BYTES;
  const centralAt = noteAt + 30 + NAMES.note.length + NOTE.length;
  const central = Buffer.concat([
    centralHeader(NAMES.large, LARGE_BYTES, 0),
    centralHeader(NAMES.note, NOTE.length, noteAt),
  ]);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x0606_4b50, 0);
  end64.writeBigUInt64LE(2n, 32);
  end64.writeBigUInt64LE(BigInt(central.length), 40);
  end64.writeBigUInt64LE(BigInt(centralAt), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x0706_4b50, 0);
  locator.writeBigUInt64LE(BigInt(centralAt + central.length), 8);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(2, 10);
  end.writeUInt32LE(0xffff_ffff, 12);
  end.writeUInt32LE(0xffff_ffff, 16);
  const last = Buffer.concat([central, end64, locator, end]);
  const pieces = new Map([
    [0, localHeader(NAMES.large)],
    [noteAt - 4, Buffer.from('tail')],
    [noteAt, Buffer.concat([localHeader(NAMES.note), NOTE])],
    [centralAt, last],
  ]);
  return { byteLength: centralAt + last.length, pieces };
}

function localHeader(name: string): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name)]);
}

/** With the size and the offset in the extra field. */
function centralHeader(name: string, byteLength: number, offset: number): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt32LE(0xffff_ffff, 20);
  head.writeUInt32LE(0xffff_ffff, 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(28, 30);
  head.writeUInt32LE(0xffff_ffff, 42);
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  for (const [i, value] of [byteLength, byteLength, offset].entries()) {
    extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  }
  return Buffer.concat([head, Buffer.from(name), extra]);
}

it('reads ranges of files beyond 4 GiB, and nothing else of them', async () => {
  const { byteLength, pieces } = largeArchive();
  let readBytes = 0;
  const files = await zipFiles({
    byteLength,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.min(length, byteLength - offset));
      readBytes += bytes.length;
      for (const [at, piece] of pieces) {
        for (let i = Math.max(at, offset); i < Math.min(at + piece.length, offset + bytes.length); i++) {
          bytes[i - offset] = piece[i - at]!;
        }
      }
      return bytes;
    },
  });
  expect(files.names).toEqual(Object.values(NAMES));
  const large = (await files.open(NAMES.large))!;
  expect(large.byteLength).toBe(LARGE_BYTES);
  const tail = await large.read(LARGE_BYTES - 4, 100);
  expect(Buffer.from(tail).toString()).toBe('tail');
  const note = (await files.open(NAMES.note))!;
  expect(Buffer.from(await note.read(0, 1_000))).toEqual(NOTE);
  expect(await files.open('other')).toBeNull();
  expect(readBytes).toBeLessThan(100_000);
});

it('refuses bytes that are not an archive', async () => {
  const read = async (offset: number, length: number) =>
    new Uint8Array(100).subarray(offset, offset + length);
  await expect(zipFiles({ byteLength: 100, read })).rejects.toThrow(RangeError);
  await expect(zipFiles({ byteLength: 3, read })).rejects.toThrow(RangeError);
});
