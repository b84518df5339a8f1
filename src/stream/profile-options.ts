/** The options of one stream of a camera (profile-stream.ts). */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { Content, LiveRendition } from './media/live-media.ts';
import type { ProfileName } from './media/renditions.ts';
import type { Urgency } from './media/urgency.ts';
import type { CameraOwnership } from './numbering/camera-ownership.ts';
import type { NumberingStore } from './numbering/numbering.ts';
import type { CreatePackager } from './packaging/packaging.ts';
import type { SigningState } from './signing-state.ts';
import type { Source } from './source/source.ts';
import type { SupervisorLimits } from './source/supervisor.ts';

export interface ProfileOptions {
  readonly cameraUuid: Ruuid;
  readonly profile: ProfileName;
  readonly source: Source;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: SupervisorLimits;
  readonly numberingStore: NumberingStore;
  readonly createPackager: CreatePackager;
  /** A rendition became playable, went down, or came back. */
  readonly onStateChange: () => void;
  /** Monotonic time at which the camera was opened. */
  readonly openedMonoMs: () => number;
  /** Wall clock minus monotonic clock at that time. */
  readonly epochMinusMonoMs: () => number;
  /** A rendition has a further part. */
  readonly onPublished: () => void;
  /** The profile between which and this one players switch; null if there is none. */
  readonly other: () => { rendition(content: Content): LiveRendition | null } | null;
  /** Whether viewers hear the camera has changed. */
  readonly onSoundChange?: () => void;
  /** There is another reading of the camera's clocks; null: the camera was closed, or is gone. */
  readonly onClock?: (reading: ClockReading | null) => void;
  /** What the camera's signatures say has changed. */
  readonly onSigning?: (signing: SigningState) => void;
  /** How urgent the most important current use is. */
  readonly urgency: () => Urgency;
  /** Absent: the camera is this gateway's. */
  readonly ownership?: CameraOwnership;
}
