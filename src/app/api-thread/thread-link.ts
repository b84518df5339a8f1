/**
 * Calls between two threads, in both directions, over their message port. Failures arrive as the original
 * GatewayErrors.
 */

import { type BirpcReturn, createBirpc } from 'birpc';
import {
  CORE_ERRORS,
  type ErrorContext,
  type ErrorKind,
  GatewayError,
  toGatewayError,
} from '../../core/errors.ts';

/** Calls to the other thread, and `$close`, which fails unanswered ones. */
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
  /** Message or stack of its cause; null without a cause. */
  readonly cause: string | null;
}

/** The caller decides how long to wait; this waits as long as the other thread lives. */
const NO_TIMEOUT = -1;

/** `local`: the calls that the other thread may make. */
export function linkThreads<Remote extends object, Local extends object>(
  port: Port,
  local: Local,
): ThreadLink<Remote, Local> {
  return createBirpc<Remote, Local>(local, {
    post: (message) => port.postMessage(message),
    // No result: otherwise the first call would be sent one turn late.
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

/** Stacks are for our own defects. */
function causeText(kind: ErrorKind, cause: unknown): string | null {
  if (cause === undefined) return null;
  if (!(cause instanceof Error)) return String(cause);
  return kind === CORE_ERRORS.INTERNAL.kind ? (cause.stack ?? cause.message) : cause.message;
}

function errorOf({ code, kind, message, context, cause }: WireError): GatewayError {
  return new GatewayError({ code, kind, message }, context, cause === null ? undefined : new Error(cause));
}
