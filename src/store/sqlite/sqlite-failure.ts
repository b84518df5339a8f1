/** Maps what SQLite, the file system or one of our checks threw to a store error code (sqlite.org/rescode.html). */

import { GatewayError } from '../../core/errors.ts';
import { STORE_ERRORS } from '../errors.ts';
import type { StoreErrorCode, WireFailure } from './worker-protocol.ts';

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
export function wireFailureOf(thrown: unknown): WireFailure {
  if (thrown instanceof GatewayError && isStoreErrorCode(thrown.code)) {
    return { code: thrown.code, context: thrown.context, detail: thrown.message };
  }
  if (!(thrown instanceof Error)) return { code: 'STORE_QUERY', context: {}, detail: String(thrown) };
  if ('errcode' in thrown && typeof thrown.errcode === 'number') {
    const resultCode = thrown.errcode;
    const code = CODE_BY_EXTENDED_RESULT.get(resultCode) ?? CODE_BY_PRIMARY_RESULT.get(resultCode & 0xff);
    return { code: code ?? 'STORE_QUERY', context: { resultCode }, detail: thrown.message };
  }
  if ('syscall' in thrown && 'code' in thrown && typeof thrown.code === 'string') {
    const code = CODE_BY_SYSTEM_ERROR[thrown.code] ?? 'STORE_CANNOT_OPEN';
    return { code, context: { systemError: thrown.code }, detail: thrown.message };
  }
  // A defect of ours: where it is says more than its message.
  return { code: 'STORE_QUERY', context: {}, detail: thrown.stack ?? thrown.message };
}

/** The error as callers see it; `path` is the database's. */
export function storeErrorOf(failure: WireFailure, path: string): GatewayError {
  return new GatewayError(
    STORE_ERRORS[failure.code],
    { ...failure.context, path },
    new Error(failure.detail),
  );
}

function isStoreErrorCode(code: string): code is StoreErrorCode {
  return Object.hasOwn(STORE_ERRORS, code);
}
