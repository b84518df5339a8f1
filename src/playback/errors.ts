/** Error codes of playback. `context.name` names the recording file. */

import { defineErrors } from '../core/errors.ts';

export const PLAYBACK_ERRORS = defineErrors({
  PLAYBACK_TOO_MANY_READS: {
    kind: 'unavailable',
    message: 'Too much of the recordings is being read at the same time.',
  },
  PLAYBACK_STORAGE_SLOW: {
    kind: 'timeout',
    message: 'The storage of the recordings did not respond in time.',
  },
  PLAYBACK_READER_FAILED: {
    kind: 'unavailable',
    message: 'The thread that reads recordings ended unexpectedly.',
  },
  RANGE_EMPTY: { kind: 'not-found', message: 'There is no recording of this time.' },
  RANGE_TOO_LARGE: {
    kind: 'invalid-input',
    message: 'The range has too many frames for a file. Choose a shorter range.',
  },
  MOVIE_CANCELED: { kind: 'conflict', message: 'The copy of the recording was canceled.' },
  PLAYBACK_RANGE_INVALID: {
    kind: 'invalid-input',
    message: 'A range is a start in epoch seconds and a duration of at most 86,400 seconds.',
  },
  PLAYBACK_RANGE_AHEAD: { kind: 'invalid-input', message: 'The range begins in the future.' },
  PLAYBACK_FOOTAGE_RANGE_TOO_LONG: {
    kind: 'invalid-input',
    message: 'The range has more than 366 days since its first footage. Choose a shorter range.',
  },
  PLAYBACK_TOO_MANY_PERIODS: {
    kind: 'invalid-input',
    message: 'The recording of this range has too many gaps for one manifest. Choose a shorter range.',
  },
  PLAYBACK_SOUND_ONLY: {
    kind: 'conflict',
    message: 'Only sound was recorded in this range, and sound is left out for this viewer.',
  },
  RANGE_SOUND_ONLY: {
    kind: 'conflict',
    message: 'Only sound was recorded at this time. A clip needs video.',
  },
  PLAYBACK_NO_ENCODER: {
    kind: 'unavailable',
    message: 'This gateway has no ffmpeg that makes H.264 of recordings.',
  },
  PLAYBACK_MASKS_CHANGED: {
    kind: 'conflict',
    message: 'The privacy masks of the camera have changed. Request the recording again.',
  },
  PLAYBACK_NOTHING_RECORDED: { kind: 'not-found', message: 'Nothing was recorded in this range.' },
});
