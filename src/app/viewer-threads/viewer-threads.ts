/**
 * The threads that viewers connect to, as the gateway's thread handles them: it starts them, feeds their mirrors, decides
 * about their viewers, and replaces one that fails or hangs (docs/design/threads.md#viewer-threads).
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { PublishedWindows } from '../../mirror/window-feed.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { linkThreads } from '../api-thread/thread-link.ts';
import { APP_ERRORS } from '../errors.ts';
import type { LogLevel } from '../logging.ts';
import { ViewerDesk } from './viewer-desk.ts';
import type {
  DeskCalls,
  Touch,
  ViewerThreadCalls,
  ViewerThreadData,
  ViewerThreadState,
} from './viewer-thread-calls.ts';

/** Pause before a thread that ended is replaced; it doubles until one lives for a while. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 10_000;
const A_WHILE_MS = 60_000;
/** A thread that reports nothing for so long hangs; meanwhile, its part of the viewers gets nothing. */
const MAX_SILENCE_MS = 10_000;
const WATCH_MS = 1_000;
const CLOSE_MS = 5_000;

export interface ViewerThreadsOptions {
  readonly count: number;
  /** The data that each thread starts with; a thread keeps the port of the first one. */
  readonly data: () => ViewerThreadData;
  readonly sessions: Pick<ViewerSessions, 'access'>;
  readonly cameras: PublishedWindows;
  readonly onSent: (session: ViewerSession, bytes: number) => void;
  readonly onPlaylists: (playlists: number) => void;
  readonly onTouch: (touch: Touch) => void;
  readonly onLogged: (line: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** The module that the threads run. */
  readonly module?: URL;
}

/** A thread that has not ended. */
interface Running {
  readonly worker: Worker;
  readonly desk: ViewerDesk;
  readonly calls: ReturnType<typeof linkThreads<ViewerThreadCalls, DeskCalls>>;
  readonly ended: Promise<never>;
  readonly startedMonoMs: number;
}

export class ViewerThreads {
  readonly #options: ViewerThreadsOptions;
  readonly #running: (Running | null)[] = [];
  readonly #restartMs: number[] = [];
  readonly #restarts = new Set<TimerHandle>();
  #port: number | null = null;
  #starts = 0;
  /** Of threads that have ended. */
  readonly #past = {
    madeRoom: 0,
    refused: 0,
    playlists: 0,
    busySec: 0,
    access: 0,
    'too-slow': 0,
    recalled: 0,
  };
  #watch: TimerHandle | null = null;
  #isClosing = false;

  constructor(options: ViewerThreadsOptions) {
    this.#options = options;
  }

