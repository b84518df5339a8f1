import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { cleanJpeg } from './clean-jpeg.ts';

const pixels = { width: 64, height: 48, channels: 3 as const, background: '#7da7cc' };
let baseline: Buffer;
let progressive: Buffer;
beforeAll(async () => {
  const image = () => sharp({ create: pixels }).withExif({ IFD0: { Copyright: 'someone', Make: 'Phone' } });
  baseline = await image().jpeg().toBuffer();
  progressive = await image().jpeg({ progressive: true }).toBuffer();
});

describe('cleanJpeg', () => {
  it('keeps the picture and leaves out where it was taken, and what follows its end', async () => {
    for (const made of [baseline, progressive]) {
      const clean = cleanJpeg(Buffer.concat([made, Buffer.from('<script>')]))!;
      expect(clean).toMatchObject({ widthPx: 64, heightPx: 48 });
      expect((await sharp(made).metadata()).exif).toBeDefined();
      const { exif, format } = await sharp(clean.bytes).metadata();
      expect([format, exif]).toEqual(['jpeg', undefined]);
      expect(clean.bytes.includes('<script>')).toBe(false);
      const [before, after] = await Promise.all([
        sharp(made).raw().toBuffer(),
        sharp(clean.bytes).raw().toBuffer(),
      ]);
      expect(after.equals(before)).toBe(true);
    }
  });

  it('does not change its input, and cleans what is clean', () => {
    const copy = Buffer.from(baseline);
    const clean = cleanJpeg(copy)!;
    expect(copy.equals(baseline)).toBe(true);
    expect(cleanJpeg(clean.bytes)!.bytes.equals(clean.bytes)).toBe(true);
  });

  it('refuses a picture that is cut off at any byte', () => {
    for (let length = 0; length < baseline.length; length++) {
      expect(cleanJpeg(baseline.subarray(0, length))).toBeNull();
    }
  });

  it('refuses other formats, other sample sizes, and pictures of thousands of scans', async () => {
    expect(cleanJpeg(await sharp({ create: pixels }).png().toBuffer())).toBeNull();
    expect(cleanJpeg(await sharp({ create: pixels }).webp().toBuffer())).toBeNull();
    const cmyk = await sharp({ create: pixels }).toColourspace('cmyk').jpeg().toBuffer();
    expect(cleanJpeg(cmyk)).toBeNull();
    const end = progressive.length - 2;
    const scan = progressive.subarray(progressive.lastIndexOf(Buffer.from([0xff, 0xda])), end);
    const many = Buffer.concat([
      progressive.subarray(0, end),
      ...Array(100).fill(scan),
      progressive.subarray(end),
    ]);
    expect(cleanJpeg(many)).toBeNull();
  });

  it('fails on no bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(), (noise, seed) => {
        cleanJpeg(Buffer.from(noise));
        const damaged = Buffer.from(baseline);
        for (const [i, byte] of noise.entries()) damaged[(seed + i * 7) % damaged.length] = byte;
        const clean = cleanJpeg(damaged);
        if (clean !== null) expect(clean.bytes.length).toBeLessThanOrEqual(damaged.length);
      }),
      randomRuns(300),
    );
  });
});
