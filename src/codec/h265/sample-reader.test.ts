import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { H265SampleReader } from './sample-reader.ts';

/** 704 × 480 (retina dahua_describe_h265_pcma). */
const VPS = Buffer.from('40010c01ffff016000000300b0000003000003005aac0c00000300040000030032a8', 'hex');
const SPS = Buffer.from(
  '420101016000000300b0000003000003005aa0058201e1636b92452fcdc14181410000030001000003000ca1',
  'hex',
);
const PPS = Buffer.from('4401c0f2c68d03b340', 'hex');
/** The same with another last bit. */
const OTHER_PPS = Buffer.from('4401c0f2c68d03b341', 'hex');
/** 2688 × 1520 with the same ids (retina record.rs). */
const OTHER_SPS = Buffer.from(
  '42010101400000030000030000030000030099a00150200601f1396bb91b06b9544dc04040410000030001000003001e08',
  'hex',
);
const IDR = Buffer.from('2601af11', 'hex');
const CRA = Buffer.from('2a01af22', 'hex');
const BLA = Buffer.from('2001af33', 'hex');
const TRAIL = Buffer.from('0201d044', 'hex');
const RASL = Buffer.from('1201d055', 'hex');
const RADL = Buffer.from('0e01d066', 'hex');
const AUD = Buffer.from('460150', 'hex');
const FILLER = Buffer.from('4c01ffff80', 'hex');
const SEI = Buffer.from('4e010501', 'hex');
const SUFFIX_SEI = Buffer.from('5001840180', 'hex');
const END_OF_SEQUENCE = Buffer.from('4801', 'hex');
/** nuh_layer_id 1. */
const OTHER_LAYER = Buffer.from('0209d044', 'hex');

const newReader = (vps = [VPS], sps = [SPS], pps = [PPS]) => new H265SampleReader({ vps, sps, pps }, 90_000);

function sample(...nalus: Buffer[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(nalu.length);
      return [length, nalu];
    }),
  );
}

