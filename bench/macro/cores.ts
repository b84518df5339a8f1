/**
 * `cores`: the gain from viewer threads, on a running gateway.
 *
 * - Playlists and parts served by one thread and by two. Load and gateway share the machine, so the rate is not responses
 *   per second, but per second of the gateway's processor time, less its use without load. With two threads twice as many
 *   cores can work, so twice this rate over that of one thread is the gain from the second core.
 * - Blocking viewers of one stream: how long after a part was complete the last one has the playlist with it, and the part
 *   (cores/swarm.ts).
 * - Cameras that the thread that packages can carry, when it reads them and when camera threads do.
 * - The effect on viewers while the thread that carries the cameras collects its whole heap, or a camera floods it.
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestGateway, type TestShare } from '../../test/support/gateway.ts';
import { openShare } from '../../test/support/hls.ts';
import { readPlaylistText } from '../../test/support/playlist-text.ts';
import { until } from '../../test/support/until.ts';
import { type BenchOptions, type BenchResult, median, percentile, type Row } from '../report.ts';
import type { CameraFleetCalls } from '../support/camera-fleet.ts';
import { ChildModule, hrtimeMs, withChildren } from '../support/child-module.ts';
import { foreignCpuMicros } from '../support/foreign-process.ts';
import { HttpLoad, requestText } from '../support/http-load.ts';
import { measureCameraThreads } from './cores/camera-threads.ts';
import { collectFully, FloodingCamera } from './cores/disturbance.ts';
import { Steady } from './cores/steady.ts';
import { measureSwarm, viewerThreadMicros } from './cores/swarm.ts';

const SHORT = {
  rounds: 3,
  loadSec: 2,
  viewers: 500,
  swarmMs: 8_000,
  calmMs: 5_000,
  disturbedMs: 5_000,
  cameras: 20,
  warmUpMs: 20_000,
  measureMs: 10_000,
};
const LONG = {
  rounds: 7,
  loadSec: 4,
  viewers: 5_000,
  swarmMs: 30_000,
  calmMs: 20_000,
  disturbedMs: 20_000,
  cameras: 100,
  warmUpMs: 40_000,
  measureMs: 30_000,
};
type Plan = typeof SHORT;

const CAMERA = { cameras: 1, widthPx: 1_280, heightPx: 720, bitrateBitsPerSec: 1_000_000 };
const FLEET = {
  kinds: ['H.264+AAC'],
  widthPx: 1_920,
  heightPx: 1_080,
  bitrateBitsPerSec: 4_000_000,
} as const;
const CONNECTIONS = 48;
const IDLE_MS = 3_000;
/** Sessions of one share from one address are limited. */
const VIEWERS_PER_SHARE = 2_500;
const CONFIG = {
  hls: { idleStop: '30m' },
  // Viewers are many, with two connections each, and have one address.
  access: { opensPerMinute: 1_000_000, maxConnectionsPerAddress: 20_000 },
  sources: { backoffMin: '200ms', backoffMax: '1s' },
  log: { level: 'info', format: 'json' },
};

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const plan = isShort ? SHORT : LONG;
  const fleet = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  return withChildren([fleet], async () => {
    const [url] = await fleet.call('start', CAMERA);
    const cameras = [{ name: 'Bench', rtsp: url }];
    const throughput = await measureThroughput(cameras, plan);
    const swarm = await measureViewers(cameras, plan);
    const calm = await measureCalm(cameras, plan);
    const urls = await fleet.call('start', { ...FLEET, cameras: plan.cameras });
    const carried = await measureCameraThreads(CONFIG, urls, plan);
    return {
      name: 'cores',
      rows: [...throughput.rows, swarm.row, ...calm.rows, ...carried.rows],
      figures: { ...throughput.figures, ...swarm.figures, ...calm.figures, ...carried.figures },
    };
  });
}

interface Served {
  readonly threads: number;
  readonly gateway: TestGateway;
  readonly playlistUrls: readonly string[];
}

async function serve(threads: number, cameras: object[], viewers: number): Promise<Served> {
  const gateway = await TestGateway.start({ ...CONFIG, threads: { viewers: threads }, cameras });
  const shares: TestShare[] = [];
  for (let i = 0; i < viewers; i += VIEWERS_PER_SHARE) shares.push(await gateway.share('Bench'));
  const playlistUrls: string[] = [];
  for (let i = 0; i < viewers; i++) {
    const page = await openShare(shares[Math.floor(i / VIEWERS_PER_SHARE)]!.m3u8Url);
    playlistUrls.push(page.replace('stream.m3u8', 'file.m3u8'));
  }
  return { threads, gateway, playlistUrls };
}

/** Responses per second of the gateway's processor time. */
interface Rates {
  readonly playlists: number;
  readonly parts: number;
  /** Processor share of each viewer thread during the load, which shows that they work in parallel. */
  readonly shares: readonly number[];
}

