/** Child module: one camera with a high bit rate behind the front door; reports how much memory its media takes. */

import { newRuuid } from '../../../src/core/ruuid.ts';
import { startBenchFrontDoor } from '../../support/bench-front-door.ts';
import { createBenchHub } from '../../support/bench-hub.ts';
import { responseParent } from '../../support/child-module.ts';
import { type PacedShape, PacedSource } from '../../support/paced-source.ts';

export interface SlowReadersSetup {
  readonly shape: PacedShape;
  readonly maxWindowBytes: number;
}

export interface SlowReadersGatewayCalls {
  /** Resolves when the camera plays; returns where two viewers find their media, with slashes at the end. */
  start(setup: SlowReadersSetup): Promise<{ port: number; hostilePath: string; honestPath: string }>;
  /** Bytes of buffers that were not given back to the system, after a collection or without one. */
  bufferBytes(options: { readonly isCollected: boolean }): number;
}

async function start({ shape, maxWindowBytes }: SlowReadersSetup) {
  const hub = createBenchHub({ limits: { maxWindowBytes } });
  const uuid = newRuuid();
  hub.put({ uuid, fingerprint: 'paced', main: new PacedSource(shape), sub: null });
  const camera = hub.get(uuid)!;
  camera.touch('sound');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  camera.awaitPlayable('sound', { onReady: () => resolve(), onGone: reject });
  await promise;
  const frontDoor = await startBenchFrontDoor(hub, uuid);
  return {
    port: frontDoor.port,
    hostilePath: await frontDoor.openShare(),
    honestPath: await frontDoor.openShare(),
  };
}

const calls: SlowReadersGatewayCalls = {
  start,
  bufferBytes: ({ isCollected }) => {
    if (isCollected) globalThis.gc!();
    return process.memoryUsage().arrayBuffers;
  },
};

responseParent(calls);
