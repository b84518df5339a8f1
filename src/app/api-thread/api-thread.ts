/**
 * The API's thread, as the gateway's thread handles it: starts it, notifies it of events, restarts it when it fails,
 * and closes it. The API has its own isolate so that nothing it does, including garbage collection, delays the media.
 */

import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import { Backoff } from '../../core/backoff.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { beginThreadsWithNewSpace } from '../../core/new-space.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { SharedFileKind } from '../../sharing/shared-group.ts';
import { spawnThread } from '../../threads/spawn-thread.ts';
import { linkThreads, type ThreadLink } from '../../threads/thread-link.ts';
import { APP_ERRORS } from '../process/errors.ts';
import { Outbox } from './outbox.ts';
import type {
  ApiAddress,
  ApiStart,
  ApiThreadCalls,
  ApiThreadData,
  GatewayCalls,
  Notice,
} from './thread-calls.ts';

/** Pause before a thread that ended is restarted; it doubles until one lives for a while. */
const FIRST_RESTART_MS = 250;
const MAX_RESTART_MS = 10_000;
/** Of this, requests get three seconds. What is not written by then remains unfinished until the next start. */
const CLOSE_MS = 5_000;
/** A page that shows progress asks again soon. */
const PROGRESS_WAIT_MS = 500;
const SEMI_SPACE_MIB = 8;
/** Limit on waiting notices. Clients that miss a viewer notice are told to begin again; no decision depends on it. */
const mayDrop = (notice: Notice): boolean => notice.kind === 'viewer';

export interface ApiThreadOptions {
  /** The data that each thread starts with. */
  readonly data: () => ApiThreadData;
  readonly clock: Clock;
  readonly log: Log;
  /** The module that the thread runs. */
  readonly module?: URL;
}

/** The gateway's thread, as the API's thread sees it. */
export interface GatewaySide {
  /** The state at the time of the call. */
  readonly now: () => ApiStart;
  /** The calls that the thread may make. */
  readonly calls: GatewayCalls;
  /**
   * Takes over what a failed thread had committed but could not report. The next thread starts afterwards; if this
   * rejects, it is tried again.
   */
  readonly takeOver: () => Promise<void>;
}

/** A thread that has not ended. */
interface Running {
  readonly worker: Worker;
  /** Rejects when the thread ends, for any reason. */
  readonly ended: Promise<never>;
  /** Null: it has not received the state yet, and needs no events. */
  talk: Talk | null;
}

interface Talk {
  readonly link: ThreadLink<ApiThreadCalls, GatewayCalls>;
  readonly outbox: Outbox<Notice>;
}

export class ApiThread {
  readonly #options: ApiThreadOptions;
  #running: Running | null = null;
  #address: ApiAddress | null = null;
  #starts = 0;
  readonly #backoff = new Backoff({ firstMs: FIRST_RESTART_MS, lastMs: MAX_RESTART_MS });
  #restart: TimerHandle | null = null;
  #isClosing = false;

  constructor(options: ApiThreadOptions) {
    this.#options = options;
  }

  /** Lets the thread load its module while the gateway does the rest of its work before `start`. */
  prepare(): void {
    this.#running ??= this.#spawn();
  }

  /** Resolves when the API listens. Fails with CLI_LISTEN_FAILED, API_THREAD_FAILED or a code of STORE_ERRORS. */
  async start(gateway: GatewaySide): Promise<void> {
    await this.#launch(gateway);
  }

  /** The address for callers; empty before the start. */
  get apiUrl(): string {
    return this.#address?.apiUrl ?? '';
  }

  /** Threads started so far. */
  get starts(): number {
    return this.#starts;
  }

