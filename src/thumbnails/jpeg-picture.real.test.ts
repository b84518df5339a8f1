import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JpegTables } from '../codec/jpeg/quantization-tables.ts';
import { pictureCommand } from '../ffmpeg/command.ts';
import { type FfmpegBinary, findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { checkedJpeg, encoderTables } from './jpeg-picture.ts';
import { codedPicture } from './picture-decoder-fixture.ts';

const SIZE = { widthPx: 100, heightPx: 50 };
const TABLES = encoderTables(75);

let installed: FfmpegBinary;
let coded: Buffer;

beforeAll(async () => {
  installed = await findFfmpeg();
  coded = codedPicture('red', 640, 360);
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

describe('encoderTables', () => {
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
        format: 'jpeg',
        width: 100,
        height: 50,
        chromaSubsampling: '4:2:0',
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
});
