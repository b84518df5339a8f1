/** The common part of the sample readers: they convert samples with lengths to access units and their track. */

import type { VideoTrack } from './track.ts';

export type SampleOutcome =
  | 'same' // the fields describe an access unit
  | 'changed' // and `track` is new: announce it first
  | 'empty' // nothing to show, and nothing wrong
  | 'damaged'; // not an access unit

export interface SampleReader {
  /** null: no key frame has come with its parameter sets. */
  readonly track: VideoTrack | null;
  /** The access unit from the last sample: a view of the sample, or of a buffer that the next one reuses. */
  readonly data: Uint8Array;
  readonly isKey: boolean;
  /** A key frame after which pictures may refer to pictures before it: a CRA picture that does not begin a sequence. */
  readonly isContinuing: boolean;
  /** A leading picture that may refer to pictures before its key frame. */
  readonly isRasl: boolean;
  /** `sample` is borrowed until the next call. */
  read(sample: Uint8Array): SampleOutcome;
}
