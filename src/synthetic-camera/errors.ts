/** Error codes of the synthetic camera. */

import { defineErrors } from '../core/errors.ts';

export const SYNTHETIC_CAMERA_ERRORS = defineErrors({
  CLIP_INVALID_OPTIONS: { kind: 'invalid-input', message: 'A clip cannot be made with these parameters.' },
  CLIP_ENCODER_FAILED: { kind: 'internal', message: 'ffmpeg could not make the clip.' },
  CLIP_UNREADABLE: { kind: 'internal', message: 'The clip that ffmpeg made cannot be read.' },
  SYNTHETIC_CAMERA_NO_PORTS: {
    kind: 'unavailable',
    message: 'No pair of UDP ports could be opened for the synthetic camera.',
  },
  SYNTHETIC_CAMERA_SLOW_CLIENT: { kind: 'limit', message: 'A client does not read what the camera sends.' },
});
