/** How much counts against the size of a camera. */

import type { RecordingRepository, StoredStream } from '../store/recording.ts';
import { RECORDED_RENDITION } from './recorded-cameras.ts';

/**
 * Bytes that a stream must fit in together with those that it makes room for: the main stream makes room for the substream, which is smaller
 * and often kept longer. Held files do not count. Fails like the store.
 */
export async function countedBytes(
  recordings: Pick<RecordingRepository, 'byteLength'>,
  stream: StoredStream,
): Promise<number> {
  const own = await recordings.byteLength(stream, 'unheld');
  if (stream.rendition !== RECORDED_RENDITION) return own;
  return own + (await recordings.byteLength({ ...stream, rendition: 'sub' }, 'unheld'));
}
