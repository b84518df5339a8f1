/** Child module: one camera behind a front door whose viewers share media paths. */

import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import type { StreamHub } from '../../src/stream/hub.ts';
import { PathKey } from '../../src/stream/window/path-signer.ts';
import { type BenchFrontDoor, startBenchFrontDoor } from '../support/bench-front-door.ts';
import { createBenchHub } from '../support/bench-hub.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { PublishLog } from '../support/publish-log.ts';

/** Since the start. */
export interface OriginCounts {
  readonly publishedParts: number;
  /** Requests of media that viewers share. */
  readonly requests: number;
  readonly bytes: number;
  readonly playlists: number;
  readonly usage: ProcessUsage;
}

export interface CdnGatewayCalls {
  /** Resolves with the port when the camera plays. */
  start(cameraUrl: string): Promise<number>;
  /** Where new viewers find their playlists. */
  openShares(count: number): Promise<string[]>;
  counts(nothing: null): OriginCounts;
  close(nothing: null): Promise<void>;
}

const KEY_BYTES = 32;
const ROTATION_MS = 30_000;

let hub: StreamHub | null = null;
let frontDoor: BenchFrontDoor | null = null;
let published: PublishLog | null = null;
let publishedParts = 0;

async function start(cameraUrl: string): Promise<number> {
  hub = createBenchHub({
    sharedPaths: { key: new PathKey(randomBytes(KEY_BYTES)), lifeMs: ROTATION_MS },
    onPackager: (packager) => {
      published = new PublishLog(packager);
      return published;
    },
  });
  const uuid = newRuuid();
  const url = new CredentialUrl(cameraUrl);
  const main = new DirectRtspSource({ url, transport: 'tcp', clock: systemClock, log: silentLog });
  hub.put({ uuid, fingerprint: cameraUrl, main, sub: null });
  const camera = hub.get(uuid)!;
  camera.touch('sound');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  camera.awaitPlayable('sound', { onReady: () => resolve(), onGone: reject });
  await promise;
  frontDoor = await startBenchFrontDoor(hub, uuid, undefined, true);
  return frontDoor.port;
}

const calls: CdnGatewayCalls = {
  start,
  openShares: async (count) => {
    const paths: string[] = [];
    for (let viewer = 0; viewer < count; viewer++) paths.push(await frontDoor!.openShare());
    return paths;
  },
  counts: () => {
    publishedParts += published!.take().length;
    const { traffic } = frontDoor!;
    return {
      publishedParts,
      requests: frontDoor!.sharedRequests(),
      bytes: traffic.sharedBytes,
      playlists: traffic.playlists,
      usage: processUsage(),
    };
  },
  close: async () => {
    await frontDoor?.close();
    await hub?.close();
  },
};

responseParent(calls);
