/** The parameters of a clip. */

import { GatewayError } from '../core/errors.ts';
import { SYNTHETIC_CAMERA_ERRORS } from './errors.ts';

/** The form of the clip; all of it goes into the name of its file. */
export interface ClipParameters {
  /** Even. */
  readonly widthPx: number;
  /** Even. */
  readonly heightPx: number;
  readonly fps: number;
  readonly gopSec: number;
  readonly bitrateBitsPerSec: number;
  readonly durationSec: number;
  readonly audio: boolean;
  /** Absent: H.264. */
  readonly codec?: 'h265';
  /** More ffmpeg arguments for the video; they override the defaults. */
  readonly encoderArguments?: readonly string[];
}

const MAX_SIDE_PX = 4_096;
/** The highest number that the frame number strip can show. */
const MAX_PICTURES = 65_536;

/** Fails with CLIP_INVALID_OPTIONS. */
export function checkClipParameters(parameters: ClipParameters): void {
  const { widthPx, heightPx, fps, gopSec, bitrateBitsPerSec, durationSec } = parameters;
  const isSize = (px: number): boolean =>
    Number.isInteger(px) && px >= 64 && px <= MAX_SIDE_PX && px % 2 === 0;
  const isValid =
    isSize(widthPx) &&
    isSize(heightPx) &&
    fps > 0 &&
    fps <= 120 &&
    gopSec > 0 &&
    bitrateBitsPerSec > 0 &&
    durationSec > 0 &&
    fps * durationSec <= MAX_PICTURES;
  if (!isValid) {
    throw new GatewayError(SYNTHETIC_CAMERA_ERRORS.CLIP_INVALID_OPTIONS, {
      ...parameters,
      encoderArguments: parameters.encoderArguments?.join(' '),
    });
  }
}