async function measureThroughput(
  cameras: object[],
  plan: Plan,
): Promise<{ rows: Row[]; figures: Record<string, number> }> {
  const served = [await serve(1, cameras, CONNECTIONS), await serve(2, cameras, CONNECTIONS)];
  try {
    const rounds: Rates[][] = served.map(() => []);
    // The first one warms up.
    for (let round = 0; round <= plan.rounds; round++) {
      for (const [index, one] of served.entries()) {
        const rates = await ratesOf(one, plan.loadSec);
        if (round > 0) rounds[index]!.push(rates);
      }
    }
    const [one, two] = rounds as [Rates[], Rates[]];
    const ratio = (of: (rates: Rates) => number): number =>
      median(two.map((rates, round) => (2 * of(rates)) / of(one[round]!)));
    const rows = served.map(({ threads }, index) => ({
      case: `${threads} viewer thread${threads === 1 ? '' : 's'}`,
      'playlists per CPU s': median(rounds[index]!.map(({ playlists }) => playlists)),
      'parts per CPU s': median(rounds[index]!.map(({ parts }) => parts)),
      'threads busy': rounds[index]!.at(-1)!
        .shares.map((share) => share.toFixed(2))
        .join(' + '),
    }));
    return {
      rows,
      figures: {
        playlistsOnTwoCores: ratio(({ playlists }) => playlists),
        partsOnTwoCores: ratio(({ parts }) => parts),
      },
    };
  } finally {
    for (const { gateway } of served) await gateway.dispose();
  }
}

async function ratesOf({ gateway, playlistUrls }: Served, loadSec: number): Promise<Rates> {
  const pid = gateway.child.process.pid!;
  const port = Number(new URL(gateway.mediaUrl).port);
  const { segments } = readPlaylistText(await (await fetch(playlistUrls[0]!)).text());
  const partUri = segments.at(-1)!.parts.at(-1)!.uri;
  const idle = await cpuPerMs(pid, () => delay(IDLE_MS));
  const shares: number[] = [];
  const rate = async (name: string, requests: readonly string[]): Promise<number> => {
    const load = new HttpLoad(
      name,
      port,
      requests.map((request) => [request]),
    );
    const threadsBefore = viewerThreadMicros(pid);
    const before = { cpu: foreignCpuMicros(pid), atMs: hrtimeMs() };
    const { answers } = await load.run(loadSec);
    const elapsedMs = hrtimeMs() - before.atMs;
    const cpuMicros = foreignCpuMicros(pid) - before.cpu - idle * elapsedMs;
    const busy = viewerThreadMicros(pid).map((micros, i) => (micros - threadsBefore[i]!) / 1_000 / elapsedMs);
    shares.splice(0, shares.length, ...busy);
    load.close();
    return (answers / cpuMicros) * 1e6;
  };
  const parts = await rate(
    'part',
    playlistUrls.map((url) => requestText(new URL(partUri, url).href)),
  );
  const playlists = await rate(
    'playlist',
    playlistUrls.map((url) => requestText(`${url}?_HLS_skip=YES`)),
  );
  return { playlists, parts, shares };
}

/** Microseconds of processor time per millisecond. */
async function cpuPerMs(pid: number, wait: () => Promise<void>): Promise<number> {
  const before = { cpu: foreignCpuMicros(pid), atMs: hrtimeMs() };
  await wait();
  return (foreignCpuMicros(pid) - before.cpu) / (hrtimeMs() - before.atMs);
}

async function measureViewers(
  cameras: object[],
  plan: Plan,
): Promise<{ row: Row; figures: Record<string, number> }> {
  const { gateway, playlistUrls } = await serve(2, cameras, plan.viewers);
  try {
    return await measureSwarm({ gatewayPid: gateway.child.process.pid!, playlistUrls }, plan.swarmMs);
  } finally {
    await gateway.dispose();
  }
}

async function measureCalm(
  cameras: object[],
  plan: Plan,
): Promise<{ rows: Row[]; figures: Record<string, number> }> {
  const { gateway, playlistUrls } = await serve(2, cameras, CONNECTIONS);
  const flood = new FloodingCamera();
  const steady = new Steady(playlistUrls);
  try {
    await steady.measure(IDLE_MS);
    const calm = await steady.measure(plan.calmMs);
    let collections: number[] = [];
    const collected = await steady.measure(plan.disturbedMs, async () => {
      collections = await collectFully(gateway, plan.disturbedMs);
    });
    const settled = await steady.measure(plan.calmMs);
    const flooding = { name: 'Flood', rtsp: await flood.start(), transport: 'tcp', recording: 'always' };
    await gateway.configure({ ...CONFIG, threads: { viewers: 2 }, cameras: [...cameras, flooding] });
    gateway.child.process.kill('SIGHUP');
    await until('the flood', () => gateway.child.lines.some((line) => line.includes('DIRECT_FLOOD')));
    const flooded = await steady.measure(plan.disturbedMs);
    const row = (name: string, latencies: readonly number[], more: object = {}): Row => ({
      case: name,
      requests: latencies.length,
      'p50 ms': median(latencies),
      'p99 ms': percentile(latencies, 0.99),
      ...more,
    });
    return {
      rows: [
        row('undisturbed', calm),
        row('whole collections', collected, { 'collection ms': median(collections) }),
        row('undisturbed again', settled),
        row('a camera floods', flooded),
      ],
      figures: {
        collectionMovesP99Ms: percentile(collected, 0.99) - percentile(calm, 0.99),
        floodMovesP99Ms: percentile(flooded, 0.99) - percentile(settled, 0.99),
      },
    };
  } finally {
    steady.close();
    await gateway.dispose();
    await flood.end();
  }
}
