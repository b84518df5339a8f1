/**
 * What the gateway's thread and the database's thread say to each other. Requests are answered in the order in
 * which they were sent; the first reply, with id 0, says whether the database opened.
 */

import type { ErrorContext } from '../../core/errors.ts';
import type { STORE_ERRORS } from '../errors.ts';
import type { PackedRows } from './packed-rows.ts';
import type { SqliteValue, WireRow } from './wire-row.ts';

export type StoreErrorCode = keyof typeof STORE_ERRORS;

export interface SqliteWorkerData {
  /** File path or `:memory:`. */
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Wall clock at the start, noted beside every migration that is applied. */
  readonly nowEpochMs: number;
}

export interface WireStatement {
  /** Its place in the `texts` of the request: a batch repeats few of them. */
  readonly text: number;
  readonly parameters: readonly SqliteValue[];
}

export type WorkerRequest =
  | {
      readonly op: 'run';
      readonly id: number;
      /** `read`: a snapshot; `write`: takes the write lock before the first statement. */
      readonly access: 'read' | 'write';
      readonly texts: readonly string[];
      readonly statements: readonly WireStatement[];
    }
  | { readonly op: 'close'; readonly id: number };

/**
 * Many rows come packed (packed-rows.ts), which costs the gateway's thread next to nothing until it looks at them;
 * otherwise `packed` is null.
 */
export interface WireResult {
  readonly columns: readonly string[];
  readonly rows: readonly WireRow[];
  readonly packed: PackedRows | null;
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
