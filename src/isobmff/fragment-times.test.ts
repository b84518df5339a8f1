import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import { fixtureSegment } from './fragment-fixture.ts';
import { FragmentReader } from './fragment-reader.ts';
import { moveFragments } from './fragment-times.ts';
import { writeInitSegment } from './init-segment.ts';

const VIDEO_ID = 1;
const AUDIO_ID = 2;
const LONG_TICKS = 2 ** 33;

function segment(): Buffer {
  return fixtureSegment([
    [
      { trackId: VIDEO_ID, startTicks: LONG_TICKS },
      { trackId: AUDIO_ID, startTicks: 4_800 },
    ],
    [
      { trackId: VIDEO_ID, startTicks: LONG_TICKS + 100 },
      { trackId: AUDIO_ID, startTicks: 5_824 },
    ],
  ]);
}

/** The track, decoding and presentation time of each sample. */
function timesOf(bytes: Buffer): number[][] {
  const times: number[][] = [];
  const reader = new FragmentReader({
    onTracks: () => undefined,
    onSample: (index, dtsTicks, ptsTicks) => {
      times.push([index, dtsTicks, ptsTicks]);
    },
  });
  reader.push(writeInitSegment([FAKE_VIDEO, FAKE_AUDIO]));
  reader.push(bytes);
  return times;
}

describe('fragments', () => {
  it('are moved, each track by its own ticks', () => {
    const bytes = segment();
    moveFragments(bytes, (trackId) => (trackId === VIDEO_ID ? -LONG_TICKS : 1_000));
    expect(timesOf(bytes)).toEqual([
      [0, 0, 3],
      [1, 5_800, 5_803],
      [0, 100, 103],
      [1, 6_824, 6_827],
    ]);
  });

  it('do not begin before 0', () => {
    const bytes = segment();
    moveFragments(bytes, (trackId) => (trackId === AUDIO_ID ? -5_000 : 0));
    expect(timesOf(bytes)).toEqual([
      [0, LONG_TICKS, LONG_TICKS + 3],
      [1, 0, 3],
      [0, LONG_TICKS + 100, LONG_TICKS + 103],
      [1, 824, 827],
    ]);
  });

  it('with times of 32 bits are moved as far as those go', () => {
    const traf = 'tfhd\0\x02\0\0\0\0\0\x02\0\0\0\x10tfdt\0\0\0\0\0\0\x12\xc0';
    const bytes = Buffer.from(`\0\0\0\x30moof\0\0\0\x28traf\0\0\0\x10${traf}`, 'latin1');
    moveFragments(bytes, () => 200);
    expect(bytes.readUInt32BE(bytes.length - 4)).toBe(5_000);
    const tooFar = () => moveFragments(bytes, () => 2 ** 32);
    expect(tooFar).toThrow(expect.objectContaining({ code: 'ISOBMFF_LIMIT' }));
  });

  it('that are cut off are refused', () => {
    const cut = () => moveFragments(segment().subarray(0, 60), () => 0);
    expect(cut).toThrow(expect.objectContaining({ code: expect.stringMatching(/^ISOBMFF_/) }));
  });
});
