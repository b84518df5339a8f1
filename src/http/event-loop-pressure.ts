/**
 * Refuses requests while the event loop is late. Nothing here opens a file or keeps a timer: a plugin that read the
 * process's memory every second crashed the thread when it ran out of file descriptors.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { API_ERRORS } from './errors.ts';
import { OPERATIONS_PATHS } from './operations-routes.ts';

const RETRY_AFTER_SEC = 10;
const RESOLUTION_MS = 10;
const WINDOW_MS = 1_000;
const NS_PER_MS = 1e6;

/** Mean delay of timers over the last window, which ends with the first call after it. */
class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #clock: Clock;
  #sinceMonoMs: number;
  #delayMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMonoMs = clock.monoMs();
    this.#histogram.enable();
  }

  ms(): number {
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs - this.#sinceMonoMs < WINDOW_MS) return this.#delayMs;
    this.#sinceMonoMs = nowMonoMs;
    const meanMs = this.#histogram.mean / NS_PER_MS - RESOLUTION_MS;
    // Not a number: no timer fired.
    this.#delayMs = Number.isNaN(meanMs) ? Number.POSITIVE_INFINITY : Math.max(0, meanMs);
    this.#histogram.reset();
    return this.#delayMs;
  }

  close(): void {
    this.#histogram.disable();
  }
}

/** Requests fail OVERLOADED while timers are more than `maxDelayMs` late. 0: never. */
export function refuseUnderPressure(api: FastifyInstance, clock: Clock, maxDelayMs: number): void {
  if (maxDelayMs === 0) return;
  const delay = new EventLoopDelay(clock);
  api.addHook('onClose', async () => delay.close());
  api.addHook('onRequest', async (request) => {
    // Monitoring needs the gateway's responses most when it is busy.
    if (delay.ms() <= maxDelayMs || OPERATIONS_PATHS.has(request.routeOptions.url ?? '')) return;
    throw new GatewayError(API_ERRORS.OVERLOADED, { retryAfterSec: RETRY_AFTER_SEC });
  });
}
