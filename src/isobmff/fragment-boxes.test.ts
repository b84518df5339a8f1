import { describe, expect, it } from 'vitest';
import { readFragment } from '../cmaf/fake-player.ts';
import { BoxWriter } from './box-writer.ts';
import { MDAT_HEADER_BYTES, mdatHeader, moof, moofBytes, type TrackRun } from './fragment-boxes.ts';

function run(trackId: number, startTicks: number, sizes: readonly number[]): TrackRun {
  const samples = {
    sizesBytes: Uint32Array.from(sizes),
    durationsTicks: Uint32Array.from(sizes, (_size, index) => 1_000 + index),
    compositionOffsetsTicks: Uint32Array.from(sizes, (_size, index) => index * 10),
    keys: Uint8Array.from(sizes, (_size, index) => (index === 0 ? 1 : 0)),
  };
  const dataBytes = sizes.reduce((sum, size) => sum + size, 0);
  return { trackId, startTicks, samples, sampleCount: sizes.length, dataBytes };
}

function write(runs: readonly TrackRun[]): Buffer {
  const dataBytes = runs.reduce((sum, { dataBytes }) => sum + dataBytes, 0);
  const writer = new BoxWriter(Buffer.alloc(moofBytes(runs) + MDAT_HEADER_BYTES + dataBytes));
  moof(writer, 7, runs);
  expect(writer.position).toBe(moofBytes(runs));
  mdatHeader(writer, dataBytes);
  for (let i = 0; i < dataBytes; i++) writer.u8(i);
  return writer.bytes;
}

describe('moof', () => {
  it('points each run at its own data', () => {
    const read = readFragment(write([run(1, 0, [3, 2]), run(2, 500, [1, 4, 1])]));
    expect(read.boxes).toEqual(['moof', 'mdat']);
    expect(read.sequenceNumber).toBe(7);
    expect(read.runs.map(({ samples }) => samples.map(({ data }) => [...data]))).toEqual([
      [
        [0, 1, 2],
        [3, 4],
      ],
      [[5], [6, 7, 8, 9], [10]],
    ]);
  });

  it('states duration, composition offset and key flag of every sample', () => {
    const [first] = readFragment(write([run(1, 90, [1, 1])])).runs;
    expect(first).toMatchObject({ trackId: 1, startTicks: 90, endTicks: 90 + 1_000 + 1_001 });
    expect(first!.samples).toMatchObject([
      { durationTicks: 1_000, compositionOffsetTicks: 0, isKey: true },
      { durationTicks: 1_001, compositionOffsetTicks: 10, isKey: false },
    ]);
  });

  it('carries decoding times beyond 32 bits', () => {
    const startTicks = 2 ** 40 + 5;
    expect(readFragment(write([run(1, startTicks, [1])])).runs[0]!.startTicks).toBe(startTicks);
  });
});

describe('BoxWriter', () => {
  it('does not write past its buffer', () => {
    const writer = new BoxWriter(Buffer.alloc(9));
    writer.begin('free');
    expect(() => writer.u32(1)).toThrow(RangeError);
  });

  it('sizes nested boxes by their content', () => {
    const writer = new BoxWriter(Buffer.alloc(29));
    const outer = writer.begin('oute');
    const inner = writer.beginFull('inne', 1, 0x020000);
    writer.u64(2 ** 33 + 1);
    writer.end(inner);
    writer.u8(9);
    writer.end(outer);
    expect(writer.bytes.toString('hex')).toBe(
      '0000001d6f757465000000146' + '96e6e6501020000000000020000000109',
    );
  });
});
