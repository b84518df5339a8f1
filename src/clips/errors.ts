/** Error codes of clips that the gateway makes from recordings. */

import { defineErrors } from '../core/errors.ts';

export const CLIP_ERRORS = defineErrors({
  CLIP_CAMERA_NOT_FOUND: { kind: 'not-found', message: 'There is no camera with this UUID.' },
  CLIP_WITHOUT_CAMERA: { kind: 'invalid-input', message: 'A clip needs at least one camera.' },
  CLIP_TOO_LONG: { kind: 'limit', message: 'A clip can be at most 60 minutes long.' },
  CLIP_AHEAD: { kind: 'invalid-input', message: 'The clip would begin in the future.' },
  CLIP_JOBS_FULL: {
    kind: 'limit',
    message:
      'Too many clips of the organization are in progress or have failed. Wait, or delete failed ones.',
  },
  SHARED_CLIP_NOT_FOUND: { kind: 'not-found', message: 'A clip that would be shared does not exist.' },
  SHARED_CLIP_WITHOUT_VIDEO: {
    kind: 'invalid-input',
    message: 'The video of a clip that would be shared is not stored by the gateway.',
  },
  TIMELAPSE_NOT_FOUND: { kind: 'not-found', message: 'There is no timelapse with this UUID.' },
  TIMELAPSE_AHEAD: { kind: 'invalid-input', message: 'The timelapse would begin in the future.' },
  TIMELAPSE_TOO_SHORT: {
    kind: 'invalid-input',
    message: 'A timelapse cannot be longer than the time that it shows.',
  },
  TIMELAPSE_RANGE_TOO_LONG: { kind: 'limit', message: 'A timelapse can show at most 366 days.' },
  TIMELAPSE_FORMAT_UNSUPPORTED: {
    kind: 'invalid-input',
    message: 'Timelapses are MP4 files. Other formats would need the video to be encoded again.',
  },
  TIMELAPSES_FULL: {
    kind: 'limit',
    message: 'The organization has 1,000 timelapses. Delete some of them.',
  },
  TIMELAPSE_GROUP_EMPTY: { kind: 'invalid-input', message: 'A shared group needs at least one timelapse.' },
  SHARED_TIMELAPSE_NOT_FOUND: {
    kind: 'not-found',
    message: 'A timelapse that would be shared does not exist.',
  },
  ALERT_IMAGE_TOO_LATE: {
    kind: 'unavailable',
    message: 'The camera has no live image of the time of the alert.',
  },
  CLIP_NOT_IN_PROGRESS: { kind: 'not-found', message: 'There is no clip in progress with this UUID.' },
  CLIP_NOT_FAILED: { kind: 'conflict', message: 'Only a clip that failed can be made again.' },
});
