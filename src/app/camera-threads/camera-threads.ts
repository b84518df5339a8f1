/**
 * The threads that read cameras, as the gateway's thread handles them: it starts them, gives them cameras, and replaces one
 * that fails or hangs (docs/design/threads.md#camera-threads).
 */

import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { CameraHostLink } from '../../sources/threaded/camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from '../../sources/threaded/errors.ts';
import type { CameraThreadChoice } from '../../sources/threaded/threaded-rtsp-source.ts';
import { createRing } from '../../sources/threaded/unit-ring.ts';
import { linkThreads } from '../api-thread/thread-link.ts';
import { type GroupThread, ThreadGroup } from '../threads/thread-group.ts';
import type { CameraThreadCalls, CameraThreadData, CameraThreadNotices } from './camera-thread-calls.ts';
import { monoMinusHrMs } from './shared-clock.ts';

/** Cameras of a thread that is silent for so long show nothing. Longer than a busy machine keeps a thread waiting. */
const MAX_SILENCE_MS = 5_000;

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
  /** Of threads that have ended. */
  #pastBusySec = 0;

  constructor(options: CameraThreadsOptions) {
    this.#options = options;
    const { clock, log, onReplaced } = options;
    this.#group = new ThreadGroup({
      ...{ kind: 'camera', failure: CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED, maxSilenceMs: MAX_SILENCE_MS },
      ...{ clock, log, onReplaced },
      spawn: (index) => this.#spawn(index),
    });
  }

  /** Fails with CAMERA_THREAD_FAILED. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.count }, (_, index) => this.#group.start(index)));
  }

  pick(): CameraHostLink | null {
    let least: CameraHostLink | null = null;
    for (const { link } of this.#group.threads) if (least === null || link.size < least.size) least = link;
    return least;
  }

  /** Of all threads: a total, a total, and now. */
  state(): { readonly starts: number; readonly busySec: number; readonly streams: number } {
    let busySec = this.#pastBusySec;
    let streams = 0;
    for (const thread of this.#group.threads) {
      busySec += thread.busySec;
      streams += thread.link.size;
    }
    return { starts: this.#group.starts, busySec, streams };
  }

  /** Releases every camera, and ends the threads. */
  close(): Promise<void> {
    return this.#group.close();
  }

  #spawn(index: number): CameraThread {
    const { clock } = this.#options;
    const ring = createRing();
    const workerData: CameraThreadData = { ring, monoMinusHrMs: monoMinusHrMs(clock) };
    const module = new URL('./camera-thread-worker.ts', import.meta.url);
    const worker = new Worker(module, { name: `sluice-cameras-${index + 1}`, workerData, execArgv: [] });
    let heardMonoMs = clock.monoMs();
    const thread: CameraThread = {
      worker,
      link: new CameraHostLink(
        ring,
        {
          open: (stream, order) => void calls.open.asEvent(stream, order),
          close: (stream) => calls.close(stream),
        },
        clock,
      ),
      busySec: 0,
      get silentMs() {
        return clock.monoMs() - heardMonoMs;
      },
      forgive() {
        heardMonoMs = clock.monoMs();
      },
      start: () => calls.start(),
      close: () => calls.closeAll(),
      onEnded: (error) => {
        this.#pastBusySec += thread.busySec;
        calls.$close(error);
        thread.link.end(error);
      },
    };
    const calls = linkThreads<CameraThreadCalls, CameraThreadNotices>(worker, {
      wake: () => thread.link.wake(),
      report({ busySec }) {
        heardMonoMs = clock.monoMs();
        thread.busySec = busySec;
      },
    });
    return thread;
  }
}

interface CameraThread extends GroupThread<void> {
  readonly link: CameraHostLink;
  /** As last reported. */
  busySec: number;
  onEnded(error: GatewayError): void;
}