  /** Resolves with the port when all of them listen. Fails with CLI_LISTEN_FAILED or VIEWER_THREAD_FAILED. */
  async start(): Promise<number> {
    this.#port = await this.#launch(0);
    const others = Array.from({ length: this.#options.count - 1 }, (_, index) => this.#launch(index + 1));
    await Promise.all(others);
    this.#watchLater();
    return this.#port;
  }

  /** Threads started so far. */
  get starts(): number {
    return this.#starts;
  }

  /** Of all threads. */
  state(): ViewerThreadState {
    const states = this.#running.flatMap((running) => running?.desk.state ?? []);
    const sum = (of: (state: ViewerThreadState) => number): number =>
      states.reduce((total, state) => total + of(state), 0);
    const past = this.#past;
    return {
      connections: {
        open: sum(({ connections }) => connections.open),
        madeRoom: past.madeRoom + sum(({ connections }) => connections.madeRoom),
        refused: past.refused + sum(({ connections }) => connections.refused),
      },
      waiting: sum(({ waiting }) => waiting),
      answers: sum(({ answers }) => answers),
      cuts: {
        access: past.access + sum(({ cuts }) => cuts.access),
        'too-slow': past['too-slow'] + sum(({ cuts }) => cuts['too-slow']),
        recalled: past.recalled + sum(({ cuts }) => cuts.recalled),
      },
      playlists: past.playlists + sum(({ playlists }) => playlists),
      viewers: sum(({ viewers }) => viewers),
      windows: sum(({ windows }) => windows),
      busySec: past.busySec + sum(({ busySec }) => busySec),
    };
  }

  setLogLevel(level: LogLevel): void {
    for (const running of this.#running) void running?.calls.setLogLevel.asEvent(level);
  }

  /** Threads that start later have it from the start. */
  setCertificate(certificate: ListenerCertificate): void {
    for (const running of this.#running) void running?.calls.setCertificate.asEvent(certificate);
  }

  /** Finishes requests, and ends the threads. */
  async close(): Promise<void> {
    const { clock, log } = this.#options;
    this.#isClosing = true;
    this.#watch?.cancel();
    for (const restart of this.#restarts) restart.cancel();
    const ends = this.#running.map(async (running) => {
      if (running === null) return;
      const exited = once(running.worker, 'exit');
      const timer = clock.after(CLOSE_MS, () => {
        log.error({ afterMs: CLOSE_MS }, 'viewer thread shutdown timed out');
        void running.worker.terminate();
      });
      await Promise.race([running.calls.close().catch(() => undefined), exited]);
      timer.cancel();
      await running.worker.terminate();
      await exited;
    });
    await Promise.all(ends);
  }

  /** Resolves with its port when it listens. Terminates a thread that fails before that. */
  async #launch(index: number): Promise<number> {
    const running = this.#spawn(index);
    this.#running[index] = running;
    try {
      const port = await Promise.race([running.calls.start(), running.ended]);
      running.ended.catch((error) => this.#onFailure(index, running, error));
      return port;
    } catch (error) {
      this.#keepTotals(running);
      this.#running[index] = null;
      await running.worker.terminate();
      throw error;
    }
  }

  #spawn(index: number): Running {
    const { module = new URL('./viewer-thread-worker.ts', import.meta.url), clock } = this.#options;
    const worker = new Worker(module, {
      name: `sluice-viewers-${index + 1}`,
      workerData: this.#data(),
      execArgv: [],
    });
    this.#starts++;
    const desk = new ViewerDesk({
      ...this.#options,
      events: {
        slabShared: (...args) => void calls.slabShared.asEvent(...args),
        slabForgotten: (...args) => void calls.slabForgotten.asEvent(...args),
        windowOpened: (...args) => void calls.windowOpened.asEvent(...args),
        partPublished: (...args) => void calls.partPublished.asEvent(...args),
        waitsFailed: (...args) => void calls.waitsFailed.asEvent(...args),
        windowClosed: (...args) => void calls.windowClosed.asEvent(...args),
      },
      onLeaseEnded: (id, refusal) => void calls.leaseEnded.asEvent(id, refusal),
      onLeaseChanged: (id, sharesPaths) => void calls.leaseChanged.asEvent(id, sharesPaths),
    });
    const calls = linkThreads<ViewerThreadCalls, DeskCalls>(worker, desk.calls);
    const ended = new Promise<never>((_resolve, reject) => {
      let cause: unknown;
      worker.once('error', (thrown) => {
        cause = thrown;
      });
      worker.once('exit', (exitCode) => {
        const error = new GatewayError(APP_ERRORS.VIEWER_THREAD_FAILED, { exitCode }, cause);
        calls.$close(error);
        desk.close();
        reject(error);
      });
    });
    // The code that launches it gets the error.
    ended.catch(() => undefined);
    return { worker, desk, calls, ended, startedMonoMs: clock.monoMs() };
  }

  /** The address that viewers know stays the same. */
  #data(): ViewerThreadData {
    const data = this.#options.data();
    return this.#port === null ? data : { ...data, listen: { ...data.listen, port: this.#port } };
  }

  #onFailure(index: number, running: Running, error: unknown): void {
    if (this.#running[index] === running) this.#keepTotals(running);
    this.#running[index] = null;
    if (this.#isClosing) return;
    const { clock, log } = this.#options;
    const livedMs = clock.monoMs() - running.startedMonoMs;
    const retryMs = livedMs > A_WHILE_MS ? FIRST_RESTART_MS : (this.#restartMs[index] ?? FIRST_RESTART_MS);
    this.#restartMs[index] = Math.min(MAX_RESTART_MS, retryMs * 2);
    log.error({ thread: index + 1, err: toGatewayError(error), retryMs }, 'viewer thread failed, restarting');
    const restart = clock.after(retryMs, () => {
      this.#restarts.delete(restart);
      this.#launch(index).catch((thrown) => this.#onFailure(index, running, thrown));
    });
    this.#restarts.add(restart);
  }

  /** Counters do not go back when a thread ends. */
  #keepTotals({ desk: { state } }: Running): void {
    if (state === null) return;
    this.#past.madeRoom += state.connections.madeRoom;
    this.#past.refused += state.connections.refused;
    this.#past.playlists += state.playlists;
    this.#past.busySec += state.busySec;
    for (const reason of ['access', 'too-slow', 'recalled'] as const)
      this.#past[reason] += state.cuts[reason];
  }

  #watchLater(): void {
    const { clock, log } = this.#options;
    let dueMonoMs = clock.monoMs() + WATCH_MS;
    const look = (): void => {
      // This thread was held up, or the machine slept: the others had no chance to be heard.
      const isLate = clock.monoMs() - dueMonoMs > WATCH_MS;
      for (const [index, running] of this.#running.entries()) {
        if (running === null) continue;
        if (isLate) running.desk.forgive();
        else if (running.desk.silentMs > MAX_SILENCE_MS) {
          log.error({ thread: index + 1, afterMs: MAX_SILENCE_MS }, 'viewer thread hangs');
          void running.worker.terminate();
        }
      }
      dueMonoMs = clock.monoMs() + WATCH_MS;
      this.#watch = clock.after(WATCH_MS, look);
    };
    this.#watch = clock.after(WATCH_MS, look);
  }
}
