import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import {
  type FileHeader,
  kindOfBox,
  RECORDING_BOX_BYTES,
  readFileHeader,
  readSegmentHeader,
  readSegmentTrailer,
  writeFileHeader,
  writeSegmentHeader,
  writeSegmentTrailer,
} from './recording-boxes.ts';

const FILE: FileHeader = {
  cameraUuid: newRuuid(),
  rendition: 'main-silent',
  number: 2 ** 40 + 3,
  bootId: Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'),
};
const HEAD = {
  startTicks: 2 ** 40 + 5,
  timescaleHz: 90_000,
  epochMs: Date.UTC(2026, 0, 1) + 0.125,
  isDiscontinuity: true,
  syncedBytes: 2 ** 33 + 1,
};
const TRAILER = { byteLength: 1_000_000, durationTicks: 180_000, pictures: 50, mediaCrc: 0xfedcba98 };

describe('boxes of a recording', () => {
  it('return what was written', () => {
    for (const purpose of ['camera', 'shares'] as const) {
      const key = purpose === 'camera' ? null : { id: Buffer.alloc(16, 1), check: Buffer.alloc(8, 2) };
      const file = { ...FILE, purpose, key };
      expect(readFileHeader(writeFileHeader(file), 'name')).toEqual(file);
    }
    expect(readSegmentHeader(writeSegmentHeader(HEAD))).toEqual(HEAD);
    expect(readSegmentTrailer(writeSegmentTrailer(TRAILER))).toEqual(TRAILER);
  });

  it('are boxes of the type uuid, of a fixed size', () => {
    const written = {
      file: writeFileHeader(FILE),
      segment: writeSegmentHeader(HEAD),
      trailer: writeSegmentTrailer(TRAILER),
    };
    for (const [kind, box] of Object.entries(written)) {
      expect(kindOfBox(box)).toBe(kind);
      expect(box.length).toBe(RECORDING_BOX_BYTES[kind as keyof typeof written]);
      expect([box.readUInt32BE(0), box.toString('latin1', 4, 8)]).toEqual([box.length, 'uuid']);
    }
  });

  it('are not believed if any byte is another one', () => {
    const segment = writeSegmentHeader(HEAD);
    const trailer = writeSegmentTrailer(TRAILER);
    for (let i = 0; i < segment.length; i++) expect(readSegmentHeader(changed(segment, i))).toBeNull();
    for (let i = 0; i < trailer.length; i++) expect(readSegmentTrailer(changed(trailer, i))).toBeNull();
    for (let i = 0; i < segment.length; i++) expect(readSegmentHeader(segment.subarray(0, i))).toBeNull();
    const file = writeFileHeader(FILE);
    for (let i = 0; i < file.length; i++) {
      expect(() => readFileHeader(changed(file, i), 'name')).toThrow(
        expect.objectContaining({ code: 'RECORDING_DAMAGED', context: { name: 'name' } }),
      );
    }
  });
});

function changed(box: Buffer, at: number): Buffer {
  const copy = Buffer.from(box);
  copy[at]! ^= 0x10;
  return copy;
}
