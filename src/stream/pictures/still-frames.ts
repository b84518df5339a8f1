/** Frames that still images are made of: a picture of a camera that sends JPEGs, and the one of two streams that fits a size. */

import { singlePictureFragment } from '../../cmaf/fragment-writer.ts';
import { VIDEO_TRACK_ID } from '../../cmaf/packaged-tracks.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import type { KeyFrame } from '../media/live-media.ts';
import type { StillPicture } from '../source/source-events.ts';

const TIMESCALE_HZ = 90_000;

export class JpegFrame implements KeyFrame {
  readonly jpeg: Buffer;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly atEpochMs: number;

  constructor({ bytes, widthPx, heightPx }: StillPicture, atEpochMs: number) {
    this.jpeg = bytes;
    this.widthPx = widthPx;
    this.heightPx = heightPx;
    this.atEpochMs = atEpochMs;
  }

  /** Written on request: most pictures are not decoded. */
  get fmp4(): readonly Buffer[] {
    const { widthPx, heightPx } = this;
    const track = { kind: 'video', codec: 'jpeg', timescaleHz: TIMESCALE_HZ, widthPx, heightPx } as const;
    const init = writeInitSegment([{ ...track, nominalFrameRateHz: null }]);
    return [init, ...singlePictureFragment(VIDEO_TRACK_ID, this.jpeg)];
  }
}

/** A key frame that is this much older than the other stream's is not of the same moment. */
export const MAX_KEY_FRAME_LAG_MS = 10_000;

/**
 * Chooses the smallest stream that is at least `widthPx` wide, otherwise the largest. A stream that only viewers of the
 * other one keep open does not count: its frame is too old.
 */
export function fittingKeyFrame(
  sub: KeyFrame | null,
  main: KeyFrame | null,
  widthPx: number,
): KeyFrame | null {
  if (sub === null || main === null) return sub ?? main;
  const lagMs = main.atEpochMs - sub.atEpochMs;
  if (Math.abs(lagMs) > MAX_KEY_FRAME_LAG_MS) return lagMs > 0 ? main : sub;
  const [small, large] = sub.widthPx <= main.widthPx ? [sub, main] : [main, sub];
  return small.widthPx >= widthPx ? small : large;
}
