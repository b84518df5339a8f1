import { beforeAll, describe, expect, it } from 'vitest';
import { decodeReceived } from '../../../test/support/decoded-video.ts';
import { encodeH265, h265Packets, shownAt } from '../../../test/support/h265-streams.ts';
import type { AnnexBAccessUnit } from '../../codec/byte-stream.ts';
import { MAX_REPEATS } from '../loss-policy.ts';
import {
  describeLossRepair,
  EVERY_PICTURE,
  GOP,
  PICTURES,
  receiveRepaired,
  timesOf,
} from '../loss-repair-contract.ts';
import { FRAME_TICKS } from '../sample-stream-fixture.ts';
import { H265_TRACK } from './h265-camera-fixture.ts';

const REORDERED = 'reordered pictures';
const ENCODERS: Record<string, string> = {
  'one reference, blocks of 32': 'bframes=0:wpp=0:ref=1:ctu=32',
  'four references, blocks of 64, offsets': 'bframes=0:wpp=0:ref=4:ctu=64:sao=1:weightp=1',
  'rows as substreams': 'bframes=0:wpp=1:ref=2:ctu=16:sao=1',
  'three slices': 'bframes=0:wpp=1:slices=3:ctu=16:ref=3',
  'no deblocking, no motion from other pictures': 'bframes=0:wpp=0:no-deblock=1:no-temporal-mvp=1:ctu=32',
  'quantization by block': 'bframes=0:wpp=0:aq-mode=2:cutree=1:ctu=32:min-cu-size=8:rd=3',
  [REORDERED]: 'bframes=2:b-pyramid=0:wpp=0',
};
const PLAIN = Object.keys(ENCODERS).filter((name) => name !== REORDERED);

const streams = new Map<string, AnnexBAccessUnit[]>();

beforeAll(() => {
  for (const [name, parameters] of Object.entries(ENCODERS)) {
    streams.set(name, encodeH265(PICTURES, GOP, parameters));
  }
}, 120_000);

function packetsOf(name: string): Buffer[][] {
  const units = streams.get(name)!;
  return h265Packets(units, shownAt(units, GOP));
}

describeLossRepair({
  title: 'H265LossRepair',
  track: H265_TRACK,
  plain: PLAIN,
  reordered: REORDERED,
  packetsOf,
  maxRepeats: MAX_REPEATS + 1,
  decode: decodeReceived,
});

describe.each(PLAIN)('H265LossRepair: %s', (name) => {
  it('replaces several', () => {
    const isLost = (index: number) => index >= 30 && index < 36;
    const recorder = receiveRepaired(
      H265_TRACK,
      packetsOf(name).map((packets, index) => (isLost(index) ? [] : packets)),
    );
    const { complaints, luma } = decodeReceived(recorder);
    expect(complaints).toBe('');
    expect(timesOf(recorder)).toEqual(EVERY_PICTURE);
    expect(luma[35]!.equals(luma[29]!)).toBe(true);
  });

  it('continues with the old picture until the next key frame when one is lost', () => {
    const clean = decodeReceived(receiveRepaired(H265_TRACK, packetsOf(name)));
    const pictures = packetsOf(name).map((packets, index) =>
      index === 2 * GOP ? packets.toSpliced(packets.length - 2, 1) : packets,
    );
    const recorder = receiveRepaired(H265_TRACK, pictures);
    const { complaints, luma } = decodeReceived(recorder);
    expect(complaints).toBe('');
    expect(luma).toHaveLength(recorder.units.length);
    const keys = recorder.units.filter(({ isKey }) => isKey).map(({ ptsTicks }) => ptsTicks / FRAME_TICKS);
    expect(keys).toEqual([0, GOP, 3 * GOP]);
    // Picture order makes a longer step there: more repeats than pictures were lost.
    const at = timesOf(recorder).indexOf(2 * GOP + 1);
    expect(at).toBeGreaterThan(2 * GOP);
    expect(luma[at]!.equals(luma[at - 1]!)).toBe(false);
    expect(luma.at(-1)!.equals(clean.luma.at(-1)!)).toBe(true);
    expect(luma[2 * GOP - 1]!.equals(clean.luma[2 * GOP - 1]!)).toBe(true);
  });
});
