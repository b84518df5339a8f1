/** A thread for tests of ViewerThreads: the host it is to listen at says how it behaves. */

import { parentPort, workerData } from 'node:worker_threads';
import { linkThreads } from '../../threads/thread-link.ts';
import type { DeskCalls, ViewerThreadCalls, ViewerThreadData } from './viewer-thread-calls.ts';

const { listen, log } = workerData as ViewerThreadData;

const STATE = {
  connections: { open: 1, madeRoom: 2, refused: 3 },
  waiting: 4,
  responses: 5,
  cuts: { access: 6, 'too-slow': 7, recalled: 8 },
  playlists: 9,
  viewers: 10,
  windows: 11,
  busySec: 12,
};

const desk = linkThreads<DeskCalls, ViewerThreadCalls>(parentPort!, {
  async start() {
    if (listen.host === 'broken') return fail();
    await desk.logged([log.level]);
    await desk.report({ notes: [], dropped: [] }, [], STATE);
    return listen.port === 0 ? 4_711 : listen.port;
  },
  slabShared: () => undefined,
  slabForgotten: () => undefined,
  windowOpened: () => undefined,
  partPublished: () => undefined,
  waitsFailed: () => undefined,
  windowClosed: () => undefined,
  leaseEnded: () => undefined,
  leaseChanged: () => undefined,
  setLogLevel: (level) => void (level === 'silent' ? fail() : undefined),
  setCertificate: () => undefined,
  leave: () => undefined,
  close: async () => undefined,
});

/** Like a defect: nothing catches it. */
function fail(): Promise<never> {
  setImmediate(() => {
    throw new Error('a defect');
  });
  return new Promise(() => undefined);
}
