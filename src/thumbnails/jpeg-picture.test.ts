import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { checkedJpeg, encoderTables } from './jpeg-picture.ts';

const SIZE = { widthPx: 100, heightPx: 50 };
const TABLES = encoderTables(75);
const EOI_BYTES = 2;

/** As ffmpeg 5.1 wrote it, of these tables. */
const made = readFileSync(new URL('fixtures/red-100x50-quality-75.jpeg', import.meta.url));

/** Where the content of the first such segment begins. */
function contentOf(jpeg: Buffer, marker: number): number {
  return jpeg.indexOf(Buffer.from([0xff, marker])) + 4;
}

/** A copy with one byte changed. */
function changed(jpeg: Buffer, at: number, to: number): Buffer {
  const copy = Buffer.from(jpeg);
  copy[at] = to;
  return copy;
}

function inserted(jpeg: Buffer, at: number, bytes: readonly number[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, at), Buffer.from(bytes), jpeg.subarray(at)]);
}

describe('encoderTables', () => {
  it.each([
    [75, [8, 6, 5, 8], [8, 9, 12, 24]],
    [50, [8, 11, 10, 16], [8, 18, 24, 47]],
    [100, [8, 1, 1, 1], [8, 1, 1, 1]],
    [1, [8, 255, 255, 255], [8, 255, 255, 255]],
  ])('scales the tables of T.81 to quality %i, but for the mean', (quality, luminance, chrominance) => {
    const tables = encoderTables(quality);
    expect(tables.luminance.slice(0, 4)).toEqual(luminance);
    expect(tables.chrominance.slice(0, 4)).toEqual(chrominance);
  });
});

describe('checkedJpeg', () => {
  it('has a header of the gateway’s own', () => {
    const own = checkedJpeg(made, SIZE, TABLES)!;
    const note = [0xff, 0xfe, 0, 6, 1, 2, 3, 4];
    const exif = [0xff, 0xe1, 0, 4, 5, 6];
    expect(made.includes('Lavc')).toBe(true);
    expect(own.includes('Lavc')).toBe(false);
    expect(checkedJpeg(inserted(inserted(made, 2, note), 2, exif), SIZE, TABLES)).toEqual(own);
  });

  it.each<[string, (jpeg: Buffer) => Buffer]>([
    ['another width', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc0) + 4, 101)],
    ['another height', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc0) + 1, 0xff)],
    ['another precision', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc0), 12)],
    ['another subsampling', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc0) + 7, 0x44)],
    ['progressive scans', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc0) - 3, 0xc2)],
    ['another quantization table', (jpeg) => changed(jpeg, contentOf(jpeg, 0xdb) + 7, 0)],
    ['another Huffman code', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc4) + 3, 200)],
    ['another Huffman value', (jpeg) => changed(jpeg, contentOf(jpeg, 0xc4) + 20, 200)],
    ['other components in its scan', (jpeg) => changed(jpeg, contentOf(jpeg, 0xda), 1)],
    ['restart intervals', (jpeg) => inserted(jpeg, 2, [0xff, 0xdd, 0, 4, 0, 1])],
    ['a marker among its blocks', (jpeg) => inserted(jpeg, jpeg.length - 3, [0xff, 0xd0])],
    ['a second picture', (jpeg) => Buffer.concat([jpeg, jpeg])],
    ['bytes behind it', (jpeg) => Buffer.concat([jpeg, Buffer.from('<script>')])],
    ['a segment longer than itself', (jpeg) => changed(jpeg, contentOf(jpeg, 0xe0) - 2, 0xff)],
    ['a segment without a length', (jpeg) => inserted(jpeg, 2, [0xff, 0xfe, 0, 0])],
    ['no marker where one must be', (jpeg) => inserted(jpeg, 2, [0, 0, 0, 4, 0, 0])],
    ['nothing', () => Buffer.alloc(0)],
  ])('refuses one with %s', (_what, harm) => {
    expect(checkedJpeg(harm(made), SIZE, TABLES)).toBeNull();
  });

  it('refuses one that is cut anywhere', () => {
    for (let length = 0; length < made.length; length++) {
      expect(checkedJpeg(made.subarray(0, length), SIZE, TABLES), `${length}`).toBeNull();
    }
  });

  it('passes on nothing but blocks, whatever it gets', () => {
    const own = checkedJpeg(made, SIZE, TABLES)!;
    const header = own.subarray(0, contentOf(own, 0xda) + 10);
    const harmed = fc.array(fc.tuple(fc.nat(made.length - 1), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(harmed, (changes) => {
        const copy = Buffer.from(made);
        for (const [at, to] of changes) copy[at] = to;
        const jpeg = checkedJpeg(copy, SIZE, TABLES);
        if (jpeg === null) return;
        expect(jpeg.subarray(0, header.length).equals(header)).toBe(true);
        const blocks = jpeg.subarray(header.length, jpeg.length - EOI_BYTES);
        for (const [at, byte] of blocks.entries()) if (byte === 0xff) expect(blocks[at + 1]).toBe(0);
      }),
      randomRuns(2_000),
    );
  });
});
