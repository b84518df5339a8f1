import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memorySource } from '../../test/support/clip-files.ts';
import { randomRuns } from '../../test/support/random-runs.ts';
import { findLostIndex, lengthsToStartCodes } from './lost-index.ts';

const SPS = [0x67, 0x64, 0, 0x1e];
const PPS = [0x68, 0xeb, 0xe3];
const IDR = [0x65, 1, 2, 3, 4, 5];
const SLICE = [0x41, 6, 7, 8];
const VPS = [0x40, 1, 12];
const H265_IDR = [0x26, 1, 9, 9];

function box(type: string, content: Uint8Array, sizeBytes = 8 + content.length): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(sizeBytes);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function units(...all: readonly (readonly number[])[]): Buffer {
  return Buffer.concat(all.flatMap((unit) => [Buffer.from([0, 0, 0, unit.length]), Buffer.from(unit)]));
}

const FTYP = box('ftyp', Buffer.from('isom\0\0\0\0'));
const VIDEO = units(SPS, PPS, IDR, SLICE, SLICE);

/** The bytes of the found units; null: the index is there. */
function found(file: Buffer): Buffer | null {
  const finding = findLostIndex(memorySource(file));
  let step = finding.next();
  while (step.done !== true) step = finding.next();
  if (step.value === null) return null;
  return Buffer.concat(
    step.value.units.map(({ offset, byteLength }) => file.subarray(offset, offset + byteLength)),
  );
}

describe('a file without its index', () => {
  it.each([
    ['whose size was never written', box('mdat', VIDEO, 0), VIDEO],
    ['whose size says more than there is', box('mdat', VIDEO, 1_000_000), VIDEO],
    ['that ends where its media do', box('mdat', VIDEO), VIDEO],
    ['of H.265', box('mdat', units(VPS, H265_IDR)), units(VPS, H265_IDR)],
    ['cut in the last unit', box('mdat', VIDEO.subarray(0, -2), 0), VIDEO.subarray(0, -8)],
    ['with room after its media', box('mdat', Buffer.concat([VIDEO, Buffer.alloc(99)]), 0), VIDEO],
    ['that begins with a part of a group', box('mdat', units(SLICE, SPS, PPS, IDR)), units(SPS, PPS, IDR)],
    ['with a part of its index', Buffer.concat([box('mdat', VIDEO), box('moov', VIDEO, 9_999)]), VIDEO],
  ] as const)('has its units: %s', (_, media, expected) => {
    expect(found(Buffer.concat([FTYP, media]))).toEqual(expected);
  });

  it.each([
    ['parameter sets were in it', box('mdat', units(IDR, SLICE), 0)],
    [
      'sound lies between the pictures',
      box('mdat', Buffer.concat([VIDEO, Buffer.from([0x21, 0x1b, 0x80, 0, 0, 0]), VIDEO])),
    ],
    ['there are only fragments of a stream', box('moof', Buffer.alloc(8))],
  ] as const)('has none that can be read: %s', (_, media) => {
    expect(found(Buffer.concat([FTYP, media]))).toEqual(Buffer.alloc(0));
  });

  it.each([
    ['a whole one', Buffer.concat([box('mdat', VIDEO), box('moov', Buffer.alloc(8))])],
    ['one that begins with its index', Buffer.concat([box('moov', Buffer.alloc(8)), box('mdat', VIDEO, 0)])],
    ['one without media', Buffer.alloc(0)],
  ] as const)('is not %s', (_, rest) => {
    expect(found(Buffer.concat([FTYP, rest]))).toBeNull();
  });

  it('is read within its bounds, whatever it says', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isBehindSets) => {
        const media = Buffer.concat([isBehindSets ? VIDEO : Buffer.alloc(0), bytes]);
        const file = Buffer.concat([FTYP, box('mdat', media, 0)]);
        expect(found(file)!.length).toBeLessThanOrEqual(media.length);
      }),
      randomRuns(300),
    );
  });
});

it('lengths become start codes', () => {
  const bytes = Buffer.from(units(SPS, IDR));
  lengthsToStartCodes(bytes);
  expect(bytes).toEqual(Buffer.from([0, 0, 0, 1, ...SPS, 0, 0, 0, 1, ...IDR]));
});
