/** Whether a camera is being recorded, for states of cameras. */

/**
 * `off`: it is not to be recorded. `standby`: it will be, at the next event or scheduled time. `starting`: nothing has been
 * written yet. `failed`: the disk is full or reports errors, and it is tried again; or its schedule is missing.
 */
export type RecordingStateName = 'off' | 'standby' | 'starting' | 'recording' | 'failed';

/** The reason for a recording: the camera's own setting, shares with VOD, or a person who started one. */
export const RECORDING_REASONS = ['always', 'schedule', 'events', 'shares', 'manual'] as const;
export type RecordingReason = (typeof RECORDING_REASONS)[number];

export interface RecordingState {
  readonly state: RecordingStateName;
  /** The code of the error; null unless it failed. */
  readonly code: string | null;
  /** Why it is recorded, or on standby. */
  readonly reasons: readonly RecordingReason[];
  /** The configuration file says `off`: nothing turns its recording on. */
  readonly isForbidden: boolean;
}
