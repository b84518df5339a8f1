/**
 * Keeps the process of the synthetic viewer running while there is something to play: one that ends or hangs is replaced, after
 * a pause that grows while they do not last.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Backoff } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { ALIVE_INTERVAL_MS, type ProbeNotice, type ProbeOrder, type RunResult } from './probe-protocol.ts';

/** A process that is silent for this long hangs. */
const SILENCE_LIMIT_MS = 6 * ALIVE_INTERVAL_MS;
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 60_000;
const MAX_HEAP_MIB = 128;
/** The variables of the gateway's environment that TLS needs. All others may be secrets. */
const PASSED_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TZ'] as const;

/** `off`: there is nothing to play. `waiting`: the last one ended, and the next one starts soon. */
export type ProbeProcessState = 'off' | 'starting' | 'running' | 'waiting';

export type ProbeChild = Pick<ChildProcess, 'pid' | 'send' | 'kill' | 'on'>;

export interface ProbeProcessOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly launch: () => ProbeChild;
  /** It can be given orders. */
  readonly onReady: () => void;
  readonly onDone: (id: number, result: RunResult) => void;
  /** A run will not be done, because of a bug. */
  readonly onBroken: (id: number) => void;
  /** It ended: its runs will not be done. */
  readonly onLost: () => void;
}

export class ProbeProcess {
  readonly #options: ProbeProcessOptions;
  #child: ProbeChild | null = null;
  #state: ProbeProcessState = 'off';
  #starts = 0;
  readonly #backoff = new Backoff({ firstMs: FIRST_PAUSE_MS, lastMs: LAST_PAUSE_MS });
  #timer: TimerHandle | null = null;

  constructor(options: ProbeProcessOptions) {
    this.#options = options;
  }

  get state(): ProbeProcessState {
    return this.#state;
  }

  /** More than one means that an earlier process ended unexpectedly. */
  get starts(): number {
    return this.#starts;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Idempotent. */
  start(): void {
    if (this.#state === 'off') this.#launch();
  }

  /** Idempotent. Its runs are lost. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#state = 'off';
    const child = this.#child;
    this.#child = null;
    child?.kill('SIGKILL');
  }

  /** false: there is no process. */
  send(order: ProbeOrder): boolean {
    if (this.#state !== 'running') return false;
    this.#child!.send(order);
    return true;
  }

  #launch(): void {
    const { launch, clock } = this.#options;
    this.#state = 'starting';
    this.#starts++;
    this.#backoff.started(clock.monoMs());
    let child: ProbeChild;
    try {
      child = launch();
    } catch (thrown) {
      this.#onFailedStart(thrown);
      return;
    }
    this.#child = child;
    child.on('message', (notice: ProbeNotice) => {
      if (this.#child === child) this.#onNotice(notice);
    });
    child.on('error', (error) => {
      // Without a process, no end follows. With one, a message could not be sent, and it does.
      if (this.#child === child && child.pid === undefined) this.#onFailedStart(error);
    });
    child.on('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      if (this.#child === child) this.#onEnd({ code, signal }, 'synthetic viewer ended');
    });
    this.#watch();
  }

  #onNotice(notice: ProbeNotice): void {
    this.#watch();
    if (this.#state === 'starting') {
      this.#state = 'running';
      this.#options.onReady();
    }
    if (notice.kind === 'done') this.#options.onDone(notice.id, notice.result);
    else if (notice.kind === 'broken') {
      this.#options.log.error({ error: notice.message }, 'run of the synthetic viewer failed');
      this.#options.onBroken(notice.id);
    }
  }

  #watch(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(SILENCE_LIMIT_MS, () => this.#child?.kill('SIGKILL'));
  }

  #onFailedStart(error: unknown): void {
    this.#onEnd({ err: toGatewayError(error) }, 'synthetic viewer failed to start');
  }

  #onEnd(why: object, message: string): void {
    const { clock, log, onLost } = this.#options;
    const restartInMs = this.#backoff.ended(clock.monoMs());
    log.warn({ ...why, restartInMs }, message);
    this.#child = null;
    this.#state = 'waiting';
    this.#timer?.cancel();
    this.#timer = clock.after(restartInMs, () => this.#launch());
    onLost();
  }
}

/** The real one. It inherits neither the gateway's environment, nor its arguments, nor its output. */
export function launchProbe(): ProbeChild {
  const env: NodeJS.ProcessEnv = {};
  for (const name of PASSED_VARIABLES) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return fork(fileURLToPath(new URL('./probe-process.ts', import.meta.url)), [], {
    env,
    execArgv: [`--max-old-space-size=${MAX_HEAP_MIB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
