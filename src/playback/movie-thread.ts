/** Starts the thread that makes movies (movie-worker.ts). */

import { spawnMessageThread } from '../threads/spawn-thread.ts';
import type { LaunchMovieThread } from './movie-maker.ts';
import type { MovieWorkerData } from './movie-protocol.ts';

/** `name`: of the thread, for people who look at the process. */
export function movieThread(name: string, data: MovieWorkerData): LaunchMovieThread {
  const module = new URL('./movie-worker.ts', import.meta.url);
  return (events) => spawnMessageThread({ name, module, data }, events);
}
