/** Calls between two threads, both ways, over their message port. Failures arrive as the GatewayErrors they were. */

import { type BirpcReturn, createBirpc } from 'birpc';
import {
  CORE_ERRORS,
  type ErrorContext,
  type ErrorKind,
  GatewayError,
  toGatewayError,
} from '../../core/errors.ts';

/** Calls of the other thread, and `$close`, which fails those that are not answered. */
export type ThreadLink<Remote extends object, Local extends object> = BirpcReturn<Remote, Local>;

/** A MessagePort, or the Worker at its other end. */
interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** An error that can be copied between threads. */
interface WireError {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly context: ErrorContext;
  /** Message or stack of what caused it; null without a cause. */
  readonly cause: string | null;
}

/** Whoever asks decides how long to wait; this waits for as long as the other thread lives. */
const NO_TIMEOUT = -1;

/** `local`: what the other thread may call. */
export function linkThreads<Remote extends object, Local extends object>(
  port: Port,
  local: Local,
): ThreadLink<Remote, Local> {
  return createBirpc<Remote, Local>(local, {
    post: (message) => port.postMessage(message),
    // Without a result, or the first call would be sent a turn later than it was made.
    on: (listener) => void port.on('message', listener),
    bind: 'functions',
    timeout: NO_TIMEOUT,
    serialize: (message) => (message.e === undefined ? message : { ...message, e: wireErrorOf(message.e) }),
    deserialize: (message) => (message.e === undefined ? message : { ...message, e: errorOf(message.e) }),
  });
}

function wireErrorOf(thrown: unknown): WireError {
  const { code, kind, message, context, cause } = toGatewayError(thrown);
  return { code, kind, message, context, cause: causeText(kind, cause) };
}

/** Stacks are for defects of ours. */
function causeText(kind: ErrorKind, cause: unknown): string | null {
  if (cause === undefined) return null;
  if (!(cause instanceof Error)) return String(cause);
  return kind === CORE_ERRORS.INTERNAL.kind ? (cause.stack ?? cause.message) : cause.message;
}

function errorOf({ code, kind, message, context, cause }: WireError): GatewayError {
  return new GatewayError({ code, kind, message }, context, cause === null ? undefined : new Error(cause));
}
