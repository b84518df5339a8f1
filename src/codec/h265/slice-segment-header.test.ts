import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { BitReader } from '../../bytes/bit-reader.ts';
import { BitWriter } from '../../bytes/bit-writer.ts';
import { parsePictureParameterSet } from './picture-parameter-set.ts';
import { parseSequenceParameterSet } from './sequence-parameter-set.ts';
import { readShortTermReferenceSet, type ShortTermReferenceSet } from './short-term-reference-set.ts';
import { readSliceSegmentHead, readSliceSegmentHeader } from './slice-segment-header.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

interface Stream {
  readonly sps: string;
  readonly pps: string;
  /** A slice, its type, its place in the picture order, and the distances to its references. */
  readonly slices: readonly (readonly [string, string, number, readonly number[] | null])[];
}

/** The order and the references are those that the presentation times of the same streams imply. */
const STREAMS: Record<string, Stream> = {
  'x265 with B-frames (mediacommon "with timing info, IDR")': {
    sps: '420101016000000300900000030000030078a003c08010e596666924cae010000003001000000301e080',
    pps: '4401c172b46240',
    slices: [
      ['2601af084223488a43e2', 'I', 0, null],
      ['0201d0195f8cb442492040111692', 'P', 3, [-3]],
      ['0201e04497e08120445262', 'B', 2, [-2, 1]],
      ['0001e024fffa240a4225', 'B', 1, [-1, 1, 2]],
      ['0201d03097d7dcf90c10', 'P', 6, [-3, -4, -6]],
      ['0201e0a225d7f7081204', 'B', 5, [-2, -3, -5, 1]],
      ['0001e0823f5ff6890290', 'B', 4, [-1, -2, -4, 1, 2]],
    ],
  },
  'reference sets of the SPS (mediamtx issue 2417)': {
    sps: '420101014000000300800000030000030099a003c08010e58da592423622ecb8804000000300400000050fe2c4a0',
    pps: '4401c0e0989303051490',
    slices: [
      ['2601af3e3d3acac0f22fc3', 'I', 0, null],
      ['0202d0000cc627fe6e6d', 'P', 1, [-1]],
      ['0202d00014c67cfe8329', 'P', 2, [-1]],
    ],
  },
  'Quick Sync with three B-frames (mediacommon "qsv hevc b_frames=3")': {
    sps: '42010101400000030090000003000003007ba003c0801107cbb11ee46c0a9fa6b99792cf602d404040450000030001000003003c6035ef7e0002625800261720',
    pps: '4401c03cf01b64',
    slices: [
      ['2601ae808f4cddfcee2f', 'I', 0, null],
      ['0201e20a4fdd1eb7b7a180', 'B', 4, [-4]],
      ['0201e13227e3a051cdff', 'B', 2, [-2, 2]],
      ['0001e0cf8e801e96a688', 'B', 1, [-1, 1, 3]],
    ],
  },
};

const CASES = Object.entries(STREAMS).flatMap(([name, { sps, pps, slices }]) =>
  slices.map((slice) => [name, sps, pps, ...slice] as const),
);

function setsOf({ sps, pps }: { readonly sps: string; readonly pps: string }) {
  return { sps: parseSequenceParameterSet(hex(sps))!, pps: parsePictureParameterSet(hex(pps))! };
}

