/** Starts the thread that reads recordings (read-worker.ts). */

import { Worker } from 'node:worker_threads';
import type { StorageSettings } from '../recording/open-storage.ts';
import type { ReadMessage, ReadNotice, ReadWorkerData } from './read-protocol.ts';
import type { LaunchReadThread } from './recording-reads.ts';

export function readThread(storage: StorageSettings): LaunchReadThread {
  return (memory, events) => {
    const worker = new Worker(new URL('./read-worker.ts', import.meta.url), {
      name: 'sluice-playback',
      workerData: { storage, memory } satisfies ReadWorkerData,
      execArgv: [],
    });
    let cause: unknown;
    worker.on('message', (notice: ReadNotice) => events.onNotice(notice));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => events.onEnd(cause));
    return {
      post: (message: ReadMessage) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
    };
  };
}
