/** Error codes of clips that recorders hand over. Those of kind `peer-protocol` are what the file itself is refused for. */

import { defineErrors } from '../core/errors.ts';

export const UPLOAD_ERRORS = defineErrors({
  UPLOAD_METADATA: {
    kind: 'invalid-input',
    message: 'Upload-Metadata must contain clipId, cameraUuid and timestampMs, each in its format.',
  },
  UPLOAD_EMPTY: { kind: 'invalid-input', message: 'The clip is empty.' },
  UPLOAD_TIME_IMPOSSIBLE: {
    kind: 'invalid-input',
    message: 'The clip begins before the year 2000, or ends in the future.',
  },
  UPLOAD_TOO_OLD: {
    kind: 'invalid-input',
    message: 'The clip is older than recordings are kept (recording.keep).',
  },
  UPLOAD_CLIP_ID_USED: {
    kind: 'invalid-input',
    message: 'Another clip of this camera was handed over with the same clipId.',
  },
  UPLOAD_CAMERA_UNKNOWN: {
    kind: 'not-found',
    message: 'The organization of the key has no camera with this UUID.',
  },
  UPLOAD_NOT_FOUND: { kind: 'not-found', message: 'There is no upload with this URL.' },
  UPLOAD_EXPIRED: {
    kind: 'not-found',
    message: 'The upload was not finished in time (uploads.keepUnfinished).',
  },
  UPLOAD_CREDENTIAL_ENDED: { kind: 'not-allowed', message: 'The key that hands over the clip was revoked.' },
  UPLOAD_TOO_LARGE: { kind: 'limit', message: 'The clip is larger than uploads.maxSize.' },
  UPLOAD_TOO_MANY: { kind: 'unavailable', message: 'Too many clips are being handed over.' },
  UPLOAD_NO_ROOM: { kind: 'unavailable', message: 'There is not enough room on the disk for the clip.' },
  UPLOAD_AT_OTHER_NODE: {
    kind: 'unavailable',
    message:
      'Another node of the cluster has received the beginning of this upload. Send all requests of an upload to one node.',
  },
  UPLOAD_OFFSET: { kind: 'conflict', message: 'The upload does not continue at this offset.' },
  UPLOAD_INTERRUPTED: { kind: 'unavailable', message: 'The upload was interrupted.' },
  UPLOAD_STOPPING: { kind: 'unavailable', message: 'The gateway is shutting down.' },
  UPLOAD_IO: { kind: 'unavailable', message: 'Reading or writing the upload failed.' },
  UPLOAD_THREAD_FAILED: {
    kind: 'unavailable',
    message: 'The thread that handles uploads ended unexpectedly.',
  },
  UPLOAD_CHECKSUM: {
    kind: 'peer-protocol',
    message: 'The file does not have the SHA-256 that was announced.',
  },
  UPLOAD_DAMAGED: { kind: 'peer-protocol', message: 'The file is damaged.' },
  UPLOAD_WITHOUT_INDEX: {
    kind: 'peer-protocol',
    message:
      'The file ends before its index (moov), which its recorder writes last, and its video cannot be read without it: the parameter sets are in the index, or sound lies between the pictures. Send the whole file.',
  },
  UPLOAD_WITHOUT_VIDEO: {
    kind: 'peer-protocol',
    message: 'The file has no video that begins with a key frame.',
  },
  UPLOAD_ENCRYPTED: {
    kind: 'peer-protocol',
    message: 'The file is encrypted (Common Encryption, ISO/IEC 23001-7). Send it without encryption.',
  },
  UPLOAD_NOT_SUPPORTED: {
    kind: 'peer-protocol',
    message: 'The file is in a format or codec that the gateway cannot read.',
  },
  UPLOAD_TOO_COSTLY: {
    kind: 'peer-protocol',
    message:
      'Converting the clip takes too much: at most 338 billion pixels, which are 90 minutes of 1920 × 1088 at 30 frames per second, or an hour of processor time. Send H.264, or shorter clips.',
  },
  UPLOAD_TOO_LONG: { kind: 'peer-protocol', message: 'The clip is longer than 90 minutes.' },
});
