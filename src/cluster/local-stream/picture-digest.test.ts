import { describe, expect, it } from 'vitest';
import { pictureDigest } from './picture-digest.ts';

/** NAL units, each after its length. */
function unitOf(...nalus: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(nalus.flatMap((nalu) => [0, 0, nalu.length >> 8, nalu.length & 0xff, ...nalu]));
}

const H264 = { slice: [0x65, 1, 2, 3], other: [0x65, 1, 2, 4] };
const H265 = { slice: [0x26, 0x01, 1, 2, 3], other: [0x26, 0x01, 1, 2, 4] };

describe.each([
  {
    codec: 'h264' as const,
    nalus: H264,
    others: {
      'an SEI message': [0x06, 5, 2, 9, 9],
      'an access unit delimiter': [0x09, 0xf0],
      'a sequence parameter set': [0x67, 0x64, 0, 31],
      'a picture parameter set': [0x68, 0xee],
      filler: [0x0c, 0xff, 0xff, 0x80],
    },
  },
  {
    codec: 'h265' as const,
    nalus: H265,
    others: {
      'a prefix SEI message': [0x4e, 0x01, 5, 2, 9, 9],
      'a suffix SEI message': [0x50, 0x01, 5, 2, 9, 9],
      'an access unit delimiter': [0x46, 0x01, 0x50],
      'a video parameter set': [0x40, 0x01, 0x0c],
      filler: [0x4c, 0x01, 0xff, 0x80],
    },
  },
])('a picture of $codec', ({ codec, nalus: { slice, other }, others }) => {
  const digest = pictureDigest(unitOf(slice, slice), codec);

  it.each(Object.entries(others))('is the same with %s', (_name, nalu) => {
    expect(pictureDigest(unitOf(nalu, slice, slice), codec)).toBe(digest);
    expect(pictureDigest(unitOf(slice, slice, nalu), codec)).toBe(digest);
  });

  it('is the same with zero words behind a slice', () => {
    expect(pictureDigest(unitOf([...slice, 0, 0, 3, 0, 0, 3], [...slice, 0]), codec)).not.toBe(
      pictureDigest(unitOf(slice), codec),
    );
    expect(pictureDigest(unitOf(slice, [...slice, 0, 0, 3, 0, 0, 3]), codec)).toBe(digest);
  });

  it('is another one if a slice differs, or is missing', () => {
    const different = [unitOf(slice, other), unitOf(other, slice), unitOf(slice)];
    for (const data of different) expect(pictureDigest(data, codec)).not.toBe(digest);
  });
});

it('without slices, and of audio, every byte counts', () => {
  const datas = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4), unitOf([0x4e, 1]), unitOf([0x4e, 1, 2])];
  const digests = datas.flatMap((data) =>
    (['h264', 'h265', 'aac'] as const).map((codec) => pictureDigest(data, codec)),
  );
  expect(new Set(digests).size).toBe(datas.length);
});

it('a length beyond the end is that of what there is', () => {
  const [cut, other] = [Uint8Array.of(0, 0, 0, 99, 0x65, 7), Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x65, 8)];
  expect(pictureDigest(cut, 'h264')).toBe(pictureDigest(unitOf([0x65, 7]), 'h264'));
  expect(pictureDigest(other, 'h264')).toBe(pictureDigest(unitOf([0x65, 8]), 'h264'));
});
