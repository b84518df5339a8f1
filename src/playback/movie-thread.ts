/** Starts the thread that makes movies (movie-worker.ts). */

import { Worker } from 'node:worker_threads';
import type { LaunchMovieThread } from './movie-maker.ts';
import type { MovieMessage, MovieNotice, MovieWorkerData } from './movie-protocol.ts';

/** `name`: of the thread, for people who look at the process. */
export function movieThread(name: string, data: MovieWorkerData): LaunchMovieThread {
  return (events) => {
    const worker = new Worker(new URL('./movie-worker.ts', import.meta.url), {
      ...{ name, workerData: data, execArgv: [] },
    });
    let cause: unknown;
    worker.on('message', (notice: MovieNotice) => events.onNotice(notice));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => events.onEnd(cause));
    return {
      post: (message: MovieMessage) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
    };
  };
}
