/** Decodes what the gateway encodes, for tests. flac-encoder.real.test.ts shows that decoders of others agree. */

import { decodeFlacFrame } from './flac-decoder.ts';

/** All samples of whole frames, interleaved. Throws if a frame is not what its checksum says, or not of this kind. */
export function decodeFlac(frames: readonly Uint8Array[]): Int16Array {
  return Int16Array.from(
    frames.flatMap((frame) => {
      const samples = decodeFlacFrame(frame);
      if (samples === null) throw new Error('not a frame of this kind');
      return [...samples];
    }),
  );
}
