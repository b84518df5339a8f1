import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { withEmulationPrevention } from '../emulation-prevention.ts';
import { rbspOf } from './nal-unit.ts';
import type { PictureCoding } from './picture-coding.ts';
import { renumberedHead } from './renumber-slice.ts';
import { RepeatPictureWriter } from './repeat-picture.ts';
import { readSliceNumbers } from './slice-numbers.ts';

const CODING: PictureCoding = {
  ppsId: 0,
  isCabac: true,
  hasBottomFieldOrder: false,
  defaultReferences: 1,
  hasWeights: false,
  initialQp: 26,
  hasDeblockingControl: true,
  hasRedundantPictures: false,
  frameNumBits: 8,
  pictureOrderBits: 10,
  macroblocks: 8_160,
  isMonochrome: false,
};
const codings = fc.record({
  ppsId: fc.constantFrom(0, 1, 7),
  isCabac: fc.boolean(),
  hasBottomFieldOrder: fc.boolean(),
  defaultReferences: fc.integer({ min: 1, max: 16 }),
  hasWeights: fc.boolean(),
  initialQp: fc.integer({ min: 0, max: 51 }),
  hasDeblockingControl: fc.boolean(),
  hasRedundantPictures: fc.boolean(),
  frameNumBits: fc.integer({ min: 4, max: 16 }),
  pictureOrderBits: fc.constantFrom(0, 4, 8, 16),
  macroblocks: fc.integer({ min: 1, max: 500 }),
  isMonochrome: fc.boolean(),
});
const number16 = fc.integer({ min: 0, max: 0xffff });

/** The NAL unit without emulation prevention, including the header byte. */
function plain(nalu: Uint8Array): Buffer {
  return Buffer.concat([nalu.subarray(0, 1), rbspOf(nalu, nalu.length)]);
}

describe('a repeat picture', () => {
  it('takes a few dozen bytes at 1080p', () => {
    expect(new RepeatPictureWriter(CODING).write(1, 2).length).toBeLessThan(80);
    expect(new RepeatPictureWriter({ ...CODING, isCabac: false }).write(1, 2).length).toBeLessThan(16);
  });

  it('has the given numbers', () => {
    fc.assert(
      fc.property(codings, number16, number16, (coding, frameNum, pictureOrder) => {
        const nalu = new RepeatPictureWriter(coding).write(frameNum, pictureOrder);
        expect(readSliceNumbers(nalu, coding)).toMatchObject({
          isReference: true,
          frameNum: frameNum & (2 ** coding.frameNumBits - 1),
          pictureOrder: pictureOrder & (2 ** coding.pictureOrderBits - 1),
        });
      }),
      randomRuns(3_000),
    );
  });
});

describe('renumberedHead', () => {
  it('changes the two numbers and nothing else, whatever emulation prevention that takes', () => {
    const rest = fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 0xff), { minLength: 30, maxLength: 60 });
    fc.assert(
      fc.property(codings, number16, number16, number16, rest, (coding, frameNum, order, other, data) => {
        const before = new RepeatPictureWriter(coding).write(other, frameNum);
        const nalu = withEmulationPrevention(Uint8Array.from([...plain(before), ...data, 0x80]));
        const numbers = readSliceNumbers(nalu, coding);
        if (numbers === null) return;
        const changed = renumberedHead(nalu, numbers, coding, frameNum, order)!;
        const after = Buffer.concat([changed.head, nalu.subarray(changed.replaced)]);
        const wanted = new RepeatPictureWriter(coding).write(frameNum, order);
        expect(plain(after)).toEqual(Buffer.from([...plain(wanted), ...data, 0x80]));
        expect(after).toEqual(Buffer.from(withEmulationPrevention(plain(after))));
      }),
      randomRuns(1_000),
    );
  });

  it('does not touch a slice that is all header', () => {
    const nalu = new RepeatPictureWriter({ ...CODING, isCabac: false, macroblocks: 1 }).write(3, 4);
    const numbers = readSliceNumbers(nalu, CODING)!;
    expect(renumberedHead(nalu.subarray(0, 3), numbers, CODING, 1, 1)).toBeNull();
  });
});
