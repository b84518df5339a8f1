/** Starts the recorder's thread (recorder-worker.ts). */

import { Worker } from 'node:worker_threads';
import type { LaunchRecorder } from './recorder.ts';
import type { RecorderMessage, RecorderNotice, RecorderWorkerData } from './recorder-protocol.ts';

export function recorderThread(data: Omit<RecorderWorkerData, 'ring'>): LaunchRecorder {
  return (ring, events) => {
    const worker = new Worker(new URL('./recorder-worker.ts', import.meta.url), {
      name: 'sluice-recorder',
      workerData: { ...data, ring } satisfies RecorderWorkerData,
      execArgv: [],
    });
    let cause: unknown;
    worker.on('message', (notice: RecorderNotice) => events.onNotice(notice));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => events.onEnd(cause));
    return {
      post: (message: RecorderMessage) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
    };
  };
}
