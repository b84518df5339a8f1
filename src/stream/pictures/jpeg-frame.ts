/** A picture of a camera that sends JPEGs, as the frame that still images are made of. */

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
