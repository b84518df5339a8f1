/**
 * The threads that read cameras, as the gateway's thread handles them: it starts them, gives them cameras, and replaces one
 * that fails or hangs (docs/design/threads.md#camera-threads).
 */

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { CameraHostLink } from '../../sources/threaded/camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from '../../sources/threaded/errors.ts';
import type { SlabNotice } from '../../sources/threaded/host-messages.ts';
import type { CameraThreadChoice } from '../../sources/threaded/threaded-rtsp-source.ts';
import { createRing } from '../../sources/threaded/unit-ring.ts';
import { spawnThread } from '../../threads/spawn-thread.ts';
import { type GroupThread, ThreadGroup } from '../../threads/thread-group.ts';
import { linkThreads } from '../../threads/thread-link.ts';
import type { CameraThreadCalls, CameraThreadData } from './camera-thread-calls.ts';
import { monoMinusHrMs } from './shared-clock.ts';
import { ThreadReport } from './thread-report.ts';

/** Cameras of a thread that is silent for so long show nothing. Longer than a busy machine keeps a thread waiting. */
const MAX_SILENCE_MS = 5_000;
/** A slab that a thread gave up stays in memory for so long, if no part follows. */
const NOTICES_INTERVAL_MS = 1_000;

export interface CameraThreadsOptions {
  readonly count: number;
  /** A thread was replaced: its cameras need not wait for the end of their pauses. */
  readonly onReplaced: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export class CameraThreads implements CameraThreadChoice {
  readonly #options: CameraThreadsOptions;
  readonly #group: ThreadGroup<void, CameraThread>;
  #notices: TimerHandle | null = null;
  /** Busy time of threads that have ended. */
  #pastBusySec = 0;

  constructor(options: CameraThreadsOptions) {
    this.#options = options;
    const { clock, log, onReplaced } = options;
    this.#group = new ThreadGroup({
      kind: 'camera thread',
      failure: CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED,
      maxSilenceMs: MAX_SILENCE_MS,
      clock,
      log,
      onReplaced,
      spawn: (index) => this.#spawn(index),
    });
  }

  /** Fails with CAMERA_THREAD_FAILED. */
  async start(): Promise<void> {
    this.#readNoticesLater();
    await Promise.all(Array.from({ length: this.#options.count }, (_, index) => this.#group.start(index)));
  }

  #readNoticesLater(): void {
    this.#notices = this.#options.clock.after(NOTICES_INTERVAL_MS, () => {
      for (const { link } of this.#group.threads) link.readSlabNotices();
      this.#readNoticesLater();
    });
  }

  pick(): CameraHostLink | null {
    let least: CameraHostLink | null = null;
    for (const { link } of this.#group.threads) if (least === null || link.size < least.size) least = link;
    return least;
  }

  /** Sums over all threads: `starts` and `busySec` are totals, the others are current. */
  state(): {
    readonly starts: number;
    readonly busySec: number;
    readonly streams: number;
    readonly blockBytes: { readonly used: number; readonly free: number };
  } {
    const blockBytes = { used: 0, free: 0 };
    let busySec = this.#pastBusySec;
    let streams = 0;
    for (const { report, link } of this.#group.threads) {
      const state = report.read();
      busySec += state.busySec;
      streams += link.size;
      blockBytes.used += state.blockBytes.used;
      blockBytes.free += state.blockBytes.free;
    }
    return { starts: this.#group.starts, busySec, streams, blockBytes };
  }

  /** Releases every camera, and ends the threads. */
  close(): Promise<void> {
    this.#notices?.cancel();
    return this.#group.close();
  }

  #spawn(index: number): CameraThread {
    const { clock } = this.#options;
    const ring = createRing();
    const { port1: slabs, port2: slabsThere } = new MessageChannel();
    const { port1: wakes, port2: wakesThere } = new MessageChannel();
    const report = new ThreadReport();
    const ports = { slabs: slabsThere, wakes: wakesThere };
    const memory = { ring, report: report.memory };
    const data: CameraThreadData = { ...memory, ...ports, monoMinusHrMs: monoMinusHrMs(clock) };
    const module = new URL('./camera-thread-worker.ts', import.meta.url);
    const name = `sluice-cameras-${index + 1}`;
    const worker = spawnThread({ name, module, data, moved: [slabsThere, wakesThere] });
    let forgivenMonoMs = clock.monoMs();
    const thread: CameraThread = {
      worker,
      link: new CameraHostLink({
        ring,
        clock,
        calls: {
          open: (stream, order) => void calls.open.asEvent(stream, order),
          close: (stream) => calls.close(stream),
          package: (stream, rendition, order) => void calls.package.asEvent(stream, rendition, order),
          unpackage: (stream, rendition) => void calls.unpackage.asEvent(stream, rendition),
          passUnits: (stream, isWanted) => void calls.passUnits.asEvent(stream, isWanted),
          stopPackaging: (stream) => void calls.stopPackaging.asEvent(stream),
          startPackaging: (stream) => void calls.startPackaging.asEvent(stream),
          packagingOrdered: (stream) => void calls.packagingOrdered.asEvent(stream),
          release: (holds) => void calls.release.asEvent(holds),
        },
        takeSlabNotice: () => receiveMessageOnPort(slabs)?.message as SlabNotice | undefined,
      }),
      report,
      get silentMs() {
        return clock.monoMs() - Math.max(report.read().atMonoMs, forgivenMonoMs);
      },
      forgive() {
        forgivenMonoMs = clock.monoMs();
      },
      start: () => calls.start(),
      close: () => calls.closeAll(),
      onEnded: (error) => {
        this.#pastBusySec += report.read().busySec;
        calls.$close(error);
        thread.link.end(error);
        slabs.close();
        wakes.close();
      },
    };
    const calls = linkThreads<CameraThreadCalls, object>(worker, {});
    wakes.on('message', () => thread.link.wake());
    return thread;
  }
}

interface CameraThread extends GroupThread<void> {
  readonly link: CameraHostLink;
  readonly report: ThreadReport;
  onEnded(error: GatewayError): void;
}
