/**
 * Refuses requests while the event loop is late. Nothing here opens a file or keeps a timer: a plugin that read the
 * process's memory every second crashed the thread when it ran out of file descriptors.
 */

import { monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { API_ERRORS } from './errors.ts';
import { OPERATIONS_PATHS } from './operations-routes.ts';

const RETRY_AFTER_SEC = 10;
const RESOLUTION_MS = 10;
const WINDOW_MS = 1_000;
/** With fewer turns of the event loop, one long turn would decide: the start of the gateway, or a process that was stopped. */
const MIN_TURNS = 3;
const MEDIAN = 50;
const NS_PER_MS = 1e6;

/** The part of `monitorEventLoopDelay` that is used: times between turns in ns, `RESOLUTION_MS` at the least. */
export type TurnTimes = Pick<RecordableHistogram, 'count' | 'percentile' | 'reset'>;

/**
 * Median delay of timers over the last window. A window ends with the first call after it has lasted `WINDOW_MS` and the
 * event loop has made `MIN_TURNS`.
 */
export class EventLoopDelay {
  readonly #turns: TurnTimes;
  readonly #clock: Clock;
  #sinceMonoMs: number;
  #delayMs = 0;

  constructor(turns: TurnTimes, clock: Clock) {
    this.#turns = turns;
    this.#clock = clock;
    this.#sinceMonoMs = clock.monoMs();
  }

  ms(): number {
    const nowMonoMs = this.#clock.monoMs();
    if (nowMonoMs - this.#sinceMonoMs < WINDOW_MS || this.#turns.count < MIN_TURNS) return this.#delayMs;
    this.#sinceMonoMs = nowMonoMs;
    this.#delayMs = Math.max(0, this.#turns.percentile(MEDIAN) / NS_PER_MS - RESOLUTION_MS);
    this.#turns.reset();
    return this.#delayMs;
  }
}

/** Requests fail OVERLOADED while timers are more than `maxDelayMs` late. 0: never. */
export function refuseUnderPressure(api: FastifyInstance, clock: Clock, maxDelayMs: number): void {
  if (maxDelayMs === 0) return;
  const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  turns.enable();
  const delay = new EventLoopDelay(turns, clock);
  api.addHook('onClose', async () => void turns.disable());
  api.addHook('onRequest', async (request) => {
    // Monitoring needs the gateway's responses most when it is busy.
    if (delay.ms() <= maxDelayMs || OPERATIONS_PATHS.has(request.routeOptions.url ?? '')) return;
    throw new GatewayError(API_ERRORS.OVERLOADED, { retryAfterSec: RETRY_AFTER_SEC });
  });
}
