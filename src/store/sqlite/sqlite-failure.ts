/** Maps what SQLite, the file system or one of our checks threw to a store error code (sqlite.org/rescode.html). */

import { type ErrorContext, GatewayError } from '../../core/errors.ts';
import { errorOfWire, type WireError } from '../../core/wire-error.ts';
import { STORE_ERRORS } from '../errors.ts';

type StoreErrorCode = keyof typeof STORE_ERRORS;

/** By primary result code: the low byte of `errcode`. */
const CODE_BY_PRIMARY_RESULT: ReadonlyMap<number, StoreErrorCode> = new Map([
  [5, 'STORE_LOCKED'], // SQLITE_BUSY
  [6, 'STORE_LOCKED'], // SQLITE_LOCKED
  [8, 'STORE_READ_ONLY'],
  [10, 'STORE_IO'], // SQLITE_IOERR
  [11, 'STORE_CORRUPT'],
  [13, 'STORE_DISK_FULL'],
  [14, 'STORE_CANNOT_OPEN'],
  [23, 'STORE_CANNOT_OPEN'], // SQLITE_AUTH
  [26, 'STORE_CORRUPT'], // SQLITE_NOTADB
]);

const CODE_BY_EXTENDED_RESULT: ReadonlyMap<number, StoreErrorCode> = new Map([
  [787, 'STORE_REFERENCE'], // SQLITE_CONSTRAINT_FOREIGNKEY
  [1555, 'STORE_DUPLICATE'], // SQLITE_CONSTRAINT_PRIMARYKEY
  [2067, 'STORE_DUPLICATE'], // SQLITE_CONSTRAINT_UNIQUE
]);

const CODE_BY_SYSTEM_ERROR: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: 'STORE_DISK_FULL',
  EDQUOT: 'STORE_DISK_FULL',
  EROFS: 'STORE_READ_ONLY',
  EIO: 'STORE_IO',
};

/** Describes `thrown` so that it can be sent to the other thread. It never contains values of parameters. */
export function wireFailureOf(thrown: unknown): WireError {
  if (thrown instanceof GatewayError && isStoreErrorCode(thrown.code)) {
    return failure(thrown.code, thrown.context, thrown.message);
  }
  if (!(thrown instanceof Error)) return failure('STORE_QUERY', {}, String(thrown));
  if ('errcode' in thrown && typeof thrown.errcode === 'number') {
    const resultCode = thrown.errcode;
    const code = CODE_BY_EXTENDED_RESULT.get(resultCode) ?? CODE_BY_PRIMARY_RESULT.get(resultCode & 0xff);
    return failure(code ?? 'STORE_QUERY', { resultCode }, thrown.message);
  }
  if ('syscall' in thrown && 'code' in thrown && typeof thrown.code === 'string') {
    const code = CODE_BY_SYSTEM_ERROR[thrown.code] ?? 'STORE_CANNOT_OPEN';
    return failure(code, { systemError: thrown.code }, thrown.message);
  }
  // A defect of ours: where it is says more than its message.
  return failure('STORE_QUERY', {}, thrown.stack ?? thrown.message);
}

/** The error as callers see it; `path` is the database's. */
export function storeErrorOf(wire: WireError, path: string): GatewayError {
  return errorOfWire({ ...wire, context: { ...wire.context, path } });
}

/** `detail`: SQLite's or the system's own message, or the stack of a defect. */
function failure(code: StoreErrorCode, context: ErrorContext, detail: string): WireError {
  const { kind, message } = STORE_ERRORS[code];
  return { code, kind, message, context, cause: detail };
}

function isStoreErrorCode(code: string): code is StoreErrorCode {
  return Object.hasOwn(STORE_ERRORS, code);
}
