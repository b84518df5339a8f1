/** Error codes of the stream hub. */

import { defineErrors } from '../../core/errors.ts';

export const STREAM_ERRORS = defineErrors({
  STREAM_SILENT: { kind: 'timeout', message: 'The camera is connected but sends no media.' },
  STREAM_FROZEN: { kind: 'timeout', message: 'The camera is connected but its video is frozen.' },
  STREAM_SOUND_ONLY: {
    kind: 'conflict',
    message: 'The camera sends only sound, and sound is left out for this viewer.',
  },
  STREAM_NO_PICTURE: { kind: 'conflict', message: 'The camera sends only sound: it has no picture.' },
  STREAM_OFFLINE: { kind: 'unavailable', message: 'The camera is offline.' },
  STREAM_OUT_OF_REACH: {
    kind: 'unavailable',
    message: 'Another node of the cluster has the camera, and this one cannot reach it.',
  },
  STREAM_BEHIND: {
    kind: 'unavailable',
    message: 'Another node of the cluster may have this already. This one does not yet.',
  },
  STREAM_CLOSED: { kind: 'unavailable', message: 'The camera was closed or is no longer configured.' },
});
