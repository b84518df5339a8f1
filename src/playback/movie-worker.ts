/** The thread that makes movies of recordings (docs/design/clips.md#threads). */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../core/clock.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import { openStorage } from '../recording/open-storage.ts';
import type { MovieMessage, MovieNotice, MovieWorkerData } from './movie-protocol.ts';
import { MovieSide } from './movie-side.ts';

async function start(
  port: MessagePort,
  { storage, minFreeBytes, writes = null, isEncrypting = false }: MovieWorkerData,
): Promise<void> {
  const opened = await openStorage(storage, {
    clock: systemClock,
    minFreeBytes,
    writes,
    isWrapping: isEncrypting,
    onUpload: (failure) =>
      send(port, { op: 'upload', failure: failure === null ? null : wireErrorOf(failure) }),
    onRefused: (name, error) => send(port, { op: 'refused', name, failure: wireErrorOf(error) }),
  });
  const side = new MovieSide(opened, minFreeBytes, (notice) => send(port, notice));
  port.on('message', (message: MovieMessage) => void side.take(message));
}

/** Moves the tables instead of copying them. */
function send(port: MessagePort, notice: MovieNotice): void {
  if (notice.op !== 'made') port.postMessage(notice);
  else port.postMessage(notice, [notice.movie.head.buffer, notice.movie.pieces.columns.buffer]);
}

if (parentPort !== null) await start(parentPort, workerData as MovieWorkerData);
