import { expect, it } from 'vitest';
import type { KeyFrame } from '../media/live-media.ts';
import { fittingKeyFrame, MAX_KEY_FRAME_LAG_MS } from './still-frames.ts';

const frame = (widthPx: number, atEpochMs: number): KeyFrame => ({
  fmp4: [],
  widthPx,
  heightPx: 1,
  atEpochMs,
});
const LAG = MAX_KEY_FRAME_LAG_MS;
const SMALL = frame(640, 50_000);
const LARGE = frame(1_920, 50_000);

it.each([
  ['the small stream by default', SMALL, LARGE, 0, SMALL],
  ['the small stream if it is wide enough', SMALL, LARGE, 640, SMALL],
  ['the large one if not', SMALL, LARGE, 641, LARGE],
  ['the large one if none is', SMALL, LARGE, 9_999, LARGE],
  ['the smaller one, whichever that is', LARGE, SMALL, 0, SMALL],
  ['the only one', null, LARGE, 0, LARGE],
  ['the only one, however small', SMALL, null, 9_999, SMALL],
  ['none', null, null, 0, null],
  ['a frame that is a little older', frame(640, 50_000 - LAG), LARGE, 0, frame(640, 50_000 - LAG)],
  ['not one of a stream that stands still', frame(640, 50_000 - LAG - 1), LARGE, 0, LARGE],
  ['not one of a main stream that stands still', SMALL, frame(1_920, 50_000 - LAG - 1), 1_920, SMALL],
])('takes %s', (_what, sub, main, widthPx, fitting) => {
  expect(fittingKeyFrame(sub, main, widthPx)).toEqual(fitting);
});
