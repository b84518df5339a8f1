import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { decodeSpropParameterSets, encodeSpropParameterSets } from '../sprop-parameter-sets.ts';
import { rbspOf } from './nal-unit.ts';
import { ParameterSets } from './parameter-sets.ts';
import { parsePictureParameterSet } from './picture-parameter-set.ts';
import { h264CodecString, MAX_SPS_BYTES, parseSequenceParameterSet } from './sequence-parameter-set.ts';
import { slicePpsId } from './slice-header.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Size, rate and reordering are what ffprobe 5.1 reports for the same SPS. */
const SPS_CASES = [
  ['x264, High 320 × 240', '6764000dacb40a0fd808800000030080000019078a1550', 320, 240, 25, 0, 'avc1.64000d'],
  [
    'x264, 1080p with B-frames',
    '67640028acd940780227e5c044000003000400000300c83c60c658',
    1920,
    1080,
    25,
    2,
    'avc1.640028',
  ],
  [
    'x264, interlaced 576',
    '6764001eacd940b024d8088000000300800000190f8a14cb',
    704,
    576,
    25,
    2,
    'avc1.64001e',
  ],
  [
    'x264, 4:4:4 with scaling lists and odd cropping',
    '67f4000d919b282a10f1f1fff80f200f1880000003008000001e078a14cb',
    322,
    242,
    30,
    2,
    'avc1.f4000d',
  ],
  [
    'x264, Baseline with cropping',
    '6742c01ed900a42fe224ffc0b500f0c4000003000400000300f03c58b920',
    642,
    362,
    30,
    0,
    'avc1.42c01e',
  ],
  ['x264, 4:2:2', '677a000dbcd94141fb0110000003001000000303c0f1429960', 320, 240, 30, 2, 'avc1.7a000d'],
  [
    'x264, HRD, aspect ratio and colors',
    '6764001eacd900b43dbff000800096a0202028000003000800000301e3020007a12000f425261803c58b6580',
    720,
    480,
    30,
    2,
    'avc1.64001e',
  ],
  ['Axis', '67640029ad00c5201e0089f966e020203483c488a8', 1920, 1080, null, 0, 'avc1.640029'],
  [
    'Bosch',
    '674d40289a6603c0113f2e02dc04040500000303e80000ea60e860046300005f5e0bbcb8d0c008c60000bebc177970a0',
    1920,
    1080,
    30,
    null,
    'avc1.4d4028',
  ],
  ['Hikvision, no VUI', '674d002a95a81e0089f950', 1920, 1080, null, null, 'avc1.4d002a'],
  ['Reolink, no VUI', '67640033ac1514a02800b590', 2560, 1440, null, null, 'avc1.640033'],
  [
    'Uniview, scaling matrix',
    '67640028ad84010c20086100430802184010c200843b503c0113f2cdc040405000003e80000c350840',
    1920,
    1080,
    25,
    null,
    'avc1.640028',
  ],
] as const;

describe('parseSequenceParameterSet', () => {
  it.each(SPS_CASES)('%s', (_title, sps, widthPx, heightPx, nominalFrameRateHz, maxReorderFrames, codec) => {
    const parsed = parseSequenceParameterSet(hex(sps))!;
    expect(parsed).toMatchObject({ id: 0, widthPx, heightPx, nominalFrameRateHz, maxReorderFrames });
    expect(h264CodecString(parsed)).toBe(codec);
  });

  it('tells fields from frames', () => {
    const only = SPS_CASES.map(([, sps]) => parseSequenceParameterSet(hex(sps))!.isFramesOnly);
    expect(only.filter((isFramesOnly) => !isFramesOnly)).toHaveLength(1);
    expect(only[2]).toBe(false);
  });

  it.each(SPS_CASES)(
    'truncated anywhere, it is rejected or has the same size: %s',
    (_title, sps, widthPx, heightPx) => {
      const bytes = hex(sps);
      let refused = 0;
      for (let length = 0; length < bytes.length; length++) {
        const parsed = parseSequenceParameterSet(bytes.subarray(0, length));
        if (parsed === null) refused += 1;
        else expect(parsed).toMatchObject({ widthPx, heightPx });
      }
      expect(refused).toBeGreaterThan(7);
    },
  );

  it('rejects other NAL units and sizes that no level allows', () => {
    expect(parseSequenceParameterSet(hex('68ebe3cb22c0'))).toBeNull();
    expect(parseSequenceParameterSet(new Uint8Array(MAX_SPS_BYTES + 1).fill(0x67))).toBeNull();
    // Baseline, ids 0, 65,536 macroblocks wide.
    expect(parseSequenceParameterSet(hex('6742001ef800008000c0'))).toBeNull();
  });

  it('returns plausible values or null for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const parsed = parseSequenceParameterSet(Buffer.concat([hex('67'), bytes]));
        if (parsed === null) return;
        expect(parsed.widthPx).toBeGreaterThan(0);
        expect(parsed.widthPx * parsed.heightPx).toBeLessThanOrEqual(139_264 * 256);
        expect(parsed.nominalFrameRateHz ?? 1).toBeGreaterThan(0);
        expect(parsed.maxReorderFrames ?? 0).toBeLessThanOrEqual(16);
      }),
      randomRuns(5_000),
    );
  });
});

