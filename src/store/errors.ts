/** Error codes of the store. `context.path` names the database file, `context.database` the PostgreSQL database. */

import { defineErrors } from '../core/errors.ts';

export const STORE_ERRORS = defineErrors({
  STORE_OTHER_ORG: { kind: 'conflict', message: 'This UUID belongs to another organization.' },
  STORE_NOT_IN_VIEW: {
    kind: 'not-allowed',
    message: 'This is outside the sites and cameras of the person or API key.',
  },
  STORE_DUPLICATE: { kind: 'conflict', message: 'A value that must be unique is already in use.' },
  STORE_REFERENCE: {
    kind: 'conflict',
    message:
      'The row refers to one that does not exist in its organization, or other rows still refer to it.',
  },
  STORE_BUSY: { kind: 'unavailable', message: 'Too many requests are waiting for the store.' },
  STORE_UNREACHABLE: {
    kind: 'unavailable',
    message: 'The PostgreSQL server of the setting `database` cannot be reached.',
  },
  STORE_REFUSED: {
    kind: 'unavailable',
    message:
      'The PostgreSQL server of the setting `database` refuses the user, the database or the permission to use it.',
  },
  STORE_UNSUITABLE: {
    kind: 'invalid-input',
    message: 'The setting `database` needs PostgreSQL 14 or newer and a database with the encoding UTF8.',
  },
  STORE_CONTENDED: {
    kind: 'unavailable',
    message: 'Other transactions kept changing the same rows at the same time.',
  },
  STORE_SILENT: {
    kind: 'unavailable',
    message: 'The database did not answer within the time that ending access can wait.',
  },
  STORE_TIMEOUT: { kind: 'unavailable', message: 'A database statement took too long.' },
  STORE_CLOSED: { kind: 'unavailable', message: 'The store is closed.' },
  STORE_LOCKED: { kind: 'unavailable', message: 'Another process has locked the database.' },
  STORE_DISK_FULL: { kind: 'unavailable', message: 'The disk that holds the database is full.' },
  STORE_READ_ONLY: { kind: 'unavailable', message: 'The database is read-only.' },
  STORE_CANNOT_OPEN: { kind: 'unavailable', message: 'The database file cannot be opened.' },
  STORE_IO: { kind: 'unavailable', message: 'Reading or writing the database failed.' },
  STORE_CORRUPT: {
    kind: 'unavailable',
    message: 'The database is damaged, or its file is not an SQLite database. Restore a backup.',
  },
  STORE_EMPTIED: {
    kind: 'invalid-input',
    message:
      'The database file is empty, but its secret key is older, so there was a database. Restore a backup, or delete the empty file to start over.',
  },
  STORE_NOT_OURS: { kind: 'invalid-input', message: 'The database belongs to another application.' },
  STORE_TOO_NEW: {
    kind: 'invalid-input',
    message:
      'A newer version of Sluice wrote the database. Start that version, or restore the backup from before its first start.',
  },
  STORE_WRONG_KEY: {
    kind: 'invalid-input',
    message: 'The database was written with another secret key. Restore the matching secret.key.',
  },
  STORE_FIELD_DAMAGED: { kind: 'internal', message: 'A field of the database cannot be read.' },
  STORE_WORKER_FAILED: { kind: 'unavailable', message: 'The database thread ended unexpectedly.' },
  TOO_MANY_REPORTING_DEVICES: {
    kind: 'limit',
    message:
      'The organization has reached its limit of devices and facets that report crossings and occupancy (`reportingDevices`).',
  },
  STORE_TOO_MANY_EVENTS: { kind: 'limit', message: 'One transaction adds too many events.' },
  STORE_QUERY: { kind: 'internal', message: 'The database refused a statement.' },
});