describe('readSliceSegmentHeader', () => {
  it.each(CASES)('%s', (_name, spsText, ppsText, bytes, type, pictureOrderLsb, references) => {
    const { sps, pps } = setsOf({ sps: spsText, pps: ppsText });
    const header = readSliceSegmentHeader(hex(bytes), pps, sps)!;
    expect(header).toMatchObject({ isFirst: true, ppsId: 0, isDependent: false, address: 0 });
    expect(header.slice).toMatchObject({ type, isShown: true, pictureOrderLsb, longTerm: [] });
    expect(header.slice!.shortTerm?.orderDeltas ?? null).toEqual(references);
  });

  it('says where the picture order is', () => {
    const { sps, pps } = setsOf(STREAMS['x265 with B-frames (mediacommon "with timing info, IDR")']!);
    const nalu = hex('0201d0195f8cb442492040111692');
    const { pictureOrderAtBit, pictureOrderLsb } = readSliceSegmentHeader(nalu, pps, sps)!.slice!;
    const reader = new BitReader(nalu.subarray(2));
    reader.skip(pictureOrderAtBit);
    expect(reader.bits(sps.pictureOrderBits)).toBe(pictureOrderLsb);
  });

  it.each(CASES)('refuses or reads truncations: %s', (_name, spsText, ppsText, bytes) => {
    const { sps, pps } = setsOf({ sps: spsText, pps: ppsText });
    const whole = hex(bytes);
    const header = readSliceSegmentHeader(whole, pps, sps);
    for (let length = 0; length < whole.length; length++) {
      const cut = readSliceSegmentHeader(whole.subarray(0, length), pps, sps);
      if (cut !== null) expect(cut).toEqual(header);
    }
  });

  it('reads dependent segments, and refuses an address beyond the picture', () => {
    const { sps } = setsOf(STREAMS['reference sets of the SPS (mediamtx issue 2417)']!);
    const pps = {
      id: 0,
      spsId: 0,
      hasDependentSegments: true,
      hasOutputFlag: false,
      extraHeaderBits: 0,
      slices: null,
    };
    const segment = (address: number) => {
      const writer = new BitWriter();
      writer.bits(0x0201, 16);
      writer.bit(0); // first_slice_segment_in_pic_flag
      writer.expGolomb(0);
      writer.bit(1); // dependent_slice_segment_flag
      writer.bits(address, 9);
      writer.bits(1, 8);
      return readSliceSegmentHeader(writer.finish(), pps, sps);
    };
    expect(sps.codingTreeBlocks).toBe(510);
    expect(segment(509)).toMatchObject({ isFirst: false, isDependent: true, address: 509, slice: null });
    expect(segment(510)).toBeNull();
  });

  it('reads long-term references, of the SPS and of its own', () => {
    const { sps: plain, pps } = setsOf(STREAMS['reference sets of the SPS (mediamtx issue 2417)']!);
    const sps = {
      ...plain,
      pictureOrderBits: 8,
      hasLongTermPictures: true,
      shortTermSets: [],
      longTermPictures: [
        { pictureOrderLsb: 1, isUsed: true },
        { pictureOrderLsb: 7, isUsed: false },
      ],
    };
    const writer = new BitWriter();
    writer.bits(0x0201, 16);
    writer.bit(1);
    writer.expGolomb(0); // slice_pic_parameter_set_id
    writer.expGolomb(1); // P
    writer.bits(33, 8);
    writer.bit(0); // short_term_ref_pic_set_sps_flag
    writer.expGolomb(0);
    writer.expGolomb(0);
    writer.expGolomb(1); // num_long_term_sps
    writer.expGolomb(2); // num_long_term_pics
    writer.bits(0b1_0, 2); // the second of the SPS, without cycles
    for (const cycles of [2, 3]) {
      writer.bits(9, 8);
      writer.bits(0b11, 2); // used, with cycles
      writer.expGolomb(cycles);
    }
    writer.bits(1, 8);
    expect(readSliceSegmentHeader(writer.finish(), pps, sps)?.slice?.longTerm).toEqual([
      { pictureOrderLsb: 7, isUsed: false, msbCycles: null },
      { pictureOrderLsb: 9, isUsed: true, msbCycles: 2 },
      { pictureOrderLsb: 9, isUsed: true, msbCycles: 5 },
    ]);
  });

  it('survives anything', () => {
    const streams = Object.values(STREAMS).map(setsOf);
    const type = fc.constantFrom(0, 1, 8, 9, 16, 19, 20, 21, 22, 35);
    const property = fc.property(
      fc.constantFrom(...streams),
      type,
      fc.uint8Array({ maxLength: 60 }),
      ({ sps, pps }, nalType, tail) => {
        const header = readSliceSegmentHeader(
          Buffer.concat([Buffer.from([nalType << 1, 1]), tail]),
          pps,
          sps,
        );
        if (header === null) return;
        expect(header.address).toBeLessThan(sps.codingTreeBlocks);
        expect(header.slice?.longTerm.length ?? 0).toBeLessThanOrEqual(16);
        expect(header.slice?.shortTerm?.orderDeltas.length ?? 0).toBeLessThanOrEqual(16);
      },
    );
    fc.assert(property, randomRuns(3_000));
  });
});

