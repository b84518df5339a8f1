import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { BitWriter } from '../../bytes/bit-writer.ts';
import { withEmulationPrevention } from '../emulation-prevention.ts';
import { decodeSpropParameterSets } from '../sprop-parameter-sets.ts';
import { ParameterSets } from './parameter-sets.ts';
import { parsePictureParameterSet } from './picture-parameter-set.ts';
import { h265CodecString } from './profile-tier-level.ts';
import { MAX_SPS_BYTES, parseSequenceParameterSet } from './sequence-parameter-set.ts';
import { SPS_CASES } from './sequence-parameter-sets-fixture.ts';
import { parseVideoParameterSet } from './video-parameter-set.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const bytesOf = (buffer: Buffer) => new Uint8Array(buffer);

const VPS = hex('40010c01ffff016000000300b0000003000003005aac0c00000300040000030032a8');
const SPS = hex(SPS_CASES[9][1]);
const PPS = hex('4401c0f2c68d03b340');
const TENDA_VPS = hex('40010c01ffff01600000030090000003000003003f2c0c0002000003002800020002000280');

describe('parseSequenceParameterSet', () => {
  it.each(SPS_CASES)('%s', (_name, bytes, widthPx, heightPx, rateHz, maxReorderPictures, codec) => {
    const nalu = hex(bytes);
    const before = Buffer.from(nalu);
    const sps = parseSequenceParameterSet(nalu)!;
    expect(sps).toMatchObject({ id: 0, vpsId: 0, widthPx, heightPx, maxReorderPictures });
    if (rateHz === null) expect(sps.nominalFrameRateHz).toBeNull();
    else expect(sps.nominalFrameRateHz).toBeCloseTo(rateHz, 6);
    expect(h265CodecString(sps.profile)).toBe(codec);
    expect(nalu).toEqual(before);
  });

  it('predicts reference sets from the one before (retina)', () => {
    const sps = parseSequenceParameterSet(hex(SPS_CASES[8][1]))!;
    expect(sps.shortTermSets.map(({ orderDeltas }) => orderDeltas)).toEqual([[-1], [-1], []]);
  });

  it('reads what slice headers depend on', () => {
    const sps = parseSequenceParameterSet(hex(SPS_CASES[13][1]))!;
    expect(sps).toMatchObject({
      pictureOrderBits: 6,
      codingTreeBlocks: 2_040,
      maxBufferedPictures: 4,
      subLayers: 1,
      hasLongTermPictures: true,
      longTermPictures: [],
      hasTemporalMotion: true,
      chromaFormat: 1,
      lumaBitDepth: 8,
      chromaBitDepth: 8,
      hasSeparatePlanes: false,
    });
  });

  it('refuses reference sets of hostile size (retina fuzz)', () => {
    const bytes = `421700${'db'.repeat(5)}${'ff'.repeat(6)}dbdb1442dba2db00${'ff'.repeat(12)}db${'ff'.repeat(12)}dbdbd2ff`;
    expect(parseSequenceParameterSet(hex(bytes))).toBeNull();
  });

  it('takes layers and sub-layers apart: sps_max_sub_layers_minus1 > 0, each with profile and level', () => {
    const sps = parseSequenceParameterSet(writtenSps({ subLayers: 3 }))!;
    expect(sps).toMatchObject({ subLayers: 3, widthPx: 64, heightPx: 64, maxReorderPictures: 2 });
    expect(h265CodecString(sps.profile)).toBe('hvc1.1.6.L93.B0');
  });

  it('reorders no more pictures than fit into the buffer (webrtc-streamer pull request 615)', () => {
    expect(parseSequenceParameterSet(writtenSps({ reorder: 3 }))).toMatchObject({
      maxReorderPictures: 0,
      maxBufferedPictures: 1,
    });
  });

  it.each([
    ['of another layer', { layer: 1 }],
    ['with 8 sub-layers', { subLayers: 8 }],
    ['without an area', { widthPx: 0 }],
    ['wider than any level allows', { widthPx: 20_000 }],
    ['larger than any level allows', { widthPx: 16_000, heightPx: 16_000 }],
    ['cropped to nothing', { cropX: 32 }],
    ['with 65 reference sets', { shortTermSets: 65 }],
    ['with 33 long-term pictures', { longTermPictures: 33 }],
    ['with blocks of 128 samples', { treeLog2: 7 }],
  ])('refuses an SPS %s', (_title, options) => {
    expect(parseSequenceParameterSet(writtenSps({}))).not.toBeNull();
    expect(parseSequenceParameterSet(writtenSps(options))).toBeNull();
  });

  it.each(SPS_CASES)('refuses or reads truncations of %s, with the same size', (_name, bytes, widthPx) => {
    const whole = hex(bytes);
    for (let length = 0; length < whole.length; length++) {
      const sps = parseSequenceParameterSet(whole.subarray(0, length));
      if (sps !== null) expect(sps.widthPx).toBe(widthPx);
    }
  });

  it('survives anything', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(fc.constantFrom(...SPS_CASES), fc.nat(60), fc.uint8Array({ minLength: 1, maxLength: 4 }))
        .map(([[, text], at, patch]) => {
          const nalu = hex(text);
          nalu.set(patch.subarray(0, Math.max(0, nalu.length - at)), Math.min(at, nalu.length));
          return nalu;
        }),
    );
    const property = fc.property(bytes, (tail) => {
      const nalu = Buffer.concat([hex('4201'), tail.subarray(2)]);
      const sps = parseSequenceParameterSet(nalu);
      if (sps === null) return;
      expect(sps.widthPx * sps.heightPx).toBeLessThanOrEqual(35_651_584);
      expect(sps.shortTermSets.length).toBeLessThanOrEqual(64);
      for (const set of sps.shortTermSets) {
        expect(set.orderDeltas.length).toBeLessThanOrEqual(16);
        expect(set.isUsed).toHaveLength(set.orderDeltas.length);
        expect(set.orderDeltas.slice(0, set.earlierCount).every((delta) => delta < 0)).toBe(true);
        expect(set.orderDeltas.slice(set.earlierCount).every((delta) => delta > 0)).toBe(true);
      }
    });
    fc.assert(property, randomRuns(3_000));
  });

  it('does not read what is longer than any SPS', () => {
    expect(parseSequenceParameterSet(Buffer.concat([SPS, Buffer.alloc(MAX_SPS_BYTES)]))).toBeNull();
  });
});

