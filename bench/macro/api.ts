/**
 * `api`: requests per second of the management API with 1,000 NVRs and 10,000 shares, and how long it blocks the event loop
 * of the media front door in the meantime. Long lists, pages, writes and batches of reports are each measured. The clients
 * and the API's thread keep the machine busy, which makes every thread wait. So an idle event loop in a separate process is
 * measured at the same time.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { type BenchOptions, type BenchResult, median, type Row } from '../report.ts';
import { ChildModule, cpuPercent, withChildren } from '../support/child-module.ts';
import type { LoopDelay } from '../support/loop-delay-meter.ts';
import type { ApiGatewayCalls, ApiGatewayReady } from './api-gateway.ts';
import type { ApiReferenceCalls } from './api-reference.ts';

interface Case {
  /** Prefix of its figures. */
  readonly name: string;
  readonly path: string;
  /** Body of the request with this number. */
  readonly body: (index: number) => object;
  readonly apiKey: string;
  /** A shorter response is not the whole list. */
  readonly minBytes: number;
  readonly connections: number;
}

interface Measure {
  readonly perSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly delays: Delays;
  readonly cpuPercent: number;
}

interface Delays {
  /** Delay of the front door's event loop. */
  readonly media: LoopDelay;
  /** Delay of the idle reference's event loop, at the same time. */
  readonly reference: LoopDelay;
}

interface Measured {
  readonly gateway: ChildModule<ApiGatewayCalls>;
  readonly reference: ChildModule<ApiReferenceCalls>;
}

const NVRS = 1_000;
const SHARES = 10_000;
const DOORS = 1_000;
const ALERTS = 2_000;
const REPORTED_ROWS = 1_000;
const DAY_MS = 86_400_000;
const SHORT = { rounds: 1, loadSec: 3, warmUpSec: 1 };
const LONG = { rounds: 5, loadSec: 10, warmUpSec: 3 };
const SHARED_MEMORY = '/dev/shm';

