/** Child module: the gateway's side of the swarm benchmark, one camera behind the front door. */

import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import type { StreamHub } from '../../src/stream/hub.ts';
import { type BenchFrontDoor, startBenchFrontDoor } from '../support/bench-front-door.ts';
import { createBenchHub } from '../support/bench-hub.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { type PublishedPart, PublishLog } from '../support/publish-log.ts';

export interface SwarmGatewayOptions {
  readonly cameraUrl: string;
  readonly viewers: number;
}

export interface SwarmGatewayCalls {
  /** Resolves when the camera plays; returns where each viewer finds its media. */
  start(options: SwarmGatewayOptions): Promise<{ port: number; mediaPaths: string[] }>;
  /** Parts since the last call. */
  take(nothing: null): { parts: PublishedPart[]; usage: ProcessUsage };
  close(nothing: null): Promise<void>;
}

let hub: StreamHub | null = null;
let frontDoor: BenchFrontDoor | null = null;
let published: PublishLog | null = null;

async function start({ cameraUrl, viewers }: SwarmGatewayOptions) {
  hub = createBenchHub({
    onPackager: (packager) => {
      published = new PublishLog(packager);
      return published;
    },
  });
  const uuid = newRuuid();
  const main = new DirectRtspSource({
    url: new CredentialUrl(cameraUrl),
    transport: 'tcp',
    clock: systemClock,
    log: silentLog,
  });
  hub.put({ uuid, fingerprint: cameraUrl, main, sub: null });
  const camera = hub.get(uuid)!;
  camera.touch('sound');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  camera.awaitPlayable('sound', { onReady: () => resolve(), onGone: reject });
  await promise;
  frontDoor = await startBenchFrontDoor(hub, uuid);
  const mediaPaths: string[] = [];
  for (let viewer = 0; viewer < viewers; viewer++) mediaPaths.push(await frontDoor.openShare());
  return { port: frontDoor.port, mediaPaths };
}

const calls: SwarmGatewayCalls = {
  start,
  take: () => ({ parts: published!.take(), usage: processUsage() }),
  close: async () => {
    await frontDoor?.close();
    await hub?.close();
  },
};

responseParent(calls);
