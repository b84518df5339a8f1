/** Recordings of which nothing can be read, for tests of the API. */

import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { RecordingFinder } from '../recording/recording-finder.ts';
import type { Store } from '../store/store.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type { ReadJob } from './read-protocol.ts';
import { type RecordedMedia, recordedMedia } from './recorded-media.ts';

/** The recordings that the store lists, without storage behind them. */
export function unreadableMedia({ recordings }: Store): RecordedMedia {
  const finder = new RecordingFinder({ recordings, unlisted: () => [] });
  const fail = ({ name }: ReadJob) =>
    Promise.reject(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_READER_FAILED, { name }));
  return recordedMedia(finder, { read: fail, lend: fail }, new FakeClock());
}
