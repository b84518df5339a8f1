/** The options of a camera's stream (camera-stream.ts). */

import type { ClockReading } from '../rtp/camera-clock.ts';
import type { CameraCheck } from './camera-check.ts';
import type { CameraReport } from './camera-connection.ts';
import type { CameraLog } from './camera-log.ts';
import type { CompatibleEncoder } from './compatible-variant.ts';
import type { LiveState } from './media/live-media.ts';
import type { LiveSpeaker } from './media/live-speaker.ts';
import type { ProfileOptions } from './profile-options.ts';
import type { SigningState } from './signing-state.ts';
import type { SoundState } from './sound-state.ts';
import type { SoundEncoder } from './sounds/sound-feed.ts';
import type { Source } from './source/source.ts';

export interface CameraStreamOptions
  extends Omit<
    ProfileOptions,
    | 'profile'
    | 'source'
    | 'onStateChange'
    | 'log'
    | 'openedMonoMs'
    | 'epochMinusMonoMs'
    | 'onPublished'
    | 'other'
    | 'onSoundChange'
    | 'onClock'
    | 'onSigning'
    | 'urgency'
  > {
  /** Carries the camera's uuid and name. */
  readonly log: CameraLog;
  readonly main: Source;
  readonly sub: Source | null;
  /** null: viewers get only what the camera sends. */
  readonly compatible?: CompatibleEncoder | null;
  /** Absent or null: only what is Opus already can be heard live. */
  readonly soundEncoder?: SoundEncoder | null;
  /** Absent or null: there is no way to its speaker. */
  readonly speaker?: LiveSpeaker | null;
  /** Absent: nothing can be asked. */
  readonly check?: CameraCheck | null;
  /** Time without any viewer after which the camera is closed. */
  readonly idleStopMs: number;
  /** The state that viewers see has changed. */
  readonly onStatusChange: (state: LiveState) => void;
  /** A stream's state, or which of its renditions play, may have changed. */
  readonly onChange?: () => void;
  /** Called when the report about the connection changes, even if viewers see the same state. */
  readonly onReport?: (report: CameraReport) => void;
  /** Whether viewers hear the main stream has changed. */
  readonly onSoundChange?: (sound: SoundState) => void;
  /** What the signatures of the main stream say has changed. */
  readonly onSigning?: (signing: SigningState) => void;
  /** There is another reading of the clocks of the main stream; null: it is closed, or gone. */
  readonly onClock?: (reading: ClockReading | null) => void;
}