describe('parseVideoParameterSet', () => {
  it.each([
    ['Tenda CP3PRO (retina)', TENDA_VPS, 20],
    ['Dahua (retina)', VPS, 12],
    ['Xiaomi Yi, no timing (retina)', hex('40010c01ffff016000000300000300000300000300baac09'), null],
  ])('%s', (_name, nalu, nominalFrameRateHz) => {
    expect(parseVideoParameterSet(nalu)).toEqual({ id: 0, nominalFrameRateHz });
  });

  it('survives truncation at every length, and anything', () => {
    for (let length = 0; length < VPS.length; length++) {
      const vps = parseVideoParameterSet(VPS.subarray(0, length));
      if (vps !== null) expect(vps.id).toBe(0);
    }
    const property = fc.property(fc.uint8Array({ maxLength: 100 }), (tail) => {
      const vps = parseVideoParameterSet(Buffer.concat([hex('4001'), tail]));
      if (vps !== null) expect(vps.id).toBeLessThan(16);
    });
    fc.assert(property, randomRuns(2_000));
  });
});

describe('parsePictureParameterSet', () => {
  it.each([
    [
      'x265 (mediacommon)',
      '4401c172b46240',
      { hasDependentSegments: false },
      { hasWeights: true, isCodedInRows: true },
    ],
    ['Anjvision, dependent slice segments (retina)', '4401e076b02640', { hasDependentSegments: true }, {}],
  ])('%s', (_name, bytes, fields, own) => {
    const common = { id: 0, spsId: 0, hasOutputFlag: false, extraHeaderBits: 0 };
    const slices = {
      hasCabacInit: false,
      initialQp: 26,
      hasChromaQpOffsets: false,
      hasWeights: false,
      mayBypassTransform: false,
      hasTiles: false,
      isCodedInRows: false,
      hasFilterAcrossSlices: true,
      mayOverrideDeblocking: false,
      isDeblockingDisabled: false,
      hasHeaderExtension: false,
      ...own,
    };
    expect(parsePictureParameterSet(hex(bytes))).toEqual({ ...common, ...fields, slices });
  });

  it('says nothing of its slices if it is cut, or has extensions', () => {
    expect(parsePictureParameterSet(hex('4401c172b4'))).toMatchObject({ id: 0, slices: null });
    // pps_extension_present_flag is the bit before the trailing one.
    const extended = Buffer.from(hex('4401c172b46240'));
    extended[extended.length - 1] = 0xc0;
    expect(parsePictureParameterSet(extended)).toMatchObject({ id: 0, slices: null });
  });

  it('survives anything', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 20 }), (tail) => {
      const pps = parsePictureParameterSet(Buffer.concat([hex('4401'), tail]));
      if (pps !== null) expect(pps.id < 64 && pps.spsId < 16).toBe(true);
    });
    fc.assert(property, randomRuns(1_000));
  });
});

