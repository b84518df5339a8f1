import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { readChromaFormat } from './sps-chroma.ts';

const X264_HIGH = '6764001eacd940a02ff9610000030001000003003c8f162d96';

describe('readChromaFormat', () => {
  it.each([
    ['High 4:2:0 (x264)', X264_HIGH, { chromaFormat: 1, lumaBitDepth: 8, chromaBitDepth: 8 }],
    // 1 (id 0), 1 (chroma 0: monochrome), 1, 1
    ['High monochrome', '67640028f0', { chromaFormat: 0, lumaBitDepth: 8, chromaBitDepth: 8 }],
    // 1 (id 0), 011 (chroma 2), 011 (luma 10), 011 (chroma 10)
    ['High 4:2:2, 10 bit', '677a0028b6c0', { chromaFormat: 2, lumaBitDepth: 10, chromaBitDepth: 10 }],
    // 1 (id 0), 00100 (chroma 3), 0 (planes together), 1, 1
    ['High 4:4:4', '67f400289180', { chromaFormat: 3, lumaBitDepth: 8, chromaBitDepth: 8 }],
    ['Baseline has none', '6742c01eda0280bfe5c04400000fa40003', null],
    ['reserved chroma format 4', '6764002894ff', null],
    ['empty', '', null],
  ])('%s', (_title, sps, format) => {
    expect(readChromaFormat(Buffer.from(sps, 'hex'))).toEqual(format);
  });

  it('skips emulation prevention bytes', () => {
    // seq_parameter_set_id with 16 leading zeros: 00 00 03 80… is 0x0000 1 …
    const escaped = Buffer.from('67640028000003800058', 'hex');
    const plain = Buffer.from('676400280000800058', 'hex');
    expect(readChromaFormat(escaped)).toEqual(readChromaFormat(plain));
  });

  it('returns null when truncated before the last field, at every length', () => {
    const sps = Buffer.from(X264_HIGH, 'hex');
    for (let length = 0; length < 5; length++) expect(readChromaFormat(sps.subarray(0, length))).toBeNull();
  });

  it('returns a legal format or null for any bytes, without touching them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const before = Buffer.from(bytes).toString('hex');
        const format = readChromaFormat(bytes);
        expect(Buffer.from(bytes).toString('hex')).toBe(before);
        if (format !== null) expect(format.chromaFormat).toBeLessThanOrEqual(3);
      }),
      randomRuns(10_000),
    );
  });
});
