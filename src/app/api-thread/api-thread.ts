/**
 * The API's thread, as the gateway's thread handles it: starts it, notifies it of events, restarts it when it fails,
 * and closes it. The API has its own isolate so that nothing it does, including garbage collection, delays the media.
 */

import type { Worker } from 'node:worker_threads';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { beginThreadsWithNewSpace } from '../../core/new-space.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { MailSettings } from '../../mail/mail-settings.ts';
import type { SharedFileKind } from '../../sharing/shared-group.ts';
import { Outbox } from '../../threads/outbox.ts';
import { spawnThread } from '../../threads/spawn-thread.ts';
import { type GroupThread, ThreadGroup } from '../../threads/thread-group.ts';
import { linkThreads, type ThreadLink } from '../../threads/thread-link.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type {
  ApiAddress,
  ApiStart,
  ApiThreadCalls,
  ApiThreadData,
  GatewayCalls,
  Notice,
} from './thread-calls.ts';

/** The next thread listens at the same address, and reads the commits of the last one. */
const FIRST_RESTART_MS = 250;
/** A page that shows progress asks again soon. */
const PROGRESS_WAIT_MS = 500;
const SEMI_SPACE_MIB = 8;
/**
 * Notices that may be dropped when too many wait. Clients that miss a viewer notice are notified to begin again; no
 * decision depends on it.
 */
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
   * Takes over commits of a failed thread that it could not report. The next thread starts afterwards; if this rejects, it
   * is tried again.
   */
  readonly takeOver: () => Promise<void>;
}

interface Talk {
  readonly link: ThreadLink<ApiThreadCalls, GatewayCalls>;
  readonly outbox: Outbox<Notice>;
}

interface RunningApi extends GroupThread<void> {
  /** Null: it has not received the state yet, and needs no events. */
  talk: Talk | null;
}

export class ApiThread {
  readonly #options: ApiThreadOptions;
  /** Contains one thread. */
  readonly #group: ThreadGroup<void, RunningApi>;
  #gateway: GatewaySide | null = null;
  #address: ApiAddress | null = null;

  constructor(options: ApiThreadOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#group = new ThreadGroup({
      kind: 'API',
      failure: APP_ERRORS.API_THREAD_FAILED,
      clock,
      log,
      maxSilenceMs: Number.POSITIVE_INFINITY,
      firstRestartMs: FIRST_RESTART_MS,
      spawn: () => this.#spawn(),
      beforeRestart: async () => await this.#gateway?.takeOver(),
    });
  }

  /** Lets the thread load its module while the gateway does the rest of its work before `start`. */
  prepare(): void {
    this.#group.prepare(0);
  }

  /** Resolves when the API listens. Fails with CLI_LISTEN_FAILED, API_THREAD_FAILED or a code of STORE_ERRORS. */
  async start(gateway: GatewaySide): Promise<void> {
    this.#gateway = gateway;
    await this.#group.start(0);
  }

  /** The address for callers; empty before the start. */
  get apiUrl(): string {
    return this.#address?.apiUrl ?? '';
  }

  /** Threads started so far. */
  get starts(): number {
    return this.#group.starts;
  }

  /** Time for which the event loop of the current thread was busy, in seconds. */
  get busySec(): number {
    return (this.#group.threads[0]?.worker.performance.eventLoopUtilization().active ?? 0) / 1_000;
  }

  /**
   * Notifies the thread, in order. While there is none, nothing is lost: the next one starts with the current state.
   */
  notify(notice: Notice): void {
    this.#talk?.outbox.add(notice);
  }

  /** As in ItemProgress: a thread that is busy, or being restarted, keeps no viewer waiting. */
  async itemProgress(kind: SharedFileKind, uuids: readonly Ruuid[]): Promise<readonly (number | null)[]> {
    const unknown = uuids.map(() => null);
    const link = this.#talk?.link;
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
    this.#talk?.link.setLogLevel(level).catch(() => undefined);
  }

  /** A thread that is being restarted starts with the new ones. */
  setMail(settings: MailSettings | null): void {
    this.#talk?.link.setMail(settings).catch(() => undefined);
  }

  /** A thread that is being restarted starts with the new one. */
  setCertificate(certificate: ListenerCertificate): void {
    this.#talk?.link.setCertificate(certificate).catch(() => undefined);
  }

  /** Its listener will close in a moment: connections end with their next response. */
  leave(): void {
    this.#talk?.link.leave().catch(() => undefined);
  }

  /** Ends it: finishes requests and writes everything; terminates it if that takes too long. */
  close(): Promise<void> {
    return this.#group.close();
  }

  get #talk(): Talk | null {
    return this.#group.threads[0]?.talk ?? null;
  }

  #spawn(): RunningApi {
    const { module = new URL('./api-thread-worker.ts', import.meta.url) } = this.#options;
    const data = this.#data();
    beginThreadsWithNewSpace(SEMI_SPACE_MIB);
    const moved = data.store.kind === 'sqlite-port' ? [data.store.port] : [];
    const worker = spawnThread({ name: 'sluice-api', module, data, moved });
    const running: RunningApi = {
      worker,
      talk: null,
      silentMs: 0,
      forgive: () => undefined,
      start: async () => {
        const gateway = this.#gateway!;
        running.talk = this.#talkWith(worker, gateway.calls);
        this.#address = await running.talk.link.start(gateway.now());
      },
      close: async () => await running.talk?.link.close(),
      onEnded: (error) => running.talk?.link.$close(error),
    };
    return running;
  }

  #talkWith(worker: Worker, calls: GatewayCalls): Talk {
    const link = linkThreads<ApiThreadCalls, GatewayCalls>(worker, calls);
    const outbox: Outbox<Notice> = new Outbox<Notice>({
      send: (notices) => link.happened(notices),
      mayDrop,
      onDropped: (notices) => {
        this.#options.log.warn({ notices }, 'API too slow, viewer notices dropped');
        outbox.add({ kind: 'viewersMissed' });
      },
    });
    return { link, outbox };
  }

  /** The address that callers know stays the same. */
  #data(): ApiThreadData {
    const data = this.#options.data();
    return this.#address === null ? data : { ...data, listen: { ...data.listen, port: this.#address.port } };
  }
}
