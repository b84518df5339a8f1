/**
 * The messages between the database's thread and its users. Its parent starts it, lets others connect and ends it.
 * Everyone who is connected, including the parent, sends requests through a port and gets replies in order.
 */

import type { MessagePort } from 'node:worker_threads';

import type { WireError } from '../../core/wire-error.ts';
import type { PackedRows } from './packed-rows.ts';
import type { SqliteValue, WireRow } from './wire-row.ts';

export interface SqliteWorkerData {
  /** File path or `:memory:`. */
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Wall clock at startup, recorded with every migration that is applied. */
  readonly nowEpochMs: number;
  /** null: nothing is reserved for a full disk. */
  readonly reserve: { readonly path: string; readonly bytes: number } | null;
}

export interface WireStatement {
  /** Its index in the `texts` of the request: a batch has few different ones. */
  readonly text: number;
  readonly parameters: readonly SqliteValue[];
}

/** Messages from the parent. */
export type ParentMessage =
  /** Requests arrive through this port from this message on. */
  | { readonly op: 'connect'; readonly port: MessagePort }
  /** Closes the file, every port and the thread, after all earlier requests. */
  | { readonly op: 'close' };

/** To the parent, once: whether the database is open and migrated. */
export type OpenedMessage = { readonly ok: true } | { readonly ok: false; readonly failure: WireError };

/** To the parent, at any time after that. */
export interface ReserveMessage {
  /** The disk was full for something vital, or no longer is. */
  readonly reserve: 'given' | 'whole';
}

/** Through a port. */
export type WorkerRequest =
  | {
      readonly op: 'run';
      readonly id: number;
      /** `read`: a snapshot; `write`: takes the write lock before the first statement. */
      readonly access: 'read' | 'write';
      /** The disk reserve can be used for it. */
      readonly isVital: boolean;
      readonly texts: readonly string[];
      readonly statements: readonly WireStatement[];
    }
  /** The last request: the port is closed after the reply. */
  | { readonly op: 'leave'; readonly id: number };

/**
 * Many rows are sent packed (packed-rows.ts), which costs the receiving thread next to nothing until it reads them;
 * otherwise `packed` is null.
 */
export interface WireResult {
  readonly columns: readonly string[];
  readonly rows: readonly WireRow[];
  readonly packed: PackedRows | null;
  readonly changes: number;
}

export type WorkerReply =
  | { readonly id: number; readonly ok: true; readonly results: readonly WireResult[] }
  | { readonly id: number; readonly ok: false; readonly failure: WireError };

/**
 * One end of a MessageChannel, or of a pair of objects in one thread. Messages arrive in order, after the call that sends them
 * has returned; `close` closes both ends.
 */
interface Port<Sent, Received> {
  postMessage(message: Sent, moved: ArrayBuffer[]): void;
  on(event: 'message', listener: (message: Received) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  close(): void;
  /** Keeps the process alive. */
  ref(): void;
  unref(): void;
}

/** The end that sends requests. */
export type RequestPort = Port<WorkerRequest, WorkerReply>;

/** The end that the database listens to. */
export type ReplyPort = Port<WorkerReply, WorkerRequest>;