/** Requests made so far: no two have the same body where that matters. */
let bodies = 0;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const base = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  const folder = mkdtempSync(join(base, 'sluice-bench-api-'));
  const gateway = new ChildModule<ApiGatewayCalls>(join(import.meta.dirname, 'api-gateway.ts'));
  const reference = new ChildModule<ApiReferenceCalls>(join(import.meta.dirname, 'api-reference.ts'));
  try {
    return await withChildren([gateway, reference], async () => {
      const [apiPort, mediaPort] = [await freePort(), await freePort()];
      const ready = await gateway.call('start', {
        folder,
        apiPort,
        mediaPort,
        nvrs: NVRS,
        shares: SHARES,
        doors: DOORS,
        alerts: ALERTS,
      });
      const result = await measureAll({ gateway, reference }, `http://127.0.0.1:${apiPort}`, ready, isShort);
      await gateway.call('close', null);
      return result;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  processes: Measured,
  apiUrl: string,
  ready: ApiGatewayReady,
  isShort: boolean,
): Promise<BenchResult> {
  const { rounds, loadSec, warmUpSec } = isShort ? SHORT : LONG;
  await readDelays(processes);
  await pause(loadSec * 1_000);
  const rows: Row[] = [{ case: 'nothing', ...delayCells(await readDelays(processes)) }];
  const figures: Record<string, number> = {};
  for (const each of casesOf(ready)) {
    await checkResponse(apiUrl, each);
    const load = (seconds: number) => measure(processes, apiUrl, each, seconds);
    await load(warmUpSec);
    const measured: Measure[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await load(loadSec));
    const of = (field: Exclude<keyof Measure, 'delays'>) => median(measured.map((round) => round[field]));
    const media = medianDelay(measured.map(({ delays }) => delays.media));
    const reference = medianDelay(measured.map(({ delays }) => delays.reference));
    rows.push({
      case: each.path.slice('/api/'.length),
      'answers/s': of('perSec'),
      'p50 ms': of('p50Ms'),
      'p99 ms': of('p99Ms'),
      ...delayCells({ media, reference }),
      'CPU %': Math.round(of('cpuPercent')),
    });
    figures[`${each.name}PerSec`] = of('perSec');
    figures[`${each.name}P99Ms`] = of('p99Ms');
    figures[`${each.name}DelayMs`] = media.p999Ms;
    figures[`${each.name}DelayOverReferenceMs`] = Math.max(0, media.p999Ms - reference.p999Ms);
    figures[`${each.name}HeldMs`] = media.ownP999Ms;
    figures[`${each.name}HeldMaxMs`] = media.ownMaxMs;
  }
  return { name: 'api', rows, figures };
}

function delayCells({ media, reference }: Delays): Omit<Row, 'case'> {
  return {
    'delay p99 ms': media.p99Ms,
    'delay p99.9 ms': media.p999Ms,
    'reference p99.9 ms': reference.p999Ms,
    'delay max ms': media.maxMs,
    'reference max ms': reference.maxMs,
    'held p99.9 ms': media.ownP999Ms,
    'held max ms': media.ownMaxMs,
  };
}

/** Since the previous reading. */
async function readDelays({ gateway, reference }: Measured): Promise<Delays> {
  const [media, nothing] = await Promise.all([
    gateway.call('loopDelay', null),
    reference.call('loopDelay', null),
  ]);
  return { media, reference: nothing };
}

function medianDelay(delays: readonly LoopDelay[]): LoopDelay {
  const of = (field: keyof LoopDelay) => median(delays.map((delay) => delay[field]));
  return {
    p99Ms: of('p99Ms'),
    p999Ms: of('p999Ms'),
    maxMs: of('maxMs'),
    ownP999Ms: of('ownP999Ms'),
    ownMaxMs: of('ownMaxMs'),
  };
}

function casesOf(ready: ApiGatewayReady): readonly Case[] {
  const { apiKey, cameraUuid, controllerUuid } = ready;
  const nothing = () => ({});
  const list = (name: string, path: string, minBytes: number, connections: number): Case => {
    return { name, path, body: nothing, apiKey, minBytes, connections };
  };
  return [
    list('nvrList', '/api/relay/getMinimalNVRStateList', NVRS * 100, 4),
    list('shareList', '/api/camera/findAllSharedLiveVideoStreams', SHARES * 100, 1),
    list('shareListMany', '/api/camera/findAllSharedLiveVideoStreams', SHARES * 100, 16),
    list('cameraList', '/api/camera/getMinimalCameraStateList', NVRS * 100, 4),
    {
      name: 'doorList',
      path: '/api/component/findAccessControlledDoorsByOwnerDevice',
      body: () => ({ ownerDeviceUuid: controllerUuid }),
      apiKey,
      minBytes: DOORS * 100,
      connections: 4,
    },
    {
      name: 'alertPage',
      path: '/api/event/getPolicyAlertsV2',
      body: () => ({ maxResults: 500 }),
      apiKey,
      minBytes: 500 * 100,
      connections: 4,
    },
    {
      name: 'doorUpdate',
      path: '/api/component/updateAccessControlledDoor',
      body: (index) => ({ accessControlledDoorUuid: ready.doorUuid, unlockTimeSec: 1 + (index % 9) }),
      apiKey,
      minBytes: 100,
      connections: 4,
    },
    {
      name: 'crossingBatch',
      path: '/api/ingest/thresholdCrossings',
      body: (batch) => ({ rows: crossings(cameraUuid, batch) }),
      apiKey,
      minBytes: 50,
      connections: 1,
    },
    {
      name: 'alertBatch',
      path: '/api/ingest/policyAlerts',
      body: () => ({ rows: alerts(cameraUuid) }),
      apiKey,
      minBytes: 50,
      connections: 1,
    },
    {
      name: 'crossingReport',
      path: '/api/report/getThresholdCrossingCountReportForOrg',
      body: () => ({
        startTimeMs: 0,
        endTimeMs: 30 * DAY_MS,
        bucketSize: 'QUARTER_HOUR',
        timeZone: 'Europe/Berlin',
        crossingObject: 'HUMAN',
        dedupe: false,
      }),
      apiKey,
      minBytes: 50,
      connections: 1,
    },
  ];
}

/** Rows that were not reported before. */
function crossings(deviceUuid: string, batch: number): object[] {
  return Array.from({ length: REPORTED_ROWS }, (_, index) => ({
    id: `${batch}-${index}`,
    deviceUuid,
    timestampMs: (batch * 60_000 + index) % (30 * DAY_MS),
    crossingObject: 'HUMAN',
    objectId: index,
    direction: 'INGRESS',
  }));
}

function alerts(deviceUuid: string): object[] {
  return Array.from({ length: REPORTED_ROWS }, (_, index) => ({
    uuid: randomBytes(16).toString('base64url'),
    deviceUuid,
    timestampMs: 60_000 + index,
    policyAlertTriggers: ['MOTION_HUMAN'],
    textDescription: 'Motion at the front desk',
    durationSec: 12,
  }));
}

async function measure(
  processes: Measured,
  apiUrl: string,
  testCase: Case,
  seconds: number,
): Promise<Measure> {
  const { gateway } = processes;
  await readDelays(processes);
  const before = await gateway.call('usage', null);
  const startMs = performance.now();
  const latenciesMs = await loadWith(apiUrl, testCase, startMs + seconds * 1_000);
  const elapsedSec = (performance.now() - startMs) / 1_000;
  const after = await gateway.call('usage', null);
  const delays = await readDelays(processes);
  return {
    perSec: latenciesMs.length / elapsedSec,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    delays,
    cpuPercent: cpuPercent(before, after),
  };
}

/** Closed loop: each connection makes the next request when it has the whole response, whose content it ignores. */
async function loadWith(apiUrl: string, testCase: Case, endMs: number): Promise<number[]> {
  const { path, connections } = testCase;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { agent, method: 'POST', headers: headersOf(testCase.apiKey) };
  const latenciesMs: number[] = [];
  const ask = async (): Promise<void> => {
    do {
      const payload = JSON.stringify(testCase.body(bodies++));
      const requestedMs = performance.now();
      const sent = request(apiUrl + path, options).end(payload);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await once(answer.resume(), 'end');
      if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`);
      latenciesMs.push(performance.now() - requestedMs);
    } while (performance.now() < endMs);
  };
  await Promise.all(Array.from({ length: connections }, ask));
  agent.destroy();
  return latenciesMs;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** Refusals have status 200 as well, and would be fast. */
async function checkResponse(apiUrl: string, { path, body, minBytes, apiKey }: Case): Promise<void> {
  const options = { method: 'POST', headers: headersOf(apiKey), body: JSON.stringify(body(bodies++)) };
  const text = await (await fetch(apiUrl + path, options)).text();
  const { error, errorMsg } = JSON.parse(text);
  if (error !== false) throw new Error(`${path}: ${errorMsg}`);
  if (text.length < minBytes) throw new Error(`${path}: ${text.length} bytes are not the whole answer`);
}

function headersOf(apiKey: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-auth-apikey': apiKey, 'x-auth-scheme': 'api-token' };
}
