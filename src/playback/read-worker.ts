/** The thread that reads recordings: a disk that hangs holds up nothing else (docs/design/playback.md). */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../core/clock.ts';
import { openStorage } from '../recording/open-storage.ts';
import type { ReadMessage, ReadNotice, ReadWorkerData } from './read-protocol.ts';
import { ReadSide } from './read-side.ts';

async function start(port: MessagePort, { storage, memory }: ReadWorkerData): Promise<void> {
  // It writes nothing: no room is left, and nothing is uploaded.
  const opened = await openStorage(storage, { clock: systemClock, minFreeBytes: 0, writes: null });
  const side = new ReadSide(opened, memory, (notice) => send(port, notice));
  port.on('message', (message: ReadMessage) => void side.take(message));
}

/** Moves the bytes instead of copying them, if they are alone in their memory. */
function send(port: MessagePort, notice: ReadNotice): void {
  if (!('bytes' in notice)) {
    port.postMessage(notice);
    return;
  }
  const { buffer, byteLength } = notice.bytes;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  port.postMessage(notice, isAlone ? [buffer] : []);
}

if (parentPort !== null) await start(parentPort, workerData as ReadWorkerData);