describe('ParameterSets', () => {
  it('needs all three sets', () => {
    const sets = new ParameterSets(90_000);
    expect(sets.putPps(PPS)).toBe('added');
    expect(sets.putSps(SPS)).toBe('added');
    expect(sets.trackFor(0)).toBeNull();
    expect(sets.putVps(VPS)).toBe('added');
    expect(sets.trackFor(0)).toMatchObject({
      codec: 'h265',
      timescaleHz: 90_000,
      widthPx: 704,
      heightPx: 480,
      nominalFrameRateHz: 12,
      codecString: 'hvc1.1.6.L90.B0',
      vps: [bytesOf(VPS)],
      sps: [bytesOf(SPS)],
      pps: [bytesOf(PPS)],
    });
    expect(sets.trackFor(1)).toBeNull();
  });

  it('keeps the track while sets repeat, and copies what it keeps', () => {
    const sets = new ParameterSets(90_000);
    const borrowed = Buffer.from(SPS);
    for (const put of [sets.putVps(VPS), sets.putSps(borrowed), sets.putPps(PPS)]) expect(put).toBe('added');
    borrowed.fill(0);
    const track = sets.trackFor(0)!;
    expect(Buffer.from(track.sps[0]!)).toEqual(SPS);
    expect([sets.putVps(VPS), sets.putSps(SPS), sets.putPps(PPS)]).toEqual(['same', 'same', 'same']);
    expect(sets.trackFor(0)).toBe(track);
    expect(sets.putSps(hex(SPS_CASES[0][1]))).toBe('replaced');
    expect(sets.trackFor(0)).toMatchObject({ widthPx: 1920 });
    expect(sets.spsFor(0)?.maxReorderPictures).toBe(2);
  });

  it('takes the frame rate from the VPS when the SPS has none (Tenda CP3PRO)', () => {
    const sets = new ParameterSets(90_000);
    sets.putVps(TENDA_VPS);
    sets.putSps(hex(SPS_CASES[7][1]));
    sets.putPps(hex('4401c0f2f03324'));
    expect(sets.trackFor(0)?.nominalFrameRateHz).toBe(20);
  });

  it('reads sets with start codes from a description (gortsplib "h265 annexb")', () => {
    const sets = new ParameterSets(90_000);
    const decode = (text: string) => decodeSpropParameterSets(text)[0]!;
    sets.putVps(decode('AAAAAUABDAH//wFgAAADAAADAAADAAADAJasCQ=='));
    sets.putSps(decode('AAAAAUIBAQFgAAADAAADAAADAAADAJagBaIB4WNrkkya5Zk='));
    sets.putPps(decode('AAAAAUQB4HawJkA='));
    expect(sets.trackFor(0)).toMatchObject({ widthPx: 720, heightPx: 480, codecString: 'hvc1.1.6.L150' });
  });

  it('holds a limited number of sets', () => {
    const sets = new ParameterSets(90_000);
    const results = Array.from({ length: 64 }, (_, id) => {
      const writer = new BitWriter();
      writer.bits(0x4401, 16);
      writer.expGolomb(id);
      writer.expGolomb(0);
      writer.bits(0, 24);
      return sets.putPps(writer.finish());
    });
    expect(results.filter((result) => result === 'added')).toHaveLength(32);
    expect(results.at(-1)).toBe('invalid');
  });
});

/** A made-up SPS of 64 × 64 samples. */
function writtenSps(options: {
  readonly layer?: number;
  readonly subLayers?: number;
  readonly widthPx?: number;
  readonly heightPx?: number;
  readonly cropX?: number;
  readonly shortTermSets?: number;
  readonly longTermPictures?: number;
  readonly treeLog2?: number;
  readonly reorder?: number;
}): Uint8Array {
  const { subLayers = 1, cropX = 0, shortTermSets = 0, longTermPictures = 0 } = options;
  const writer = new BitWriter();
  writer.bits((33 << 9) | ((options.layer ?? 0) << 3) | 1, 16);
  writer.bits(0, 4);
  writer.bits(subLayers - 1, 3);
  writer.bit(1);
  writer.bits(1, 8); // profile space, tier, Main
  writer.bits(0x6000, 16);
  writer.bits(0, 16);
  writer.bits(0xb000, 16);
  writer.bits(0, 32);
  writer.bits(93, 8);
  for (let at = 1; at < subLayers; at++) writer.bits(3, 2);
  if (subLayers > 1) writer.bits(0, 2 * (9 - subLayers));
  for (let at = 1; at < subLayers; at++) for (let byte = 0; byte < 12; byte++) writer.bits(0xa5, 8);
  writer.expGolomb(0); // sps_seq_parameter_set_id
  writer.expGolomb(1); // chroma_format_idc
  writer.expGolomb(options.widthPx ?? 64);
  writer.expGolomb(options.heightPx ?? 64);
  writer.bit(1);
  for (const crop of [cropX, 0, 0, 0]) writer.expGolomb(crop);
  for (const value of [0, 0, 4]) writer.expGolomb(value); // bit depths, picture order
  writer.bit(1);
  const { reorder } = options;
  for (let at = 0; at < subLayers; at++) {
    for (const value of [reorder === undefined ? at + 1 : 0, reorder ?? at, 0]) writer.expGolomb(value);
  }
  for (const value of [0, (options.treeLog2 ?? 6) - 3, 0, 0, 0, 0]) writer.expGolomb(value);
  writer.bits(0, 4); // scaling lists, AMP, SAO, PCM
  writer.expGolomb(shortTermSets);
  for (let at = 0; at < shortTermSets; at++) {
    if (at > 0) writer.bit(0);
    writer.expGolomb(0);
    writer.expGolomb(0);
  }
  writer.bit(longTermPictures > 0 ? 1 : 0);
  if (longTermPictures > 0) writer.expGolomb(longTermPictures);
  for (let at = 0; at < longTermPictures; at++) writer.bits(at, 9);
  writer.bits(0, 4); // temporal motion, intra smoothing, VUI, extension
  writer.bit(1);
  return withEmulationPrevention(writer.finish());
}
