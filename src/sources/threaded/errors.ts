/** Errors of cameras that threads read. */

import { defineErrors } from '../../core/errors.ts';

export const CAMERA_THREAD_ERRORS = defineErrors({
  CAMERA_THREAD_FAILED: {
    kind: 'unavailable',
    message: 'The thread that read the camera ended unexpectedly. The camera is opened again.',
  },
  CAMERA_THREAD_BEHIND: {
    kind: 'unavailable',
    message: 'The gateway did not take the frames that a thread had read for it. It is too busy.',
  },
});
