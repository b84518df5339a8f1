/** Closing a listening socket without losing those who have just connected. */

import { Server } from 'node:net';
import type { Clock } from '../core/clock.ts';

/** A connection that the kernel made in the meantime is lost. */
const SHORT_MS = 1;
const MAX_TURNS = 200;

/**
 * Accepts no more connections; those that are open stay. The kernel resets connections that are made and not yet accepted, and their
 * requests with them. So this waits for a short turn of the event loop, and closes right after it has accepted everyone.
 */
export function stopAccepting(server: Server, clock: Clock, turnsLeft = MAX_TURNS): void {
  const sinceMonoMs = clock.monoMs();
  setImmediate(() => {
    const isShort = clock.monoMs() - sinceMonoMs <= SHORT_MS;
    // The close of an HTTP server would also close connections that have no request yet.
    if (isShort || turnsLeft === 0) Server.prototype.close.call(server);
    else stopAccepting(server, clock, turnsLeft - 1);
  });
}
