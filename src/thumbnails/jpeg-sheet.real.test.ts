/** Sheets of thumbnails that ffmpeg made, judged by two decoders that have nothing in common. */

import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { type SheetLayout, sheetJpeg } from '../codec/jpeg/jpeg-sheet.ts';
import { type FfmpegBinary, findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { encoderTables } from './jpeg-picture.ts';
import { decodingOf } from './picture-decoder.ts';
import { codedNoise, codedPicture, keyFrameOf } from './picture-decoder-fixture.ts';

const TABLES = encoderTables(50);
const LAYOUT: SheetLayout = { columns: 3, rows: 2, tileWidthPx: 64, tileHeightPx: 48 };
const TILE = { widthPx: LAYOUT.tileWidthPx, heightPx: LAYOUT.tileHeightPx };

let installed: FfmpegBinary;

beforeAll(async () => {
  installed = await findFfmpeg();
});

function tileOf(fmp4: Buffer, widthPx: number, heightPx: number, { path, major } = installed): Buffer | null {
  const { line, check } = decodingOf(
    keyFrameOf(fmp4, widthPx, heightPx),
    { tile: TILE, tables: TABLES },
    major,
  );
  const { status, stdout, stderr } = spawnSync(path, line.args, { input: fmp4 });
  if (status !== 0) throw new Error(String(stderr));
  return check(stdout);
}

/** The color in the middle of a place. */
async function colorAt(sheet: Buffer, column: number, row: number, atX = 0.5): Promise<number[]> {
  const { data, info } = await sharp(sheet).raw().toBuffer({ resolveWithObject: true });
  const x = Math.floor((column + atX) * TILE.widthPx);
  const y = Math.floor((row + 0.5) * TILE.heightPx);
  return [...data.subarray(3 * (y * info.width + x), 3 * (y * info.width + x) + 3)];
}

it('show each thumbnail at its place, and gray where there is none', async () => {
  const noise = tileOf(codedNoise(640, 480), 640, 480)!;
  const red = tileOf(codedPicture('red', 640, 480), 640, 480)!;
  const blue = tileOf(codedPicture('blue', 640, 360), 640, 360)!;
  const tall = tileOf(codedPicture('lime', 180, 320), 180, 320)!;
  const sheet = sheetJpeg([noise, red, null, blue, noise, tall], LAYOUT, TABLES);
  const { format, width, height } = await sharp(sheet).metadata();
  expect([format, width, height]).toEqual(['jpeg', 192, 96]);
  const [r, g, b] = (await colorAt(sheet, 1, 0)) as [number, number, number];
  expect([r > 230, g < 30, b < 30]).toEqual([true, true, true]);
  expect((await colorAt(sheet, 0, 1))[2]!).toBeGreaterThan(230);
  expect((await colorAt(sheet, 2, 1))[1]!).toBeGreaterThan(230);
  for (const value of await colorAt(sheet, 2, 0)) expect(Math.abs(value - 128)).toBeLessThan(3);
  // A tall frame has black edges.
  for (const value of await colorAt(sheet, 2, 1, 0.02)) expect(value).toBeLessThan(20);
  const decode = ['-v', 'error', '-xerror', '-f', 'mjpeg', '-i', 'pipe:0', '-f', 'null', '-'];
  const { status, stderr } = spawnSync(installed.path, decode, { input: sheet });
  expect([status, String(stderr)]).toEqual([0, '']);
});

it('have none of an outdated ffmpeg, which writes no restart markers', async () => {
  const bundled = await findFfmpeg({ searchPath: '/nonexistent' });
  expect(bundled.isOutdated).toBe(true);
  expect(tileOf(codedPicture('red', 640, 480), 640, 480, bundled)).toBeNull();
});
