import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { JpegTables } from '../codec/jpeg/quantization-tables.ts';
import { pictureCommand } from '../ffmpeg/command.ts';
import { type FfmpegBinary, findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { checkedJpeg, encoderTables } from './jpeg-picture.ts';
import { codedPicture } from './picture-decoder-fixture.ts';

const SIZE = { widthPx: 100, heightPx: 50 };
const TABLES = encoderTables(75);
const EOI_BYTES = 2;

let installed: FfmpegBinary;
let coded: Buffer;
/** As ffmpeg writes it. */
let made: Buffer;

beforeAll(async () => {
  installed = await findFfmpeg();
  coded = codedPicture('red', 640, 360);
  made = encoded(TABLES);
});

function encoded(jpeg: JpegTables, { path, major } = installed): Buffer {
  const options = { ...SIZE, crop: null, frameIndex: 0, isDeblocked: true, jpeg };
  const result = spawnSync(path, pictureCommand(options, major).args, { input: coded });
  if (result.status !== 0) throw new Error(String(result.stderr));
  return result.stdout;
}

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

  it('are those of libjpeg, but for the mean', async () => {
    const raw = { width: 8, height: 8, channels: 3 } as const;
    const image = await sharp(Buffer.alloc(192), { raw }).jpeg({ quality: 60, mozjpeg: false }).toBuffer();
    const own = checkedJpeg(encoded(encoderTables(60)), SIZE, encoderTables(60))!;
    const at = contentOf(image, 0xdb) + 2;
    const ownAt = contentOf(own, 0xdb) + 2;
    expect(own.subarray(ownAt, ownAt + 63)).toEqual(image.subarray(at, at + 63));
  });
});

describe('checkedJpeg', () => {
  it.each([1, 30, 75, 100])(
    'is a JPEG of its size, with the blocks that ffmpeg wrote: quality %i',
    async (q) => {
      const tables = encoderTables(q);
      const jpeg = checkedJpeg(encoded(tables), SIZE, tables)!;
      const { format, width, height, chromaSubsampling, density } = await sharp(jpeg).metadata();
      expect({ format, width, height, chromaSubsampling, density }).toMatchObject({
        ...{ format: 'jpeg', width: 100, height: 50, chromaSubsampling: '4:2:0' },
      });
      const { data } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
      const { data: same } = await sharp(encoded(tables)).raw().toBuffer({ resolveWithObject: true });
      expect(data.equals(same)).toBe(true);
      expect([data[0]! > 240, data[1]! < 20, data[2]! < 20]).toEqual([true, true, true]);
    },
  );

  it('takes those of the bundled ffmpeg, too', async () => {
    const bundled = await findFfmpeg({ searchPath: '/nonexistent' });
    expect([bundled.origin, bundled.hasJpeg]).toEqual(['bundled', true]);
    const { dominant } = await sharp(checkedJpeg(encoded(TABLES, bundled), SIZE, TABLES)!).stats();
    expect([dominant.r > 240, dominant.g < 20, dominant.b < 20]).toEqual([true, true, true]);
  });

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
