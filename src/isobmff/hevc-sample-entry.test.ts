import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { H265Track, Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxWriter } from './box-writer.ts';
import { FragmentReader } from './fragment-reader.ts';
import { hvcC } from './hevc-sample-entry.ts';
import { writeInitSegment } from './init-segment.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

/** Geovision (retina record.rs): the same record as from other implementations. */
const GEOVISION: H265Track = {
  kind: 'video',
  codec: 'h265',
  timescaleHz: 90_000,
  widthPx: 2688,
  heightPx: 1520,
  nominalFrameRateHz: 30,
  codecString: 'hvc1.1.2.L153',
  vps: [hex('40010c01ffff01400000030000030000030000030099ac09')],
  sps: [
    hex('42010101400000030000030000030000030099a00150200601f1396bb91b06b9544dc04040410000030001000003001e08'),
  ],
  pps: [hex('4401c073c04c90')],
};
const GEOVISION_RECORD =
  '01014000000000000000000099f000fcfdf8f800000f03' +
  'a00001001840010c01ffff01400000030000030000030000030099ac09' +
  'a10001003142010101400000030000030000030000030099a00150200601f1396bb91b06b9544dc04040410000030001000003001e08' +
  'a2000100074401c073c04c90';
/** 4:4:4 with 12 bits (mediacommon "1280x720"). */
const DEEP_SPS =
  '420101040800000300980800000300005d9000501005a2294b7494985ffe00020002d404040410000003001000000301e080';

function recordOf(track: H265Track): string {
  const writer = new BoxWriter(Buffer.alloc(1_000));
  hvcC(writer, track);
  return writer.bytes.toString('hex', 8, writer.position);
}

function read(init: Buffer): Track[] {
  let tracks: readonly Track[] = [];
  const reader = new FragmentReader({
    onTracks: (found) => {
      tracks = found;
    },
    onSample: () => expect.unreachable(),
  });
  reader.push(init);
  return [...tracks];
}

describe('hvcC', () => {
  it('repeats the profile, the chroma format and the sub-layers of the SPS', () => {
    expect(recordOf(GEOVISION)).toBe(GEOVISION_RECORD);
    expect(recordOf({ ...GEOVISION, sps: [hex(DEEP_SPS)] }).slice(0, 46)).toBe(
      '0104080000009808000000005df000fcfffcfc00000f03',
    );
  });

  it('is written without an SPS that can be read, and leaves out sets that no record can hold', () => {
    const record = recordOf({ ...GEOVISION, vps: [new Uint8Array(70_000)], sps: [hex('4201')] });
    expect(record.slice(0, 46)).toBe('01000000000000000000000000f000fcfdf8f800000303');
    expect(record.slice(46)).toBe('a00000a1000100024201a2000100074401c073c04c90');
  });
});

describe('an init segment with H.265', () => {
  it('reads back as the same track, as hvc1 and as hev1', () => {
    const init = writeInitSegment([GEOVISION]);
    const expected = { ...GEOVISION, nominalFrameRateHz: null };
    expect(read(init)).toEqual([expected]);
    const other = Buffer.from(init);
    other.write('hev1', init.indexOf('hvc1'), 'latin1');
    expect(read(other)).toEqual([expected]);
  });

  it.each([
    ['without an hvcC', (init: Buffer) => init.write('free', init.indexOf('hvcC'), 'latin1')],
    ['without an SPS', (init: Buffer) => init.writeUInt8(0xa5, init.indexOf(Buffer.from('a10001', 'hex')))],
    ['with lengths of two bytes', (init: Buffer) => init.writeUInt8(0x0d, init.indexOf('hvcC') + 4 + 21)],
    ['without a width', (init: Buffer) => init.writeUInt16BE(0, init.indexOf('hvc1') + 4 + 24)],
  ])('is refused %s', (_title, damage) => {
    const init = writeInitSegment([GEOVISION]);
    damage(init);
    expect(() => read(init)).toThrow(expect.objectContaining({ code: 'ISOBMFF_BOX_INVALID' }));
  });

  it('that is damaged anywhere fails with a code, or is read', () => {
    const whole = writeInitSegment([GEOVISION]);
    const start = whole.indexOf('hvc1') - 4;
    const property = fc.property(
      fc.integer({ min: start, max: whole.length - 1 }),
      fc.nat(255),
      (at, value) => {
        const init = Buffer.from(whole);
        init[at] = value;
        try {
          read(init);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect((error as GatewayError).code).toMatch(/^ISOBMFF_/);
        }
      },
    );
    fc.assert(property, randomRuns(2_000));
  });
});
