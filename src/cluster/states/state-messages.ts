/** Messages between nodes about the state of cameras (docs/design/mirrors.md#states). */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { CameraReport, ProbeVerdict } from '../../stream/camera-connection.ts';
import type { RecordingState } from '../../stream/media/recording-state.ts';
import type { SigningState } from '../../stream/signing-state.ts';
import type { SoundState } from '../../stream/sound-state.ts';

export const STATES = {
  /** SaidWord. */
  said: 'states.said',
  complete: 'states.complete',
  /** A request, ProbedCamera; the response is the current report about the camera, or null. */
  probed: 'states.probed',
} as const;

/** Facts about a camera from the node that speaks for it. */
export interface CameraFacts {
  readonly report: CameraReport;
  readonly sound: SoundState;
  /** null: not known. */
  readonly clock: ClockReading | null;
  /** Absent: the node does not look for signatures. */
  readonly signing?: SigningState;
  /** null: it never was one. */
  readonly recording: RecordingState | null;
}

export interface CameraWord {
  /** The fence of the lease under which it was seen; 0: none, a caller had it probed. */
  readonly fence: number;
  /** Whether the node holds that lease. */
  readonly isOwner: boolean;
  readonly facts: CameraFacts;
}

/** null: the node no longer speaks for the camera. */
export type SaidWord = readonly [Ruuid, CameraWord | null];

export interface ProbedCamera {
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly verdict: ProbeVerdict;
}
