/**
 * Child module: the whole gateway, with the API and the media front door on one event loop as it is run, over a store
 * on disk with many NVRs and shares. Tells how long that event loop was held up.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseConfig } from '../../src/app/config/load-config.ts';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { DATABASE_FILE } from '../../src/app/data-folder.ts';
import { type Gateway, startGateway } from '../../src/app/gateway.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { hashApiKey } from '../../src/store/api-key-hash.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleCamera, sampleLocation, sampleNvr, sampleShare } from '../../src/store/sample-entities.ts';
import type { Store } from '../../src/store/store.ts';
import { answerParent, type ProcessUsage, processUsage } from '../support/child-module.ts';

export interface ApiGatewaySetup {
  readonly folder: string;
  readonly apiPort: number;
  readonly mediaPort: number;
  readonly nvrs: number;
  readonly shares: number;
}

export interface ApiGatewayReady {
  readonly apiKey: string;
  /** One of the shares, for the write path. */
  readonly share: { readonly uuid: string; readonly cameraUuid: string };
}

/** Of the time since the reading before. Longer than the clock's own step means: something held the event loop up. */
export interface EventLoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface ApiGatewayCalls {
  start(setup: ApiGatewaySetup): Promise<ApiGatewayReady>;
  eventLoopDelay(nothing: null): EventLoopDelay;
  usage(nothing: null): ProcessUsage;
  close(nothing: null): Promise<void>;
}

const API_KEY = 'bench-key-0123456789abcdefghijklmnopqrstuvwx';
const SAVED_TOGETHER = 200;
/** The histogram counts from one tick of its timer to the next: the tick itself is no delay. */
const TICK_MS = 1;

const histogram = monitorEventLoopDelay({ resolution: TICK_MS });
let gateway: Gateway | null = null;

async function start(setup: ApiGatewaySetup): Promise<ApiGatewayReady> {
  const config = parseConfig(
    JSON.stringify({
      listen: { api: `127.0.0.1:${setup.apiPort}`, media: `127.0.0.1:${setup.mediaPort}` },
      data: setup.folder,
      bootstrap: { apiKey: API_KEY },
      api: { rateLimit: 1_000_000 },
      demo: false,
    }),
    'bench',
    {},
  );
  mkdirSync(setup.folder, { recursive: true });
  const options = { config, env: {}, clock: systemClock, log: silentLog };
  // The first start makes the organisation whose key this is.
  await (await startGateway(options)).close();
  const { fieldKey } = loadSecrets(config.data, {});
  const path = join(config.data, DATABASE_FILE);
  const store = await openStore({ kind: 'sqlite', path, fieldKey, clock: systemClock });
  const share = await fill(store, setup);
  await store.close();
  gateway = await startGateway(options);
  histogram.enable();
  return { apiKey: API_KEY, share };
}

/** An NVR, its camera and that camera's part of the shares, as often as asked for. */
async function fill(store: Store, { nvrs, shares }: ApiGatewaySetup): Promise<ApiGatewayReady['share']> {
  const key = await store.apiKeys.findByHash(hashApiKey(API_KEY));
  if (key === null) throw new Error('the gateway has not stored its key');
  const { orgUuid } = key;
  const location = sampleLocation(orgUuid);
  await store.locations.save(location);
  const cameraUuids: Ruuid[] = [];
  await inBatches(nvrs, async (index) => {
    const nvr = sampleNvr(orgUuid, { name: `NVR ${index}`, locationUuid: location.uuid });
    const camera = sampleCamera(orgUuid, { name: `Camera ${index}`, nvrUuid: nvr.uuid });
    await store.nvrs.save(nvr);
    await store.cameras.save({ ...camera, locationUuid: location.uuid });
    cameraUuids.push(camera.uuid);
  });
  const made = (index: number) =>
    sampleShare(orgUuid, {
      name: `Share ${index}`,
      cameraUuid: cameraUuids[index % nvrs]!,
      scheduleUuid: null,
      passwordHash: null,
    });
  const first = made(0);
  await store.shares.save(first);
  await inBatches(shares - 1, (index) => store.shares.save(made(index + 1)));
  return first;
}

async function inBatches(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += SAVED_TOGETHER) {
    const batch = Array.from({ length: Math.min(SAVED_TOGETHER, count - from) }, (_, i) => work(from + i));
    await Promise.all(batch);
  }
}

function eventLoopDelay(): EventLoopDelay {
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - TICK_MS);
  const delay = {
    p50Ms: delayMs(histogram.percentile(50)),
    p99Ms: delayMs(histogram.percentile(99)),
    maxMs: delayMs(histogram.max),
  };
  histogram.reset();
  return delay;
}

const calls: ApiGatewayCalls = {
  start,
  eventLoopDelay,
  usage: processUsage,
  close: async () => gateway?.close(),
};

answerParent(calls);
