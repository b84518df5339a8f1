/**
 * What the database's thread and those who work with it say to each other. Its parent starts it, lets others connect
 * and ends it; whoever is connected, the parent as well, asks through a port, and is answered in order.
 */

import type { MessagePort } from 'node:worker_threads';

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
  /** null: nothing is kept for when the disk is full. */
  readonly reserve: { readonly path: string; readonly bytes: number } | null;
}

export interface WireStatement {
  /** Its place in the `texts` of the request: a batch repeats few of them. */
  readonly text: number;
  readonly parameters: readonly SqliteValue[];
}

/** From the parent. */
export type ParentMessage =
  /** Requests come through this port from now on. */
  | { readonly op: 'connect'; readonly port: MessagePort }
  /** Closes the file, every port and the thread, after what was asked before. */
  | { readonly op: 'close' };

/** To the parent, once: whether the database opened, and is migrated. */
export type OpenedMessage = { readonly ok: true } | { readonly ok: false; readonly failure: WireFailure };

/** To the parent, at any time after that. */
export interface ReserveMessage {
  /** The disk was full for something vital; or it is not any more. */
  readonly reserve: 'given' | 'whole';
}

/** Through a port. */
export type WorkerRequest =
  | {
      readonly op: 'run';
      readonly id: number;
      /** `read`: a snapshot; `write`: takes the write lock before the first statement. */
      readonly access: 'read' | 'write';
      /** The disk reserve may be used for it. */
      readonly isVital: boolean;
      readonly texts: readonly string[];
      readonly statements: readonly WireStatement[];
    }
  /** Nothing more will be asked: the port is closed after the reply. */
  | { readonly op: 'leave'; readonly id: number };

/**
 * Many rows come packed (packed-rows.ts), which costs the asking thread next to nothing until it looks at them;
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
