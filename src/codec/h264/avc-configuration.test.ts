import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { h264TrackOf, parseAvcConfiguration } from './avc-configuration.ts';

const SPS = Buffer.from('6742c01eda0280bfe5c04400000fa40003', 'hex');
const PPS = Buffer.from('68ce3c80', 'hex');
const sized = (nalu: Buffer) => Buffer.concat([Buffer.of(nalu.length >> 8, nalu.length & 0xff), nalu]);
const RECORD = Buffer.concat([Buffer.from('0142c01effe1', 'hex'), sized(SPS), Buffer.of(1), sized(PPS)]);

function changed(at: number, value: number): Buffer {
  const copy = Buffer.from(RECORD);
  copy[at] = value;
  return copy;
}

describe('parseAvcConfiguration', () => {
  it('gives copies of the parameter sets and the size of lengths', () => {
    const configuration = parseAvcConfiguration(RECORD)!;
    expect(configuration).toEqual({ sps: [new Uint8Array(SPS)], pps: [new Uint8Array(PPS)], lengthBytes: 4 });
    expect(h264TrackOf(configuration, 90_000)).toMatchObject({
      codec: 'h264',
      codecString: 'avc1.42c01e',
      widthPx: 640,
      heightPx: 360,
      timescaleHz: 90_000,
    });
  });

  it('ignores what comes after: chroma format and bit depths of High profiles', () => {
    expect(parseAvcConfiguration(Buffer.concat([RECORD, Buffer.from('fdf8f800', 'hex')]))).not.toBeNull();
  });

  it.each([
    ['another version', changed(0, 2)],
    ['lengths of three bytes', changed(4, 0xfe)],
    ['no SPS', changed(5, 0xe0)],
    ['more SPS than there are', changed(5, 0xe2)],
    ['an SPS that is something else', changed(8, 0x65)],
    ['an SPS longer than the record', changed(6, 0xff)],
    ['an empty SPS', Buffer.concat([Buffer.from('0142c01effe10000', 'hex'), Buffer.of(1), sized(PPS)])],
  ])('refuses %s', (_title, record) => {
    expect(parseAvcConfiguration(record)).toBeNull();
  });

  it('refuses it truncated anywhere', () => {
    for (let length = 0; length < RECORD.length; length++) {
      expect(parseAvcConfiguration(RECORD.subarray(0, length)), `${length}`).toBeNull();
    }
  });

  it('never throws', () => {
    const mutated = fc
      .tuple(fc.nat(RECORD.length - 1), fc.nat(255))
      .map(([at, value]) => Uint8Array.from(changed(at, value)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), mutated), (record) => {
        const configuration = parseAvcConfiguration(record);
        if (configuration !== null) h264TrackOf(configuration, 90_000);
      }),
      randomRuns(2_000),
    );
  });
});
