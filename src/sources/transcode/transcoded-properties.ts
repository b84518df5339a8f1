/** The properties of an encoder's output, known before it runs. */

import { ENCODED_VIDEO, encodedSize } from '../../ffmpeg/command.ts';
import type { RenditionProperties } from '../../stream/window/rendition-properties.ts';

/** Main profile at the encoder's level (RFC 6381): constraint_set1_flag, as x264 writes it. */
export const ENCODED_CODEC = `avc1.4d40${Math.round(Number(ENCODED_VIDEO.level) * 10).toString(16)}`;

/** null: it has no video. */
export function transcodedProperties(main: RenditionProperties): RenditionProperties | null {
  if (main.widthPx === null || main.heightPx === null) return null;
  const [, ...audio] = main.codecs;
  const peakBitsPerSec = ENCODED_VIDEO.maxBitsPerSec;
  return {
    peakBitsPerSec,
    averageBitsPerSec: Math.min(peakBitsPerSec, main.averageBitsPerSec * 2),
    codecs: [ENCODED_CODEC, ...audio],
    ...encodedSize(main.widthPx, main.heightPx),
    frameRateHz: main.frameRateHz,
  };
}
