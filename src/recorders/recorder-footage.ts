/** What a camera's video recorder has, as other threads ask for it: plain values. */

import type { Ruuid } from '../core/ruuid.ts';
import type { ArchiveSpan } from './recorder-archive.ts';

/** `none`: the camera is on no video recorder whose recordings are shown. `waiting`: for one of the recorder's sessions. */
export const RECORDER_STATES = ['none', 'idle', 'waiting', 'pulling', 'failed'] as const;

export interface RecorderFootage {
  readonly state: (typeof RECORDER_STATES)[number];
  /** Recordings of this recorder that wait for a session. */
  readonly waiting: number;
  /** In order, cut to the range. */
  readonly spans: readonly ArchiveSpan[];
  /** Why the list or the playback failed; null: neither did. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/** In the order of the cameras. */
export type ReadRecorderFootage = (
  cameraUuids: readonly Ruuid[],
  fromMs: number,
  toMs: number,
) => Promise<readonly RecorderFootage[]>;

/** Each day is a list of its own. */
export const MAX_FOOTAGE_RANGE_MS = 8 * 86_400_000;
