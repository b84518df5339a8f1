/**
 * What the gateway's thread and the database's thread say to each other. Requests are answered in the order in
 * which they were sent; the first reply, with id 0, says whether the database opened.
 */

import type { ErrorContext } from '../../core/errors.ts';
import type { STORE_ERRORS } from '../errors.ts';

export type SqliteValue = string | number | null;
export type StoreErrorCode = keyof typeof STORE_ERRORS;

export interface SqliteWorkerData {
  /** File path or `:memory:`. */
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Wall clock at the start, noted beside every migration that is applied. */
  readonly nowEpochMs: number;
}

export interface WireStatement {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

export type WorkerRequest =
  | {
      readonly op: 'run';
      readonly id: number;
      /** `read`: a snapshot; `write`: takes the write lock before the first statement. */
      readonly access: 'read' | 'write';
      readonly statements: readonly WireStatement[];
    }
  | { readonly op: 'close'; readonly id: number };

/** Rows as arrays in the order of `columns`: half the cost of objects when they are copied between threads. */
export interface WireResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqliteValue[])[];
  readonly changes: number;
}

/** A failure that can be copied between threads. `detail` is SQLite's or the system's own message. */
export interface WireFailure {
  readonly code: StoreErrorCode;
  readonly context: ErrorContext;
  readonly detail: string;
}

export type WorkerReply =
  | { readonly id: number; readonly ok: true; readonly results: readonly WireResult[] }
  | { readonly id: number; readonly ok: false; readonly failure: WireFailure };

/** Id of the first reply. */
export const OPENED_REPLY_ID = 0;
