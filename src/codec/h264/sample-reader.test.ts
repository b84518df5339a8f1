import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import type { H264Track } from '../track.ts';
import { H264SampleReader } from './sample-reader.ts';

const SPS_360P = Buffer.from('6742c01eda0280bfe5c04400000fa40003', 'hex');
/** Made from `testsrc2` at 128 × 96, by x264. */
const SPS_96P = Buffer.from('674d400aeca106d808800000030080000019078912cb', 'hex');
const PPS = Buffer.from('68ce3c80', 'hex');
const OTHER_PPS = Buffer.from('68ce3c81', 'hex');
const IDR = Buffer.from('65888400', 'hex');
const SLICE = Buffer.from('419a24', 'hex');
const SEI = Buffer.from('0605', 'hex');
const AUD = Buffer.from('0910', 'hex');
const FILLER = Buffer.from('0cffff80', 'hex');

const TRACK: H264Track = {
  kind: 'video',
  codec: 'h264',
  timescaleHz: 90_000,
  sps: [SPS_360P],
  pps: [PPS],
  widthPx: 640,
  heightPx: 360,
  nominalFrameRateHz: null,
  codecString: 'avc1.42c01e',
};

function sample(...nalus: Buffer[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(nalu.length);
      return [length, nalu];
    }),
  );
}

describe('H264SampleReader', () => {
  it('passes on a clean frame in place', () => {
    const reader = new H264SampleReader(TRACK);
    const picture = sample(SEI, IDR, IDR);
    expect(reader.read(picture)).toBe('same');
    expect(reader.data).toBe(picture);
    expect(reader.isKey).toBe(true);
    expect(reader.read(sample(SLICE))).toBe('same');
    expect(reader.isKey).toBe(false);
  });

  it.each([
    ['before', sample(AUD, SPS_360P, PPS, IDR), sample(IDR)],
    ['between', sample(SEI, PPS, IDR, AUD, IDR), sample(SEI, IDR, IDR)],
    ['behind', sample(SLICE, FILLER), sample(SLICE)],
  ])('removes what does not belong in an access unit %s the picture', (_title, picture, expected) => {
    const reader = new H264SampleReader(TRACK);
    const input = Buffer.from(picture);
    expect(reader.read(picture)).toBe('same');
    expect(Buffer.from(reader.data)).toEqual(expected);
    expect(picture).toEqual(input);
    expect(reader.track).toBe(TRACK);
  });

  it('learns a new picture size from parameter sets in band, and owns what it learned', () => {
    const reader = new H264SampleReader(TRACK);
    const picture = sample(SPS_96P, OTHER_PPS, IDR);
    expect(reader.read(picture)).toBe('changed');
    picture.fill(0);
    expect(reader.track).toMatchObject({ widthPx: 128, heightPx: 96, codecString: 'avc1.4d400a' });
    expect(reader.track.sps.map((set) => Buffer.from(set))).toEqual([SPS_96P]);
    expect(reader.track.pps.map((set) => Buffer.from(set))).toEqual([OTHER_PPS]);
    expect(reader.read(sample(SPS_96P, OTHER_PPS, IDR))).toBe('same');
  });

  it('does not take a parameter set with the rest of a lost picture behind it for a new one', () => {
    const reader = new H264SampleReader(TRACK);
    const damaged = Buffer.concat([PPS, Buffer.from('8db3145cd728cb19', 'hex')]);
    expect(reader.read(sample(SPS_360P, damaged, SLICE))).toBe('same');
    expect(reader.track).toBe(TRACK);
    expect(Buffer.from(reader.data)).toEqual(sample(SLICE));
    expect(reader.read(sample(OTHER_PPS, IDR))).toBe('changed');
  });

  it('keeps the picture parameter sets when a sequence parameter set comes alone', () => {
    const reader = new H264SampleReader(TRACK);
    expect(reader.read(sample(SPS_96P, IDR))).toBe('changed');
    expect(reader.track.pps).toEqual([PPS]);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['cut within a length', Buffer.from('0000', 'hex')],
    ['of a length beyond its end', Buffer.from('0000000565888400', 'hex')],
    ['of a length of 4 GiB', Buffer.from('ffffffff65888400', 'hex')],
    ['of an empty NAL unit', Buffer.from('00000000', 'hex')],
    ['without a picture', sample(SPS_96P, OTHER_PPS, SEI)],
    ['with a broken parameter set', sample(Buffer.from('67ff', 'hex'), IDR)],
  ])('rejects a sample that is %s, and believes nothing in it', (_title, damaged) => {
    const reader = new H264SampleReader(TRACK);
    expect(reader.read(damaged)).toBe('damaged');
    expect(reader.track).toBe(TRACK);
    expect(reader.read(sample(IDR))).toBe('same');
  });

  it('survives any bytes, and returns only whole NAL units', () => {
    const nalu = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes));
    const mostlyGood = fc.array(nalu, { maxLength: 8 }).map((nalus) => sample(...nalus));
    const anything = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    const reader = new H264SampleReader(TRACK);
    fc.assert(
      fc.property(fc.oneof(mostlyGood, anything), (bytes) => {
        if (reader.read(bytes) === 'damaged') return;
        const again = new H264SampleReader(reader.track);
        const data = Buffer.from(reader.data);
        expect(again.read(data)).toBe('same');
        expect(again.data).toBe(data);
        expect(again.isKey).toBe(reader.isKey);
      }),
      randomRuns(5_000),
    );
  });
});
