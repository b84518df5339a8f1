/** Error codes of the stream hub. */

import { defineErrors } from '../core/errors.ts';

export const STREAM_ERRORS = defineErrors({
  STREAM_SILENT: { kind: 'timeout', message: 'The camera is connected but sends no video.' },
  STREAM_FROZEN: { kind: 'timeout', message: 'The camera is connected but its video is frozen.' },
  STREAM_OFFLINE: { kind: 'unavailable', message: 'The camera is offline.' },
  STREAM_CLOSED: { kind: 'unavailable', message: 'The camera was closed or is no longer configured.' },
});
