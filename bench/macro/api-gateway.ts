/**
 * Child module: the whole gateway as it normally runs, on a disk store with many NVRs, cameras, shares, doors and
 * alerts. Reports how long the event loop of the media front door was blocked.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/app/config/data-folder.ts';
import { parseConfig } from '../../src/app/config/load-config.ts';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { type Gateway, startGateway } from '../../src/app/stages/gateway.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { keepNewSpaceSmall } from '../../src/core/new-space.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { DOORS } from '../../src/platform/access-control/door.ts';
import { hashApiKey } from '../../src/store/api-key-hash.ts';
import type { StoredEvent } from '../../src/store/event.ts';
import { openStore } from '../../src/store/open-store.ts';
import {
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleShare,
} from '../../src/store/sample-entities-fixture.ts';
import type { Store } from '../../src/store/store.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { type LoopDelay, LoopDelayMeter } from '../support/loop-delay-meter.ts';

export interface ApiGatewaySetup {
  readonly folder: string;
  readonly apiPort: number;
  readonly mediaPort: number;
  readonly nvrs: number;
  readonly shares: number;
  readonly doors: number;
  readonly alerts: number;
}

export interface ApiGatewayReady {
  readonly apiKey: string;
  /** One of the cameras, and what runs all doors. */
  readonly cameraUuid: string;
  readonly controllerUuid: string;
  /** One of the doors, for the write path. */
  readonly doorUuid: string;
}

export interface ApiGatewayCalls {
  start(setup: ApiGatewaySetup): Promise<ApiGatewayReady>;
  /** Since the previous call. */
  loopDelay(nothing: null): LoopDelay;
  usage(nothing: null): ProcessUsage;
  close(nothing: null): Promise<void>;
}

const API_KEY = 'bench-key-0123456789abcdefghijklmnopqrstuvwx';
const SAVED_TOGETHER = 200;

const meter = new LoopDelayMeter();
let gateway: Gateway | null = null;

async function start(setup: ApiGatewaySetup): Promise<ApiGatewayReady> {
  keepNewSpaceSmall();
  const config = parseConfig(
    JSON.stringify({
      listen: { api: `127.0.0.1:${setup.apiPort}`, media: `127.0.0.1:${setup.mediaPort}` },
      data: setup.folder,
      bootstrap: { apiKey: API_KEY },
      api: { rateLimit: 1_000_000 },
      demo: false,
      log: { level: 'silent' },
    }),
    'bench',
    {},
  );
  mkdirSync(setup.folder, { recursive: true });
  const options = { config, env: {}, clock: systemClock, log: silentLog };
  // The first start creates the organization that owns this key.
  await (await startGateway(options)).close();
  const { fieldKey } = loadSecrets(config.data, {});
  const path = join(config.data, DATABASE_FILE);
  const store = await openStore({ kind: 'sqlite', path, fieldKey, clock: systemClock });
  const made = await fill(store, setup);
  await store.close();
  gateway = await startGateway(options);
  meter.start();
  return { apiKey: API_KEY, ...made };
}

/** An NVR, its camera and that camera's portion of the shares, as often as requested; plus doors and alerts. */
async function fill(
  store: Store,
  { nvrs, shares, doors, alerts }: ApiGatewaySetup,
): Promise<Omit<ApiGatewayReady, 'apiKey'>> {
  const key = await store.apiKeys.findByHash(hashApiKey(API_KEY));
  if (key === null) throw new Error('the gateway has not stored its key');
  const { orgUuid } = key;
  const location = sampleLocation(orgUuid);
  await store.locations.save(location);
  const cameraUuids: Ruuid[] = [];
  await inBatches(nvrs, async (index) => {
    const nvr = sampleNvr(orgUuid, { name: `NVR ${index}`, locationUuid: location.uuid });
    const camera = sampleCamera(orgUuid, { name: `Camera ${index}`, nvrUuid: nvr.uuid, fromConfig: false });
    await store.nvrs.save(nvr);
    await store.cameras.save({ ...camera, locationUuid: location.uuid });
    cameraUuids.push(camera.uuid);
  });
  await inBatches(shares, (index) => {
    const cameraUuid = cameraUuids[index % nvrs]!;
    const name = `Share ${index}`;
    return store.shares.save(
      sampleShare(orgUuid, { name, cameraUuid, scheduleUuid: null, passwordHash: null }),
    );
  });
  const cameraUuid = cameraUuids[0]!;
  const controllerUuid = newRuuid();
  const doorUuid = await fillDoors(store, { orgUuid, controllerUuid, locationUuid: location.uuid, doors });
  await fillAlerts(store, { orgUuid, cameraUuid, alerts });
  return { cameraUuid, controllerUuid, doorUuid };
}

/** Resolves with one of them. */
async function fillDoors(
  store: Store,
  {
    orgUuid,
    controllerUuid,
    locationUuid,
    doors,
  }: { orgUuid: Ruuid; controllerUuid: Ruuid; locationUuid: Ruuid; doors: number },
): Promise<Ruuid> {
  const nowMs = systemClock.epochMs();
  const made = Array.from({ length: doors }, (_, index) => ({
    uuid: newRuuid(),
    orgUuid,
    name: `Door ${index}`,
    parentUuid: controllerUuid,
    body: { locationUuid, unlockTimeSec: 5 },
    secret: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }));
  const repository = store.resources.of(DOORS);
  for (let from = 0; from < doors; from += SAVED_TOGETHER) {
    await repository.saveAll(made.slice(from, from + SAVED_TOGETHER));
  }
  return made[0]!.uuid;
}

async function fillAlerts(
  store: Store,
  { orgUuid, cameraUuid, alerts }: { orgUuid: Ruuid; cameraUuid: Ruuid; alerts: number },
): Promise<void> {
  const nowMs = systemClock.epochMs();
  const made = Array.from({ length: alerts }, (_, index): StoredEvent => {
    const atMs = nowMs - index * 1_000;
    const body = { timestampMs: atMs, policyAlertTriggers: ['MOTION_HUMAN'], durationSec: 12 };
    return { orgUuid, kind: 'policyAlert', id: newRuuid(), deviceUuid: cameraUuid, atMs, body };
  });
  for (let from = 0; from < alerts; from += SAVED_TOGETHER) {
    await store.events.add(made.slice(from, from + SAVED_TOGETHER));
  }
}

async function inBatches(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += SAVED_TOGETHER) {
    const batch = Array.from({ length: Math.min(SAVED_TOGETHER, count - from) }, (_, i) => work(from + i));
    await Promise.all(batch);
  }
}

const calls: ApiGatewayCalls = {
  start,
  loopDelay: () => meter.read(),
  usage: processUsage,
  close: async () => gateway?.close(),
};

responseParent(calls);
