/** Recordings that people started. Each has the UUID of its camera, which is also its parent, so a camera has at most one. */

import { type ResourceKind, resourceKind } from './resource.ts';

export interface ManualRecordingBody {
  readonly startedAtMs: number;
  /** Exclusive. */
  readonly endsAtMs: number;
  /** The name of the person or the key. */
  readonly startedBy: string;
}

export const MANUAL_RECORDINGS: ResourceKind<ManualRecordingBody> = resourceKind('manualRecording');
