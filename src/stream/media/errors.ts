/** Error codes of the stream hub, and of requests that wait for what a live stream has not produced yet. */

import { defineErrors } from '../../core/errors.ts';

export const STREAM_ERRORS = defineErrors({
  STREAM_SILENT: { kind: 'timeout', message: 'The camera is connected but sends no media.' },
  STREAM_FROZEN: { kind: 'timeout', message: 'The camera is connected but its video is frozen.' },
  STREAM_SOUND_ONLY: {
    kind: 'conflict',
    message: 'The camera sends only sound, and sound is left out for this viewer.',
  },
  STREAM_NO_PICTURE: { kind: 'conflict', message: 'The camera sends only sound: it has no picture.' },
  STREAM_NO_SOUND: {
    kind: 'not-found',
    message: 'The camera sends no sound, or none that this gateway can encode.',
  },
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

export const LIVE_ERRORS = defineErrors({
  LIVE_WAIT_TIMEOUT: {
    kind: 'unavailable',
    message: 'The camera did not send the requested media in time.',
  },
  LIVE_TOO_MANY_WAITERS: { kind: 'unavailable', message: 'Too many requests are waiting for this stream.' },
  LIVE_PART_GONE: {
    kind: 'not-found',
    message: 'The requested part will not come: its segment ended before it.',
  },
});