describe('H265SampleReader', () => {
  it('has a track from the first key frame on, and passes on clean frames in place', () => {
    const reader = newReader();
    expect(reader.read(sample(TRAIL))).toBe('same');
    expect(reader.track).toBeNull();
    const picture = sample(SEI, IDR, IDR, SUFFIX_SEI);
    expect(reader.read(picture)).toBe('changed');
    expect(reader.data).toBe(picture);
    expect(reader.isKey).toBe(true);
    expect(reader.track).toMatchObject({ codec: 'h265', widthPx: 704, heightPx: 480, timescaleHz: 90_000 });
    expect(reader.read(sample(TRAIL))).toBe('same');
    expect(reader.isKey).toBe(false);
    expect(reader.read(picture)).toBe('same');
  });

  it.each([
    ['before', sample(AUD, VPS, SPS, PPS, SEI, IDR), sample(SEI, IDR)],
    ['between', sample(SEI, PPS, IDR, OTHER_LAYER, IDR), sample(SEI, IDR, IDR)],
    ['behind', sample(IDR, FILLER), sample(IDR)],
  ])('removes what does not belong in an access unit %s the picture', (_title, picture, expected) => {
    const reader = newReader();
    const input = Buffer.from(picture);
    expect(reader.read(picture)).toBe('changed');
    expect(Buffer.from(reader.data)).toEqual(expected);
    expect(picture).toEqual(input);
    expect(reader.read(picture)).toBe('same');
  });

  it.each([
    ['IDR', IDR, { isKey: true, isContinuing: false, isRasl: false }],
    ['CRA', CRA, { isKey: true, isContinuing: true, isRasl: false }],
    ['BLA', BLA, { isKey: true, isContinuing: false, isRasl: false }],
    ['RASL', RASL, { isKey: false, isContinuing: false, isRasl: true }],
    ['RADL', RADL, { isKey: false, isContinuing: false, isRasl: false }],
  ])('tells %s pictures from others', (_title, picture, expected) => {
    const reader = newReader();
    expect(reader.read(sample(picture))).not.toBe('damaged');
    expect(reader).toMatchObject(expected);
  });

  it.each([
    ['in the sample before', [sample(IDR, END_OF_SEQUENCE), sample(CRA)]],
    ['in a sample of its own', [sample(IDR), sample(END_OF_SEQUENCE), sample(CRA)]],
  ])('knows that a CRA picture begins a sequence after the end of another: %s', (_title, samples) => {
    const reader = newReader();
    for (const each of samples) reader.read(each);
    expect(reader).toMatchObject({ isKey: true, isContinuing: false });
    reader.read(sample(CRA));
    expect(reader.isContinuing).toBe(true);
  });

  it('learns parameter sets in band, alone too, and owns what it learned', () => {
    const reader = newReader([], [], []);
    expect(reader.read(sample(IDR))).toBe('damaged');
    const sets = sample(VPS, SPS, PPS);
    expect(reader.read(sets)).toBe('empty');
    sets.fill(0);
    expect(reader.read(sample(IDR))).toBe('changed');
    expect(reader.track!.sps.map((set) => Buffer.from(set))).toEqual([SPS]);
    expect(reader.read(sample(OTHER_SPS, PPS, IDR))).toBe('changed');
    expect(reader.track).toMatchObject({ widthPx: 2688, heightPx: 1520 });
    expect(reader.read(sample(OTHER_PPS, IDR))).toBe('changed');
    expect(reader.track!.pps.map((set) => Buffer.from(set))).toEqual([OTHER_PPS]);
  });

  it('has no pictures between a replaced parameter set and the next key frame', () => {
    const reader = newReader();
    reader.read(sample(IDR));
    expect(reader.read(sample(OTHER_SPS, TRAIL))).toBe('damaged');
    expect(reader.read(sample(TRAIL))).toBe('damaged');
    expect(reader.read(sample(IDR))).toBe('changed');
    expect(reader.read(sample(TRAIL))).toBe('same');
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['cut within a length', Buffer.from('0000', 'hex')],
    ['of a length beyond its end', Buffer.from('000000052601af11', 'hex')],
    ['of a length of 4 GiB', Buffer.from('ffffffff2601af11', 'hex')],
    ['of an empty NAL unit', Buffer.from('00000000', 'hex')],
    ['of half a NAL unit header', sample(IDR, Buffer.of(2))],
    ['of a NAL unit header that is forbidden', sample(IDR, Buffer.of(2, 0, 1))],
    ['of a slice without a header', sample(IDR.subarray(0, 2))],
    ['full of parameter sets', sample(...Array.from({ length: 97 }, () => PPS), IDR)],
  ])('rejects a sample that is %s, and goes on', (_title, damaged) => {
    const reader = newReader();
    expect(reader.read(damaged)).toBe('damaged');
    expect(reader.read(sample(IDR))).toBe('changed');
  });

  it('survives any bytes, and returns only whole NAL units', () => {
    const known = fc.constantFrom(VPS, SPS, PPS, OTHER_SPS, IDR, CRA, TRAIL, RASL, AUD, SEI, END_OF_SEQUENCE);
    const nalu = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes));
    const mostlyGood = fc
      .array(fc.oneof({ weight: 3, arbitrary: known }, nalu), { maxLength: 8 })
      .map((nalus) => sample(...nalus));
    const anything = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    const reader = newReader();
    fc.assert(
      fc.property(fc.oneof(mostlyGood, anything), (bytes) => {
        const outcome = reader.read(bytes);
        if (outcome === 'damaged' || outcome === 'empty') return;
        const again = newReader();
        const { isKey, isRasl } = reader;
        const data = Buffer.from(reader.data);
        expect(['same', 'changed', 'damaged']).toContain(again.read(data));
        expect(again.data).toBe(data);
        expect(again).toMatchObject({ isKey, isRasl });
      }),
      randomRuns(5_000),
    );
  });
});
