/** The recorder's thread: nothing that the disk does delays the media. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../core/clock.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import { signingKey } from '../evidence/signing-key.ts';
import { readBootId } from './boot-id.ts';
import { openStorage } from './open-storage.ts';
import type { RecorderMessage, RecorderNotice, RecorderWorkerData } from './recorder-protocol.ts';
import { RecorderSide } from './recorder-side.ts';
import { RecordingKeys } from './recording-cipher.ts';
import { RingReader } from './shared-ring.ts';

async function start(port: MessagePort, data: RecorderWorkerData): Promise<void> {
  const { storage, isEncrypting, signing, ring, limits, isNumbered = false } = data;
  const send = (notice: RecorderNotice): void => port.postMessage(notice);
  const owners = new Map<string, string>();
  const side = new RecorderSide({
    storage: await openStorage(storage, {
      writes: 'recordings',
      clock: systemClock,
      minFreeBytes: limits.minFreeBytes,
      onUpload: (failure) => send({ op: 'upload', failure: failure === null ? null : wireErrorOf(failure) }),
      onRefused: (name, error) => send({ op: 'refused', name, failure: wireErrorOf(error) }),
      onSpool: (spool) => send({ op: 'spool', spool }),
      organizationOf: (cameraUuid) => owners.get(cameraUuid) ?? null,
    }),
    keys: isEncrypting ? new RecordingKeys(storage.key) : null,
    ...(signing === null ? {} : { signer: signingKey(signing.secret, signing.generation) }),
    ring: new RingReader(ring),
    limits,
    isNumbered,
    clock: systemClock,
    bootId: readBootId(),
    send,
    onOwner: (cameraUuid, organization) => void owners.set(cameraUuid, organization),
  });
  port.on('message', (message: RecorderMessage) => {
    const done = side.take(message);
    if (message.op === 'stop') void done.then(() => port.close());
  });
}

if (parentPort !== null) await start(parentPort, workerData as RecorderWorkerData);
