/**
 * Calls between two threads, in both directions, over their message port. Failures arrive as the original
 * GatewayErrors.
 */

import { type BirpcReturn, createBirpc } from 'birpc';
import { errorOfWire, wireErrorOf } from '../core/wire-error.ts';

/** Calls to the other thread, and `$close`, which fails unanswered ones. */
export type ThreadLink<Remote extends object, Local extends object> = BirpcReturn<Remote, Local>;

/** A MessagePort, or the Worker at its other end. */
interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
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
    deserialize: (message) => (message.e === undefined ? message : { ...message, e: errorOfWire(message.e) }),
  });
}
