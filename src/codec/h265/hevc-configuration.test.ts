import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { parseHevcConfiguration } from './hevc-configuration.ts';

const VPS = '40010c01ffff01400000030000030000030000030099ac09';
const SPS =
  '42010101400000030000030000030000030099a00150200601f1396bb91b06b9544dc04040410000030001000003001e08';
const PPS = '4401c073c04c90';
const SEI = '4e01050100';
const hex = (text: string) => Buffer.from(text, 'hex');
const sized = (nalu: string) => (nalu.length / 2).toString(16).padStart(4, '0') + nalu;
/** Geovision (retina record.rs), with an SEI message as x265 adds it. */
const RECORD = hex(
  '01014000000000000000000099f000fcfdf8f800000f04' +
    `a00001${sized(VPS)}a10001${sized(SPS)}a20001${sized(PPS)}270001${sized(SEI)}`,
);

function changed(at: number, value: number): Buffer {
  const copy = Buffer.from(RECORD);
  copy[at] = value;
  return copy;
}

describe('parseHevcConfiguration', () => {
  it('gives copies of the parameter sets, the profile and the size of lengths', () => {
    const record = Buffer.from(RECORD);
    const configuration = parseHevcConfiguration(record)!;
    record.fill(0);
    expect(configuration).toEqual({
      vps: [new Uint8Array(hex(VPS))],
      sps: [new Uint8Array(hex(SPS))],
      pps: [new Uint8Array(hex(PPS))],
      lengthBytes: 4,
      profile: {
        profileSpace: 0,
        tierFlag: 0,
        profileIdc: 1,
        compatibilityFlags: 0x40000000,
        levelIdc: 153,
        constraintBytes: new Uint8Array(6),
      },
    });
  });

  it('needs no parameter sets: they may be in band', () => {
    const record = Buffer.from(RECORD.subarray(0, 23));
    record[22] = 0;
    expect(parseHevcConfiguration(record)).toMatchObject({ vps: [], sps: [], pps: [], lengthBytes: 4 });
  });

  it.each([
    ['another version', changed(0, 2)],
    ['lengths of three bytes', changed(21, 0x0e)],
    ['a VPS in the place of an SPS', changed(23, 0xa1)],
    ['a parameter set without bytes', Buffer.concat([RECORD.subarray(0, 22), hex('01a000010000')])],
    ['a parameter set of one byte', Buffer.concat([RECORD.subarray(0, 22), hex('01a00001000140')])],
    ['more arrays than there are', changed(22, 5)],
  ])('refuses %s', (_title, record) => {
    expect(parseHevcConfiguration(record)).toBeNull();
  });

  it('refuses a record that is cut anywhere', () => {
    for (let length = 0; length < RECORD.length; length++) {
      expect(parseHevcConfiguration(RECORD.subarray(0, length)), `${length}`).toBeNull();
    }
  });

  it('never throws, and gives only sets that the record holds', () => {
    const mutated = fc
      .tuple(fc.nat(RECORD.length - 1), fc.nat(255))
      .map(([at, value]) => new Uint8Array(changed(at, value)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), mutated), (record) => {
        const configuration = parseHevcConfiguration(record);
        if (configuration === null) return;
        const { vps, sps, pps, lengthBytes } = configuration;
        let bytes = 0;
        for (const set of [...vps, ...sps, ...pps]) bytes += set.length;
        expect(bytes).toBeLessThan(record.length);
        expect([1, 2, 4]).toContain(lengthBytes);
      }),
      randomRuns(2_000),
    );
  });
});
