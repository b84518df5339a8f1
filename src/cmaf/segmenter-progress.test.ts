import { expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO } from './fake-camera.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

it('a segmenter hands on where the audio ended, although it has none itself', () => {
  const segmenter = new Segmenter({
    limits: DEFAULT_SEGMENTER_LIMITS,
    content: 'video-and-audio',
    onPart: () => undefined,
    wallClock: new WallClock(0),
  });
  const earlier = {
    timescaleHz: 1_000,
    partTargetMs: 400,
    sequenceNumber: 7,
    hasEndedSegment: false,
    hasSetsInBand: false,
  };
  segmenter.goOn({ ...earlier, endTicks: 2_000, soundEndSec: 2.01 });
  segmenter.setTracks([FAKE_VIDEO]);
  expect(segmenter.progress()).toMatchObject({ endTicks: 180_000, soundEndSec: 2.01 });
  segmenter.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
  expect(segmenter.progress()).toMatchObject({ soundEndSec: 2.01 });
});
