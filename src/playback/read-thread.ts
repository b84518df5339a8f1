/** Starts the thread that reads recordings (read-worker.ts). */

import type { StorageSettings } from '../recording/open-storage.ts';
import { spawnMessageThread } from '../threads/spawn-thread.ts';
import type { ReadWorkerData } from './read-protocol.ts';
import type { LaunchReadThread } from './recording-reads.ts';

export function readThread(storage: StorageSettings): LaunchReadThread {
  return (memory, events) => {
    const module = new URL('./read-worker.ts', import.meta.url);
    const start = { name: 'sluice-playback', module, data: { storage, memory } satisfies ReadWorkerData };
    return spawnMessageThread(start, events);
  };
}
