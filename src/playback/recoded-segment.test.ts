import { describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import type { GatewayError } from '../core/errors.ts';
import { fixtureSegment } from '../isobmff/fragment-fixture.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import { firstFragment, pictureTimes, type RecodedPicture, recodedFragment } from './recoded-segment.ts';

const HZ = 1_000;
const INIT = writeInitSegment([{ ...FAKE_VIDEO, timescaleHz: HZ }]);
/** Four pictures, 100 ticks apart, of which the encoder counts 90,000 ticks per second. */
const TIMES = { dtsTicks: [0, 100, 200, 300], ptsTicks: [40, 140, 240, 340], timescaleHz: HZ };
const SPAN = { startTicks: 5_000, durationTicks: 410 };

function picture(atTicks: number, isKey = false): RecodedPicture {
  return { ptsTicks: atTicks * 90, isKey, data: Buffer.from(`picture of ${atTicks}`) };
}

/** What a player reads. */
function samplesOf(bytes: Buffer): { dts: number; pts: number; isKey: boolean; data: string }[] {
  const samples: { dts: number; pts: number; isKey: boolean; data: string }[] = [];
  const reader = new FragmentReader({
    onTracks: () => undefined,
    onSample: (_index, dts, pts, isKey, data) =>
      samples.push({ dts, pts, isKey, data: Buffer.from(data).toString() }),
  });
  reader.push(INIT);
  reader.push(bytes);
  return samples;
}

describe('the times of recorded pictures', () => {
  it('are those of all fragments, in order', () => {
    const segment = fixtureSegment([[{ trackId: 1, startTicks: 700 }], [{ trackId: 1, startTicks: 800 }]]);
    const expected = { dtsTicks: [700, 800], ptsTicks: [703, 803], timescaleHz: HZ };
    expect(pictureTimes(INIT, segment)).toEqual(expected);
    expect(pictureTimes(INIT, firstFragment(segment))).toMatchObject({ dtsTicks: [700] });
  });

  it('are an error if there are none', () => {
    expect(() => pictureTimes(INIT, Buffer.alloc(0))).toThrow(
      expect.objectContaining<Partial<GatewayError>>({ code: 'ISOBMFF_BOX_MISSING' }),
    );
    expect(() => firstFragment(INIT)).toThrow(
      expect.objectContaining<Partial<GatewayError>>({ code: 'ISOBMFF_BOX_MISSING' }),
    );
  });
});

describe('recoded pictures', () => {
  const recoded = (pictures: readonly RecodedPicture[]) =>
    samplesOf(recodedFragment(1, SPAN, TIMES, { track: FAKE_VIDEO, pictures }));

  it('have the times of the recorded ones, and last as long as the segment', () => {
    const samples = recoded([picture(40, true), picture(140), picture(240), picture(340)]);
    expect(samples.map(({ dts, pts, isKey }) => [dts, pts, isKey])).toEqual([
      [5_000, 5_040, true],
      [5_100, 5_140, false],
      [5_200, 5_240, false],
      [5_300, 5_340, false],
    ]);
    expect(samples[1]!.data).toBe('picture of 140');
  });

  it.each([
    [
      [40, 240, 340],
      [5_000, 5_200, 5_300],
    ],
    [
      [240, 340],
      [5_000, 5_300],
    ],
    [[40], [5_000]],
  ])('stay at their places if the encoder makes only those at %j', (made, dts) => {
    const samples = recoded(made.map((atTicks, i) => picture(atTicks, i === 0)));
    expect(samples.map((sample) => sample.dts)).toEqual(dts);
    expect(samples.map((sample) => sample.pts)).toEqual(made.map((atTicks) => 5_000 + atTicks));
  });

  it('may be a few ticks off, and are still in order', () => {
    const samples = recoded([picture(43, true), picture(136), picture(243), picture(338)]);
    expect(samples.map(({ pts }) => pts)).toEqual([5_040, 5_140, 5_240, 5_340]);
  });

  it('are an error if there are more than were recorded', () => {
    const many = [40, 80, 120, 160, 200].map((atTicks, i) => picture(atTicks, i === 0));
    expect(() => recoded(many)).toThrow(
      expect.objectContaining<Partial<GatewayError>>({ code: 'ISOBMFF_LIMIT' }),
    );
  });
});
