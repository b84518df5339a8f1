/** Starts the thread of uploads (spool-worker.ts) when it is needed, and again after it failed. */

import { Worker } from 'node:worker_threads';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { errorOfWire } from '../core/wire-error.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import type {
  Spool,
  SpoolAnswer,
  SpoolCall,
  SpoolRequest,
  SpoolResults,
  SpoolWorkerData,
} from './spool-protocol.ts';

interface Pending {
  resolve(value: SpoolResults[keyof SpoolResults]): void;
  reject(error: GatewayError): void;
}

export class SpoolThread implements Spool {
  readonly #data: SpoolWorkerData;
  readonly #log: Log;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #nextId = 0;
  #isClosed = false;

  constructor(data: SpoolWorkerData, log: Log) {
    this.#data = data;
    this.#log = log;
  }

  call<Call extends SpoolCall>(call: Call): Promise<SpoolResults[Call['name']]> {
    if (this.#isClosed) return Promise.reject(new GatewayError(UPLOAD_ERRORS.UPLOAD_STOPPING, {}));
    this.#worker ??= this.#launch();
    const request: SpoolRequest = { id: this.#nextId++, call };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve: resolve as Pending['resolve'], reject });
      const moved = call.name === 'append' ? [call.bytes.buffer as ArrayBuffer] : [];
      this.#worker!.postMessage(request, moved);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #launch(): Worker {
    const worker = new Worker(new URL('./spool-worker.ts', import.meta.url), {
      name: 'sluice-uploads',
      workerData: this.#data,
      execArgv: [],
    });
    worker.unref();
    worker.on('message', (answer: SpoolAnswer) => this.#answered(answer));
    worker.on('error', (cause) => {
      this.#log.error(
        { err: new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}, cause) },
        'uploads thread failed',
      );
    });
    worker.on('exit', () => this.#ended(worker));
    return worker;
  }

  #answered(answer: SpoolAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (pending === undefined) return;
    if ('value' in answer) pending.resolve(answer.value);
    else pending.reject(errorOfWire(answer.failure));
  }

  #ended(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null;
    for (const { reject } of this.#pending.values()) {
      reject(new GatewayError(UPLOAD_ERRORS.UPLOAD_THREAD_FAILED, {}));
    }
    this.#pending.clear();
  }
}
