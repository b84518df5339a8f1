/** The thread of uploads: a disk that hangs, or a large file, delays nothing but uploads. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { FileDisk } from '../recording/disk.ts';
import type { SpoolRequest, SpoolWorkerData } from './spool-protocol.ts';
import { SpoolSide } from './spool-side.ts';

function start(port: MessagePort, { folder }: SpoolWorkerData): void {
  const side = new SpoolSide(folder, new FileDisk());
  port.on('message', async (request: SpoolRequest) => {
    const response = await side.respond(request);
    // Segments are moved, not copied.
    const moved =
      request.call.name === 'segment' && 'value' in response && response.value !== null
        ? [(response.value as { bytes: Uint8Array<ArrayBuffer> }).bytes.buffer]
        : [];
    port.postMessage(response, moved);
  });
}

if (parentPort !== null) start(parentPort, workerData as SpoolWorkerData);
