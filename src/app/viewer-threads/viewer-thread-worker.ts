/** The entry point of a viewer thread. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { Outbox } from '../../threads/outbox.ts';
import { linkThreads } from '../../threads/thread-link.ts';
import { createLog } from '../process/logging.ts';
import { ViewerSide } from './viewer-side.ts';
import type { DeskCalls, ViewerThreadCalls, ViewerThreadData } from './viewer-thread-calls.ts';

function serve(port: MessagePort, data: ViewerThreadData): void {
  // Everything else of this thread logs later.
  let keep: (line: string) => void = () => undefined;
  const log = createLog({ ...data.log, onLine: (line) => keep(line) });
  const side: ViewerSide = new ViewerSide(data, { desk: () => desk, clock: systemClock, log });
  const desk = linkThreads<DeskCalls, ViewerThreadCalls>(port, {
    start: () => side.start(),
    slabShared: (slabId, memory) => side.cameras.slabShared(slabId, memory),
    slabForgotten: (slabId) => side.cameras.slabForgotten(slabId),
    windowOpened: (address, state) => side.cameras.windowOpened(address, state),
    partPublished: (windowId, part, partTargetMs) => side.cameras.partPublished(windowId, part, partTargetMs),
    waitsFailed: (windowId, error) => side.cameras.waitsFailed(windowId, error),
    windowClosed: (windowId) => side.cameras.windowClosed(windowId),
    leaseEnded: (id, refusal) => side.sessions.end(id, refusal),
    leaseChanged: (id, sharesPaths) => side.sessions.change(id, sharesPaths),
    setLogLevel: (level) => log.setLevel(level),
    setCertificate: (certificate) => side.setCertificate(certificate),
    leave: () => side.leave(),
    close: () => side.close(),
  });
  const outbox = new Outbox<string>({
    send: async (lines) => void (await desk.logged(lines)),
    // They are in the log itself.
    mayDrop: () => true,
    onDropped: () => undefined,
  });
  keep = (line) => outbox.add(line);
}

if (parentPort !== null) serve(parentPort, workerData as ViewerThreadData);
