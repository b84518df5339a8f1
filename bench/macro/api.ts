/**
 * `api`: what the management API serves in a second over 1,000 NVRs and 10,000 shares, and how long it meanwhile holds
 * up the event loop that it shares with the media front door. A long list costs its length in work that cannot be cut
 * up at will, so the delay is measured for each case, beside that of a gateway that does nothing.
 */

import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchOptions, type BenchResult, median, type Row } from '../report.ts';
import { ChildModule, cpuPercent, withChildren } from '../support/child-module.ts';
import type { ApiGatewayCalls, ApiGatewayReady } from './api-gateway.ts';

interface Case {
  /** Of its figures. */
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** A shorter answer is not the whole list. */
  readonly minBytes: number;
  readonly connections: number;
}

interface Measure {
  readonly perSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  readonly cpuPercent: number;
}

const NVRS = 1_000;
const SHARES = 10_000;
const SHORT = { rounds: 1, loadSec: 3, warmUpSec: 1 };
const LONG = { rounds: 5, loadSec: 10, warmUpSec: 3 };
const SHARED_MEMORY = '/dev/shm';

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const base = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  const folder = mkdtempSync(join(base, 'sluice-bench-api-'));
  const gateway = new ChildModule<ApiGatewayCalls>(join(import.meta.dirname, 'api-gateway.ts'));
  try {
    return await withChildren([gateway], async () => {
      const [apiPort, mediaPort] = [await freePort(), await freePort()];
      const ready = await gateway.call('start', { folder, apiPort, mediaPort, nvrs: NVRS, shares: SHARES });
      const result = await measureAll(gateway, `http://127.0.0.1:${apiPort}`, ready, isShort);
      await gateway.call('close', null);
      return result;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  gateway: ChildModule<ApiGatewayCalls>,
  apiUrl: string,
  ready: ApiGatewayReady,
  isShort: boolean,
): Promise<BenchResult> {
  const { rounds, loadSec, warmUpSec } = isShort ? SHORT : LONG;
  await gateway.call('eventLoopDelay', null);
  await pause(loadSec * 1_000);
  const idle = await gateway.call('eventLoopDelay', null);
  const rows: Row[] = [{ case: 'nothing', 'delay p99 ms': idle.p99Ms, 'delay max ms': idle.maxMs }];
  const figures: Record<string, number> = {};
  for (const each of casesOf(ready)) {
    await checkAnswer(apiUrl, each, ready.apiKey);
    const load = (seconds: number) => measure(gateway, apiUrl, each, ready.apiKey, seconds);
    await load(warmUpSec);
    const measured: Measure[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await load(loadSec));
    const of = (field: keyof Measure) => median(measured.map((round) => round[field]));
    rows.push({
      case: each.path.slice('/api/'.length),
      'answers/s': of('perSec'),
      'p50 ms': of('p50Ms'),
      'p99 ms': of('p99Ms'),
      'delay p99 ms': of('delayP99Ms'),
      'delay max ms': of('delayMaxMs'),
      'CPU %': Math.round(of('cpuPercent')),
    });
    figures[`${each.name}PerSec`] = of('perSec');
    figures[`${each.name}P99Ms`] = of('p99Ms');
    figures[`${each.name}DelayP99Ms`] = of('delayP99Ms');
  }
  return { name: 'api', rows, figures };
}

function casesOf({ share: { uuid, cameraUuid } }: ApiGatewayReady): readonly Case[] {
  return [
    {
      name: 'nvrList',
      path: '/api/relay/getMinimalNVRStateList',
      body: {},
      minBytes: NVRS * 100,
      connections: 4,
    },
    {
      name: 'shareList',
      path: '/api/camera/findAllSharedLiveVideoStreams',
      body: {},
      minBytes: SHARES * 100,
      connections: 1,
    },
    {
      name: 'shareUpdate',
      path: '/api/camera/updateSharedLiveVideoStream',
      body: { uuid, cameraUuid, name: 'Renamed', nameUpdated: true },
      minBytes: 100,
      connections: 4,
    },
  ];
}

async function measure(
  gateway: ChildModule<ApiGatewayCalls>,
  apiUrl: string,
  testCase: Case,
  apiKey: string,
  seconds: number,
): Promise<Measure> {
  await gateway.call('eventLoopDelay', null);
  const before = await gateway.call('usage', null);
  const startMs = performance.now();
  const latenciesMs = await loadWith(apiUrl, testCase, apiKey, startMs + seconds * 1_000);
  const elapsedSec = (performance.now() - startMs) / 1_000;
  const after = await gateway.call('usage', null);
  const delay = await gateway.call('eventLoopDelay', null);
  return {
    perSec: latenciesMs.length / elapsedSec,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    delayP99Ms: delay.p99Ms,
    delayMaxMs: delay.maxMs,
    cpuPercent: cpuPercent(before, after),
  };
}

/** Closed loop: each connection asks again when it has the whole answer, in which it looks at nothing. */
async function loadWith(apiUrl: string, testCase: Case, apiKey: string, endMs: number): Promise<number[]> {
  const { path, body, connections } = testCase;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { agent, method: 'POST', headers: headersOf(apiKey) };
  const payload = JSON.stringify(body);
  const latenciesMs: number[] = [];
  const ask = async (): Promise<void> => {
    do {
      const askedMs = performance.now();
      const sent = request(apiUrl + path, options).end(payload);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await once(answer.resume(), 'end');
      if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`);
      latenciesMs.push(performance.now() - askedMs);
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

/** Refusals are answered 200 as well, and would be quick. */
async function checkAnswer(apiUrl: string, { path, body, minBytes }: Case, apiKey: string): Promise<void> {
  const options = { method: 'POST', headers: headersOf(apiKey), body: JSON.stringify(body) };
  const text = await (await fetch(apiUrl + path, options)).text();
  const { error, errorMsg } = JSON.parse(text);
  if (error !== false) throw new Error(`${path}: ${errorMsg}`);
  if (text.length < minBytes) throw new Error(`${path}: ${text.length} bytes are not the whole answer`);
}

function headersOf(apiKey: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-auth-apikey': apiKey, 'x-auth-scheme': 'api-token' };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
