/** Error codes of recording. `context.name` names the recording file. */

import { defineErrors } from '../core/errors.ts';

export const RECORDING_ERRORS = defineErrors({
  RECORDING_DISK_FULL: { kind: 'unavailable', message: 'The disk that holds the recordings is full.' },
  RECORDING_IO: { kind: 'unavailable', message: 'Reading or writing a recording failed.' },
  RECORDING_EXISTS: { kind: 'conflict', message: 'A recording file with this name already exists.' },
  RECORDING_TAKEN: {
    kind: 'conflict',
    message: 'Another node has finished this recording file, because this one did not respond for a while.',
  },
  RECORDING_NOT_FOUND: { kind: 'not-found', message: 'This recording file does not exist.' },
  RECORDING_DAMAGED: {
    kind: 'internal',
    message: 'The file does not begin like a recording, or its header is damaged.',
  },
  RECORDING_UNREADABLE: {
    kind: 'invalid-input',
    message:
      'A newer version of Sluice wrote the recording, or it is encrypted in a way that this version does not know.',
  },
  RECORDING_KEY_UNKNOWN: {
    kind: 'internal',
    message: 'The recording was encrypted with another secret key than the gateway has. Restore that key.',
  },
  RECORDING_S3_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The S3 storage of the recordings does not answer, or answers with an error of its own.',
  },
  RECORDING_S3_REFUSED: {
    kind: 'unavailable',
    message: 'The S3 storage of the recordings refuses. Check the bucket, the region and the credentials.',
  },
  RECORDING_SCHEDULE_MISSING: {
    kind: 'not-found',
    message: 'The schedule by which the camera is to be recorded does not exist.',
  },
  RECORDING_NO_NUMBERS: {
    kind: 'unavailable',
    message: 'The database gives no numbers for recording files, so the camera is not recorded.',
  },
  RECORDING_FOLDER_NOT_SHARED: {
    kind: 'conflict',
    message:
      'The other nodes of the cluster store recordings in another folder. Mount the folder that all nodes share as recording.folder, or use S3. If all nodes get a new folder, copy the named file into it from the old one.',
  },
  RECORDING_OFF_IN_FILE: {
    kind: 'conflict',
    message: 'The configuration file turns recording off for this camera.',
  },
  TOO_MANY_MANUAL_RECORDINGS: {
    kind: 'limit',
    message: 'The organization records as many cameras by hand as it can. Stop one, or wait until one ends.',
  },
  RECORDING_THREAD_FAILED: { kind: 'unavailable', message: "The recorder's thread ended unexpectedly." },
});