describe('readSliceSegmentHead', () => {
  it('needs no parameter sets', () => {
    expect(readSliceSegmentHead(hex('2601af08'))).toEqual({
      isFirst: true,
      dropsPriorPictures: false,
      ppsId: 0,
    });
    expect(readSliceSegmentHead(hex('02012000'))).toMatchObject({ isFirst: false, ppsId: 1 });
    expect(readSliceSegmentHead(hex('4201af08'))).toBeNull();
    expect(readSliceSegmentHead(hex('2601'))).toBeNull();
  });
});

describe('readShortTermReferenceSet', () => {
  const SOURCE: ShortTermReferenceSet = {
    orderDeltas: [-1, -3, 2],
    isUsed: [true, false, true],
    earlierCount: 2,
  };

  /** Writes bits, from `1` and `0`, and Exp-Golomb codes, as numbers. */
  function read(
    items: readonly (string | number)[],
    sets: readonly ShortTermReferenceSet[],
    isInSlice: boolean,
  ) {
    const writer = new BitWriter();
    for (const item of items) {
      if (typeof item === 'number') writer.expGolomb(item);
      else for (const bit of item) writer.bit(Number(bit));
    }
    writer.bits(0, 32);
    return readShortTermReferenceSet(new BitReader(writer.finish()), sets, isInSlice);
  }

  it('moves the pictures of another set, and its own picture, and sorts them from near to far', () => {
    // By one back: -2, -4 and 1, and the source's own picture at -1.
    expect(read(['1', '1', 0, '1', '1', '1', '1'], [SOURCE], false)).toEqual({
      orderDeltas: [-1, -2, -4, 1],
      isUsed: [true, true, true, true],
      earlierCount: 3,
    });
  });

  it('leaves out what is not kept, and the current picture itself', () => {
    // By one forward: 0, -2, 3 and 1; the second is kept but not used, the third is not kept.
    expect(read(['1', '0', 0, '1', '01', '00', '1'], [SOURCE], false)).toEqual({
      orderDeltas: [-2, 1],
      isUsed: [false, true],
      earlierCount: 1,
    });
  });

  it('in a slice, names the set to predict from', () => {
    const other: ShortTermReferenceSet = { orderDeltas: [-8], isUsed: [true], earlierCount: 1 };
    expect(read(['1', 1, '1', 0, '1', '1'], [other, SOURCE], true)?.orderDeltas).toEqual([-1, -9]);
    expect(read(['1', 2, '1', 0, '1', '1'], [other, SOURCE], true)).toBeNull();
  });

  it.each([
    ['more pictures than a decoder holds', [9, 8]],
    ['a distance that is too large', [1, 0, 2 ** 15, '1']],
  ])('refuses %s', (_title, items) => {
    expect(read(items as (string | number)[], [], false)).toBeNull();
  });

  it('never has more pictures than a decoder holds, however long the chain of predictions', () => {
    const property = fc.property(fc.uint8Array({ minLength: 100, maxLength: 400 }), (bytes) => {
      const reader = new BitReader(bytes);
      const sets: ShortTermReferenceSet[] = [];
      for (let count = 0; count < 64; count++) {
        const set = readShortTermReferenceSet(reader, sets, false);
        if (set === null) return;
        expect(set.orderDeltas.length).toBeLessThanOrEqual(16);
        expect(set.orderDeltas).not.toContain(0);
        sets.push(set);
      }
    });
    fc.assert(property, randomRuns(1_000));
  });
});
