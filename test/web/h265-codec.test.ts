/** The page and the gateway each read profile_tier_level() of H.265, and must give the codec the same name. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BitReader } from '../../src/bytes/bit-reader.ts';
import { withEmulationPrevention } from '../../src/codec/emulation-prevention.ts';
import { h265CodecString, readProfileTierLevel } from '../../src/codec/h265/profile-tier-level.ts';
import { SPS_CASES } from '../../src/codec/h265/sequence-parameter-sets-fixture.ts';
import { h265CodecOf } from '../../web/h265.ts';
import { randomRuns } from '../support/random-runs.ts';

const START_CODE = [0, 0, 0, 1];
const VPS = [0x40, 1, 0x0c, 1, 0xff, 0xff];
const SPS_HEADER = [0x42, 1];
/** One sub-layer. */
const BEFORE_PROFILE = 1;
/** After profile_tier_level(): sps_seq_parameter_set_id and so on; no zero bytes. */
const REST = [0xa0, 0x5d];

/** A key frame begins with its parameter sets. */
function keyFrameOf(sps: Uint8Array): Uint8Array {
  return Uint8Array.from([...START_CODE, ...VPS, ...START_CODE, ...sps]);
}

it.each(SPS_CASES)('the page and the gateway name alike: %s', (_name, hex, ...expected) => {
  expect(h265CodecOf(keyFrameOf(Buffer.from(hex, 'hex')))).toBe(expected.at(-1));
});

it('the page and the gateway name every profile, tier and level alike', () => {
  // Zeros and small bytes need emulation prevention, and end the name early.
  const byte = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 3 }), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(fc.array(byte, { minLength: 12, maxLength: 12 }), (profile) => {
      const sps = withEmulationPrevention(
        Uint8Array.from([...SPS_HEADER, BEFORE_PROFILE, ...profile, ...REST]),
      );
      const read = readProfileTierLevel(new BitReader(Uint8Array.from(profile)), 1);
      expect(h265CodecOf(keyFrameOf(sps))).toBe(h265CodecString(read));
    }),
    randomRuns(2_000),
  );
});
