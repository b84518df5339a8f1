/** A clip as video recorders hand it over, for tests. */

import { readFileSync } from 'node:fs';

/**
 * An MP4 file of 4 s that ffmpeg made earlier: H.264 of 160 by 120 at 25 frames per second, a key frame every second, and AAC. The
 * caller owns the buffer.
 */
export function keptClipFile(): Buffer {
  return readFileSync(new URL('fixtures/clip-4-s.mp4', import.meta.url));
}
