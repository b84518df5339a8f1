/**
 * The threads that viewers connect to, as the gateway's thread handles them: it starts them, feeds their mirrors, decides
 * about their viewers, and replaces one that fails or hangs (docs/design/threads.md#viewer-threads).
 */

import type { Worker } from 'node:worker_threads';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { PublishedWindows } from '../../mirror/window-feed.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { spawnThread } from '../../threads/spawn-thread.ts';
import { type GroupThread, ThreadGroup } from '../../threads/thread-group.ts';
import { linkThreads } from '../../threads/thread-link.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { LogLevel } from '../process/logging.ts';
import { ViewerDesk } from './viewer-desk.ts';
import type {
  DeskCalls,
  Touch,
  ViewerThreadCalls,
  ViewerThreadData,
  ViewerThreadState,
} from './viewer-thread-calls.ts';

/** A thread without a report for this long hangs; until then, its part of the viewers gets nothing. */
const MAX_SILENCE_MS = 10_000;

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

export class ViewerThreads {
  readonly #options: ViewerThreadsOptions;
  readonly #group: ThreadGroup<number, ViewerThread>;
  #port: number | null = null;
  /** Set since the start; null: it is that of `data`. */
  #logLevel: LogLevel | null = null;
  /** Totals of threads that have ended. */
  readonly #past = {
    madeRoom: 0,
    refused: 0,
    playlists: 0,
    busySec: 0,
    access: 0,
    'too-slow': 0,
    recalled: 0,
  };

  constructor(options: ViewerThreadsOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#group = new ThreadGroup({
      kind: 'viewer thread',
      failure: APP_ERRORS.VIEWER_THREAD_FAILED,
      maxSilenceMs: MAX_SILENCE_MS,
      clock,
      log,
      spawn: (index) => this.#spawn(index),
    });
  }

  /** Resolves with the port when all of them listen. Fails with CLI_LISTEN_FAILED or VIEWER_THREAD_FAILED. */
  async start(): Promise<number> {
    this.#port = await this.#group.start(0);
    const others = Array.from({ length: this.#options.count - 1 }, (_, index) =>
      this.#group.start(index + 1),
    );
    await Promise.all(others);
    return this.#port;
  }

  /** At which they listen; null: not yet. */
  get port(): number | null {
    return this.#port;
  }

  /** Threads started so far. */
  get starts(): number {
    return this.#group.starts;
  }

  /** Sums over all threads. */
  state(): ViewerThreadState {
    const states = this.#group.threads.flatMap(({ desk }) => desk.state ?? []);
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
      responses: sum(({ responses }) => responses),
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

  /** Threads that start later have it from the start. */
  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    for (const { calls } of this.#group.threads) void calls.setLogLevel.asEvent(level);
  }

  /** Threads that start later have it from the start. */
  setCertificate(certificate: ListenerCertificate): void {
    for (const { calls } of this.#group.threads) void calls.setCertificate.asEvent(certificate);
  }

  /** Listeners will close in a moment: connections end with their next response. */
  leave(): void {
    for (const { calls } of this.#group.threads) void calls.leave.asEvent();
  }

  /** Finishes requests, and ends the threads. */
  close(): Promise<void> {
    return this.#group.close();
  }

  #spawn(index: number): ViewerThread {
    const { module = new URL('./viewer-thread-worker.ts', import.meta.url) } = this.#options;
    const worker = spawnThread({ name: `sluice-viewers-${index + 1}`, module, data: this.#data() });
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
    return new ViewerThread(worker, desk, calls, () => this.#keepTotals(desk));
  }

  /** The address that viewers know and the level that was set stay the same. */
  #data(): ViewerThreadData {
    const { listen, log, ...data } = this.#options.data();
    return {
      ...data,
      listen: { ...listen, port: this.#port ?? listen.port },
      log: { ...log, level: this.#logLevel ?? log.level },
    };
  }

  /** Counters do not go back when a thread ends. */
  #keepTotals({ state }: ViewerDesk): void {
    if (state === null) return;
    this.#past.madeRoom += state.connections.madeRoom;
    this.#past.refused += state.connections.refused;
    this.#past.playlists += state.playlists;
    this.#past.busySec += state.busySec;
    for (const reason of ['access', 'too-slow', 'recalled'] as const)
      this.#past[reason] += state.cuts[reason];
  }
}

type ThreadCalls = ReturnType<typeof linkThreads<ViewerThreadCalls, DeskCalls>>;

class ViewerThread implements GroupThread<number> {
  readonly worker: Worker;
  readonly desk: ViewerDesk;
  readonly calls: ThreadCalls;
  readonly #onGone: () => void;

  constructor(worker: Worker, desk: ViewerDesk, calls: ThreadCalls, onGone: () => void) {
    this.worker = worker;
    this.desk = desk;
    this.calls = calls;
    this.#onGone = onGone;
  }

  get silentMs(): number {
    return this.desk.silentMs;
  }

  start(): Promise<number> {
    return this.calls.start();
  }

  close(): Promise<void> {
    return this.calls.close();
  }

  forgive(): void {
    this.desk.forgive();
  }

  onEnded(error: GatewayError): void {
    this.#onGone();
    this.calls.$close(error);
    this.desk.close();
  }
}
