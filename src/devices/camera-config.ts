/** Stored camera configurations: the values that were sent to the API, field by field. Absent fields were never sent. */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type ResourceKind, resourceKind } from '../store/resource.ts';

export type CameraConfigBody = Readonly<Record<string, unknown>>;

/** The values of a camera's `recording`. */
export const RECORDING_CHOICES = ['off', 'always', 'schedule', 'events'] as const;
export type RecordingChoice = (typeof RECORDING_CHOICES)[number];

/** The fields of a configuration that control recording, in addition to `recording`. */
export const RECORDING_FIELDS = {
  streams: 'recording_streams',
  schedule: 'recording_schedule_uuid',
  preRollSec: 'recording_pre_roll_sec',
  postRollSec: 'recording_post_roll_sec',
  keepHours: 'recording_keep_hours',
  keepSubHours: 'recording_keep_sub_hours',
  keepKeyFramesHours: 'recording_keep_key_frames_hours',
  maxBytes: 'recording_max_bytes',
  /** What is stored here takes the place of what the configuration file has. */
  overFile: 'recording_over_file',
} as const;

/** One per camera, whose parent is the camera. */
export const CAMERA_CONFIGS: ResourceKind<CameraConfigBody> = resourceKind('cameraConfig');

/** The uuid of a camera's configuration. */
export function cameraConfigUuid(cameraUuid: Ruuid): Ruuid {
  return deriveRuuid('camera config', cameraUuid);
}
