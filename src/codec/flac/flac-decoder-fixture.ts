/** The samples of several FLAC frames, for tests. */

import { decodeFlacFrame } from './flac-decoder.ts';

/** All samples of whole frames, interleaved. Throws if one is not a frame of 16-bit samples. */
export function decodeFlac(frames: readonly Uint8Array[]): Int16Array {
  return Int16Array.from(frames.flatMap((frame) => [...decodeFlacFrame(frame)!.samples]));
}
