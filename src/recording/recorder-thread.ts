/** Starts the recorder's thread (recorder-worker.ts). */

import { spawnMessageThread } from '../threads/spawn-thread.ts';
import type { LaunchRecorder } from './recorder.ts';
import type { RecorderWorkerData } from './recorder-protocol.ts';

export function recorderThread(data: Omit<RecorderWorkerData, 'ring'>): LaunchRecorder {
  return (ring, events) => {
    const module = new URL('./recorder-worker.ts', import.meta.url);
    const start = { name: 'sluice-recorder', module, data: { ...data, ring } satisfies RecorderWorkerData };
    return spawnMessageThread(start, events);
  };
}