describe('small readers', () => {
  it('removes emulation prevention', () => {
    expect([...rbspOf(hex('6700000300000301000004'), 64)]).toEqual([0, 0, 0, 0, 1, 0, 0, 4]);
    expect([...rbspOf(hex('6700000300000301000004'), 3)]).toEqual([0, 0, 0]);
    expect(rbspOf(new Uint8Array(0), 8)).toHaveLength(0);
  });

  it('reads the ids of a PPS', () => {
    expect(parsePictureParameterSet(hex('68ebe3cb22c0'))).toMatchObject({ id: 0, spsId: 0 });
    // ue(1), ue(2).
    expect(parsePictureParameterSet(Uint8Array.of(0x68, 0b0100_1100))).toEqual({
      id: 1,
      spsId: 2,
      slices: null,
    });
    expect(parsePictureParameterSet(hex('68'))).toBeNull();
    expect(parsePictureParameterSet(hex('6800'))).toBeNull();
    expect(parsePictureParameterSet(hex('67ebe3'))).toBeNull();
  });

  it('reads the slice parameters', () => {
    expect(parsePictureParameterSet(hex('68ebe3cb22c0'))!.slices).toEqual({
      isCabac: true,
      hasBottomFieldOrder: false,
      defaultReferences: 3,
      hasWeights: true,
      initialQp: 23,
      hasDeblockingControl: true,
      hasRedundantPictures: false,
    });
    // Two slice groups.
    expect(parsePictureParameterSet(Uint8Array.of(0x68, 0b1100_0100, 0xff, 0xff))!.slices).toBeNull();
  });

  it('reads the PPS id of a slice', () => {
    // ue(0), ue(7), ue(2).
    expect(slicePpsId(Uint8Array.of(0x65, 0b1000_1000, 0b0110_0000))).toBe(2);
    expect(slicePpsId(hex('65'))).toBeNull();
  });
});

describe('sprop-parameter-sets', () => {
  it('decodes and encodes', () => {
    const nalus = decodeSpropParameterSets('Z2QAKa0AxSAeAIn5ZuAgIDSDxIio, aO48sA==');
    expect(nalus.map((nalu) => Buffer.from(nalu).toString('hex'))).toEqual([
      '67640029ad00c5201e0089f966e020203483c488a8',
      '68ee3cb0',
    ]);
    expect(encodeSpropParameterSets(nalus)).toBe('Z2QAKa0AxSAeAIn5ZuAgIDSDxIio,aO48sA==');
  });

  it('removes start codes and leaves out invalid Base64', () => {
    const withCode = Buffer.from('0000000168ee3cb0', 'hex').toString('base64');
    const nalus = decodeSpropParameterSets(`${withCode},%%%,,${'A'.repeat(4_000)}`);
    expect(nalus.map((nalu) => Buffer.from(nalu).toString('hex'))).toEqual(['68ee3cb0']);
  });

  it('removes start codes at the end (GW Security, retina gw_sub_describe.txt)', () => {
    const nalus = decodeSpropParameterSets('Z00AHpWoLQ9puAgICBAAAAAB,aO48gAAAAAE=');
    expect(nalus.map((nalu) => Buffer.from(nalu).toString('hex'))).toEqual([
      '674d001e95a82d0f69b808080810',
      '68ee3c80',
    ]);
  });

  it('splits one value into several NAL units, and does not read zeros as one', () => {
    const both = Buffer.from('00000001674d001e000000000168ee3c8000', 'hex').toString('base64');
    const nalus = decodeSpropParameterSets(`${both},AAAAAA==`);
    expect(nalus.map((nalu) => Buffer.from(nalu).toString('hex'))).toEqual(['674d001e', '68ee3c80']);
  });
});

