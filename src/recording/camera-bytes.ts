/** How much counts against the size of a camera. */

import type { RecordedRendition, RecordingRepository, StoredStream } from '../store/recording.ts';
import { RECORDED_RENDITION } from './recorded-cameras.ts';

/**
 * Bytes that a stream must fit in together with those that it makes room for: the main stream makes room for the substream, which is smaller
 * and often kept longer, and both for key frames. Held files do not count. Fails like the store.
 */
export async function countedBytes(
  recordings: Pick<RecordingRepository, 'byteLength'>,
  stream: StoredStream,
): Promise<number> {
  const bytesOf = (rendition: RecordedRendition) => recordings.byteLength({ ...stream, rendition }, 'unheld');
  const own = await bytesOf(stream.rendition);
  if (stream.rendition === 'sub') return own + (await bytesOf('key-frames'));
  if (stream.rendition !== RECORDED_RENDITION) return own;
  return own + (await bytesOf('sub')) + (await bytesOf('key-frames'));
}
