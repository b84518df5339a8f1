/** Turns: instructions to the recorder's thread about a stream's parts. */

import type { RecordingPurpose } from '../store/recording.ts';
import type { RecordingReason } from '../stream/media/recording-state.ts';

export type StreamTurn =
  | { readonly mode: 'off' }
  /** Kept in memory, whole segments of at least this time, until an event wants them. */
  | { readonly mode: 'hold'; readonly holdMs: number }
  /** Written. `fromEpochMs`: held segments that end after this time of the media are written too. */
  | { readonly mode: 'write'; readonly purpose: RecordingPurpose; readonly fromEpochMs: number };

export const OFF: StreamTurn = { mode: 'off' };

export function isSameTurn(a: StreamTurn, b: StreamTurn): boolean {
  if (a.mode === 'hold') return b.mode === 'hold' && a.holdMs === b.holdMs;
  if (a.mode === 'write') return b.mode === 'write' && a.purpose === b.purpose;
  return b.mode === 'off';
}

/** The requested turn of a stream, and its reasons. */
export interface RecordingRequest {
  readonly turn: StreamTurn;
  readonly reasons: readonly RecordingReason[];
  readonly isForbidden: boolean;
  /** It will be recorded at a later time. */
  readonly isWaiting: boolean;
  /** Why nothing can be recorded; null: nothing is in the way. */
  readonly code: string | null;
}

export const NOTHING: RecordingRequest = {
  turn: OFF,
  reasons: [],
  isForbidden: false,
  isWaiting: false,
  code: null,
};
/** All of it, for the camera's own sake. */
export const EVERYTHING: RecordingRequest = {
  ...NOTHING,
  turn: { mode: 'write', purpose: 'camera', fromEpochMs: Number.POSITIVE_INFINITY },
  reasons: ['always'],
};