describe('ParameterSets', () => {
  const sps = hex(SPS_CASES[0][1]);
  const pps = hex('68ef0fcb');

  it('needs both sets', () => {
    const sets = new ParameterSets(90_000);
    expect(sets.trackFor(0)).toBeNull();
    expect(sets.putPps(pps)).toBe('added');
    expect(sets.trackFor(0)).toBeNull();
    expect(sets.putSps(sps)).toBe('added');
    expect(sets.trackFor(0)).toMatchObject({ timescaleHz: 90_000, widthPx: 320, codecString: 'avc1.64000d' });
    expect(sets.trackFor(1)).toBeNull();
  });

  it('keeps the track while sets repeat, and copies what it keeps', () => {
    const sets = new ParameterSets(90_000);
    const borrowed = Buffer.from(sps);
    sets.putSps(borrowed);
    sets.putPps(pps);
    borrowed.fill(0);
    const track = sets.trackFor(0)!;
    expect(Buffer.from(track.sps[0]!)).toEqual(sps);
    expect([sets.putSps(sps), sets.putPps(pps)]).toEqual(['same', 'same']);
    expect(sets.trackFor(0)).toBe(track);
    expect(sets.putSps(hex(SPS_CASES[1][1]))).toBe('replaced');
    expect(sets.trackFor(0)).toMatchObject({ widthPx: 1920 });
    expect(sets.maxReorderFrames(0)).toBe(2);
  });

  it('keeps the track while only what decoding does not depend on changes', () => {
    const sets = new ParameterSets(90_000);
    // The same picture at 25 and at 5 frames per second: x264 changes num_units_in_tick and time_scale.
    const [at25, at5] = ['80000019078a1550', '80000005078a1550'].map((end) =>
      hex(`6764000dacb40a0fd8088000000300${end}`),
    );
    expect(sets.putSps(at25!)).toBe('added');
    expect(sets.putPps(hex('68ef0fcb'))).toBe('added');
    const track = sets.trackFor(0);
    expect(track).not.toBeNull();
    expect(sets.putSps(at5!)).toBe('same');
    expect(sets.putSps(hex(`27${at25!.toString('hex').slice(2)}0000`))).toBe('same');
    expect(sets.putPps(hex('28ef0fcb000000'))).toBe('same');
    expect(sets.trackFor(0)).toBe(track);
    expect(sets.putPps(hex('68ef0fcb01'))).toBe('replaced');
    expect(sets.trackFor(0)).not.toBe(track);
  });

  it('knows when a stream may have fields', () => {
    const sets = new ParameterSets(90_000);
    sets.putSps(sps);
    expect(sets.mayHaveFields).toBe(false);
    sets.putSps(hex(SPS_CASES[2][1]));
    expect(sets.mayHaveFields).toBe(true);
  });

  it('holds a limited number of sets', () => {
    const sets = new ParameterSets(90_000);
    // PPS ids 32 to 62 are eleven bits of Exp-Golomb code: 00000 1 xxxxx.
    const results = Array.from({ length: 64 }, (_, id) => {
      const code = (id + 1).toString(2);
      const bits = `${'0'.repeat(code.length - 1)}${code}1`.padEnd(24, '0');
      return sets.putPps(
        Uint8Array.from([0x68, ...[0, 8, 16].map((at) => Number.parseInt(bits.slice(at, at + 8), 2))]),
      );
    });
    expect(results.every((result) => result === 'added')).toBe(true);
    sets.putSps(hex(SPS_CASES[0][1]));
    const held = results.map((_, id) => sets.trackFor(id));
    expect(held.map((track) => track !== null).lastIndexOf(false)).toBe(31);
    expect(held.at(-1)!.pps).toHaveLength(32);
  });
});
