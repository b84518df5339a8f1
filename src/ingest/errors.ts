/** Error codes of device reports. */

import { defineErrors } from '../core/errors.ts';

export const INGEST_ERRORS = defineErrors({
  INGEST_RATE_LIMITED: {
    kind: 'rate-limited',
    message:
      'This credential or organization reports more than it can (`ingestRows`, `ingestBytes`). Wait as long as Retry-After says.',
  },
  INGEST_NO_ROOM: {
    kind: 'unavailable',
    message:
      'The disk of the database is nearly full: what is left below three quarters of recording.minFree is for recordings and deletions. Free some room, and send the batch again.',
  },
  INGEST_BATCH_TOO_LARGE: {
    kind: 'limit',
    message: 'A batch can have at most 1,000 rows. Send the rest in more batches.',
  },
});
