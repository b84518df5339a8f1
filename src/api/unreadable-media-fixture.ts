/** Recordings of which nothing can be read, for tests of the API. */

import type { Clips } from '../clips/clips.ts';
import { GatewayError } from '../core/errors.ts';
import { PLAYBACK_ERRORS } from '../playback/errors.ts';
import type { ReadJob } from '../playback/read-protocol.ts';
import { type RecordedMedia, recordedMedia } from '../playback/recorded-media.ts';
import { RecordingFinder } from '../recording/recording-finder.ts';
import type { Store } from '../store/store.ts';

/** Nothing was recorded: clips fail. */
export const NO_MOVIES: ConstructorParameters<typeof Clips>[0]['maker'] = {
  copy: () => Promise.reject(new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY)),
  write: () => Promise.reject(new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY)),
  delete: async () => false,
  list: async () => [],
};

/** The recordings that the store lists, without storage behind them. */
export function unreadableMedia({ recordings }: Store): RecordedMedia {
  const finder = new RecordingFinder({ recordings, unlisted: () => [] });
  const fail = ({ name }: ReadJob) =>
    Promise.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, { name }));
  return recordedMedia(finder, { read: fail, lend: fail });
}
