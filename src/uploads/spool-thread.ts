/**
 * Starts the thread of uploads (spool-worker.ts) when it is needed. One that fails is started again with a later call, after a pause
 * that grows if it keeps failing; calls fail until then.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { PendingCalls } from '../threads/pending-calls.ts';
import { RestartedThread } from '../threads/restarted-thread.ts';
import { type MessageThread, spawnMessageThread, type ThreadEvents } from '../threads/spawn-thread.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type {
  Spool,
  SpoolCall,
  SpoolRequest,
  SpoolResponse,
  SpoolResults,
  SpoolWorkerData,
} from './spool-protocol.ts';

export interface SpoolThreadOptions {
  readonly launch: (events: ThreadEvents<SpoolResponse>) => MessageThread<SpoolRequest>;
  readonly clock: Clock;
  readonly log: Log;
}

export class SpoolThread implements Spool {
  readonly #calls = new PendingCalls<SpoolResults[keyof SpoolResults]>();
  readonly #thread: RestartedThread<SpoolRequest, SpoolResponse>;
  #isClosed = false;

  constructor(options: SpoolThreadOptions) {
    const { launch, clock, log } = options;
    this.#thread = new RestartedThread<SpoolRequest, SpoolResponse>({
      launch,
      clock,
      onNotice: (response) => {
        if ('value' in response) this.#calls.resolve(response.id, response.value);
        else this.#calls.fail(response.id, response.failure);
      },
      onEnd: (cause, retryMs) => {
        const err = new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}, cause);
        log.error({ err, retryMs }, 'uploads thread failed');
        this.#calls.rejectAll(() => err);
      },
    });
  }

  call<Call extends SpoolCall>(call: Call): Promise<SpoolResults[Call['name']]> {
    if (this.#isClosed) return Promise.reject(new GatewayError(UPLOAD_ERRORS.UPLOAD_STOPPING, {}));
    const thread = this.#thread.get();
    if (thread === null) return Promise.reject(new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}));
    const { id, result } = this.#calls.add();
    thread.post({ id, call }, call.name === 'append' ? [call.bytes.buffer as ArrayBuffer] : []);
    return result as Promise<SpoolResults[Call['name']]>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.close();
    this.#calls.rejectAll(() => new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}));
  }
}

/** The thread of uploads, with its files in a folder. It does not keep the process alive. */
export function spoolPort(data: SpoolWorkerData): SpoolThreadOptions['launch'] {
  const module = new URL('./spool-worker.ts', import.meta.url);
  return (events) => spawnMessageThread({ name: 'sluice-uploads', module, data, isDaemon: true }, events);
}