  /** Time for which the event loop of the current thread was busy, in seconds. */
  get busySec(): number {
    return (this.#running?.worker.performance.eventLoopUtilization().active ?? 0) / 1_000;
  }

  /**
   * Notifies the thread, in order. While there is none, nothing is lost: the next one starts with the current state.
   */
  notify(notice: Notice): void {
    this.#running?.talk?.outbox.add(notice);
  }

  /** As in ItemProgress: a thread that is busy, or being restarted, keeps no viewer waiting. */
  async itemProgress(kind: SharedFileKind, uuids: readonly Ruuid[]): Promise<readonly (number | null)[]> {
    const unknown = uuids.map(() => null);
    const link = this.#running?.talk?.link;
    if (link === undefined) return unknown;
    const { promise, resolve } = Promise.withResolvers<readonly (number | null)[]>();
    const timer = this.#options.clock.after(PROGRESS_WAIT_MS, () => resolve(unknown));
    link.itemProgress(kind, uuids).then(resolve, () => resolve(unknown));
    const progress = await promise;
    timer.cancel();
    return progress;
  }

  /** A thread that is being restarted starts with the new level. */
  setLogLevel(level: ApiThreadData['log']['level']): void {
    this.#running?.talk?.link.setLogLevel(level).catch(() => undefined);
  }

  /** A thread that is being restarted starts with the new one. */
  setCertificate(certificate: ListenerCertificate): void {
    this.#running?.talk?.link.setCertificate(certificate).catch(() => undefined);
  }

  /** Its listener will close in a moment: connections end with their next response. */
  leave(): void {
    this.#running?.talk?.link.leave().catch(() => undefined);
  }

  /** Ends it: finishes requests and writes everything; terminates it if that takes too long. */
  async close(): Promise<void> {
    const { clock, log } = this.#options;
    this.#isClosing = true;
    this.#restart?.cancel();
    const running = this.#running;
    if (running === null) return;
    const exited = once(running.worker, 'exit');
    const timer = clock.after(CLOSE_MS, () => {
      log.error({ afterMs: CLOSE_MS }, 'API shutdown timed out');
      void running.worker.terminate();
    });
    await running.talk?.link.close().catch(() => undefined);
    timer.cancel();
    await running.worker.terminate();
    await exited;
  }

  /** Resolves when it listens. Terminates a thread that fails before that. */
  async #launch(gateway: GatewaySide): Promise<void> {
    const { clock, log } = this.#options;
    this.#running ??= this.#spawn();
    const running = this.#running;
    const { worker, ended } = running;
    const link = linkThreads<ApiThreadCalls, GatewayCalls>(worker, gateway.calls);
    const outbox: Outbox<Notice> = new Outbox<Notice>({
      send: (notices) => link.happened(notices),
      mayDrop,
      onDropped: (notices) => {
        log.warn({ notices }, 'API too slow, viewer notices dropped');
        outbox.add({ kind: 'viewersMissed' });
      },
    });
    running.talk = { link, outbox };
    try {
      this.#address = await Promise.race([link.start(gateway.now()), ended]);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    this.#backoff.started(clock.monoMs());
    ended.catch((error) => this.#onFailure(gateway, error));
  }

  #spawn(): Running {
    const { module = new URL('./api-thread-worker.ts', import.meta.url) } = this.#options;
    const data = this.#data();
    beginThreadsWithNewSpace(SEMI_SPACE_MIB);
    const moved = data.store.kind === 'sqlite-port' ? [data.store.port] : [];
    const worker = spawnThread({ name: 'sluice-api', module, data, moved });
    this.#starts += 1;
    const ended = new Promise<never>((_resolve, reject) => {
      let cause: unknown;
      worker.once('error', (thrown) => {
        cause = thrown;
      });
      // Not earlier: until then its listener holds the address.
      worker.once('exit', (exitCode) => {
        const error = new GatewayError(APP_ERRORS.API_THREAD_FAILED, { exitCode }, cause);
        running.talk?.link.$close(error);
        if (this.#running === running) this.#running = null;
        reject(error);
      });
    });
    // The code that launches it gets the error.
    ended.catch(() => undefined);
    const running: Running = { worker, ended, talk: null };
    return running;
  }

  /** The address that callers know stays the same. */
  #data(): ApiThreadData {
    const data = this.#options.data();
    return this.#address === null ? data : { ...data, listen: { ...data.listen, port: this.#address.port } };
  }

  #onFailure(gateway: GatewaySide, error: unknown): void {
    if (this.#isClosing) return;
    const { clock, log } = this.#options;
    const retryMs = this.#backoff.ended(clock.monoMs());
    log.error({ err: toGatewayError(error), retryMs }, 'API failed, restarting');
    this.#restart = clock.after(retryMs, () => {
      this.#relaunch(gateway).catch((thrown) => this.#onFailure(gateway, thrown));
    });
  }

  async #relaunch(gateway: GatewaySide): Promise<void> {
    await gateway.takeOver();
    if (!this.#isClosing) await this.#launch(gateway);
  }
}
