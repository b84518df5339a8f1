/**
 * `cores`: what viewer threads bring, on a running gateway.
 *
 * - Playlists and parts served by one thread and by two. Load and gateway share the machine, so the rate is not responses per
 *   second, but per second of the gateway's processor time, less what it takes without load. With two threads twice as many
 *   cores can work, so twice this rate over that of one thread is what the second core brings.
 * - Blocking viewers of one stream: how long after a part was complete, by the playlist's own times, the last one has
 *   the playlist with it and the part. The viewers need the same cores: what of it the gateway works, and for how long it waits
 *   for a core, is measured beside it.
 * - Cameras that the thread that packages can carry, when it reads them and when camera threads do.
 * - What viewers notice while the thread that carries the cameras collects its whole heap, or a camera floods it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestGateway, type TestShare } from '../../test/support/gateway.ts';
import { openShare } from '../../test/support/hls.ts';
import { readPlaylistText } from '../../test/support/playlist-text.ts';
import { until } from '../../test/support/until.ts';
import { type BenchOptions, type BenchResult, median, percentile, type Row } from '../report.ts';
import type { CameraFleetCalls } from '../support/camera-fleet.ts';
import { ChildModule, hrtimeMs, withChildren } from '../support/child-module.ts';
import { foreignCpuMicros, threadCpuMicros, threadWaitMicros } from '../support/foreign-process.ts';
import { HttpLoad, requestText } from '../support/http-load.ts';
import { measureCameraThreads } from './cores/camera-threads.ts';
import { collectFully, FloodingCamera } from './cores/disturbance.ts';
import { Steady } from './cores/steady.ts';
import type { ServedPart, SwarmViewerCalls } from './swarm-viewers.ts';

const SHORT = {
  ...{ rounds: 3, loadSec: 2, viewers: 500, swarmMs: 8_000, calmMs: 5_000, disturbedMs: 5_000 },
  ...{ cameras: 20, warmUpMs: 20_000, measureMs: 10_000 },
};
const LONG = {
  ...{ rounds: 7, loadSec: 4, viewers: 5_000, swarmMs: 30_000, calmMs: 20_000, disturbedMs: 20_000 },
  ...{ cameras: 100, warmUpMs: 40_000, measureMs: 30_000 },
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
const VIEWERS_PER_CROWD = 2_500;
const DRAIN_MS = 2_000;
const THREAD_NAME = 'sluice-viewers-';
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
    const swarm = await measureSwarm(cameras, plan);
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
  /** Of each viewer thread, in the time of the load: that they work at the same time. */
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

function viewerThreads(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .filter((tid) => readFileSync(`${tasks}/${tid}/comm`, 'latin1').startsWith(THREAD_NAME))
    .map(Number);
}

function viewerThreadMicros(pid: number): number[] {
  return viewerThreads(pid).map(threadCpuMicros);
}

/**
 * Of the busiest viewer thread: how long it works, and how long it waits for a core that others have, such as the viewers.
 * Responses are written when their part comes, one after another, and the next requests are read behind them. So with a core of its
 * own, the last write would reach the kernel at most as long after the part as the thread works for each part.
 */
class ThreadShare {
  readonly #pid: number;
  readonly #before: ReadonlyMap<number, { readonly workMicros: number; readonly waitMicros: number }>;

  constructor(pid: number) {
    this.#pid = pid;
    this.#before = this.#now();
  }

  ofPart(parts: number): { readonly workMs: number; readonly waitMs: number } {
    const now = this.#now();
    const shares = [...this.#before].flatMap(([tid, before]) => {
      const after = now.get(tid);
      if (after === undefined) return [];
      const ms = (micros: number): number => micros / 1_000 / parts;
      const workMs = ms(after.workMicros - before.workMicros);
      return [{ workMs, waitMs: ms(after.waitMicros - before.waitMicros) }];
    });
    return shares.reduce((busiest, share) => (share.workMs > busiest.workMs ? share : busiest));
  }

  #now(): Map<number, { workMicros: number; waitMicros: number }> {
    const shares = viewerThreads(this.#pid).map((tid) => {
      return [tid, { workMicros: threadCpuMicros(tid), waitMicros: threadWaitMicros(tid) }] as const;
    });
    return new Map(shares);
  }
}

async function measureSwarm(
  cameras: object[],
  plan: Plan,
): Promise<{ row: Row; figures: Record<string, number> }> {
  const { gateway, playlistUrls } = await serve(2, cameras, plan.viewers);
  const crowds = new Crowds(Math.ceil(plan.viewers / VIEWERS_PER_CROWD));
  try {
    return await withChildren(crowds.children, async () => {
      const port = Number(new URL(gateway.mediaUrl).port);
      await crowds.start(
        port,
        playlistUrls.map((url) => new URL('.', url).pathname),
      );
      await delay(IDLE_MS);
      await crowds.take();
      const due = new DueTimes(playlistUrls[0]!);
      const share = new ThreadShare(gateway.child.process.pid!);
      await due.read(plan.swarmMs);
      const { parts, failures: early } = await crowds.take();
      const own = share.ofPart(parts.size);
      await delay(DRAIN_MS);
      const failures = early + (await crowds.take()).failures;
      await crowds.stop();
      const complete = [...parts.values()].filter(({ doneAtMs }) => doneAtMs.length === plan.viewers);
      const lastMs = complete.flatMap(({ msn, part, doneAtMs }) => {
        const dueMs = due.of(msn, part);
        return dueMs === undefined ? [] : [Math.max(...doneAtMs) - dueMs];
      });
      return {
        row: {
          case: `${plan.viewers} blocking viewers`,
          parts: lastMs.length,
          'last p50 ms': median(lastMs),
          'last p95 ms': percentile(lastMs, 0.95),
          'thread works ms/part': own.workMs,
          'thread waits ms/part': own.waitMs,
          errors: failures,
        },
        figures: {
          lastViewerP50Ms: median(lastMs),
          lastViewerP95Ms: percentile(lastMs, 0.95),
          viewerThreadMsPerPart: own.workMs,
          viewerThreadWaitMsPerPart: own.waitMs,
          partsForAll: lastMs.length,
          viewerErrors: failures,
        },
      };
    });
  } finally {
    await gateway.dispose();
  }
}

/** The viewers, in several processes: one takes longer to read the responses than two threads to write them. */
class Crowds {
  readonly children: readonly ChildModule<SwarmViewerCalls>[];

  constructor(count: number) {
    const module = join(import.meta.dirname, 'swarm-viewers.ts');
    this.children = Array.from({ length: count }, () => new ChildModule<SwarmViewerCalls>(module));
  }

  async start(port: number, mediaPaths: readonly string[]): Promise<void> {
    const { length } = this.children;
    const starts = this.children.map((child, index) => {
      const ownPaths = mediaPaths.filter((_path, viewer) => viewer % length === index);
      return child.call('start', { port, mediaPaths: ownPaths });
    });
    await Promise.all(starts);
  }

  /** What all of them were served since the last call, by part. */
  async take(): Promise<{ parts: Map<string, ServedPart>; failures: number }> {
    const taken = await Promise.all(this.children.map((child) => child.call('take', null)));
    const parts = new Map<string, ServedPart>();
    for (const part of taken.flatMap((one) => one.parts)) {
      const name = `${part.msn}.${part.part}`;
      const known = parts.get(name)?.doneAtMs ?? [];
      parts.set(name, { ...part, doneAtMs: [...known, ...part.doneAtMs] });
    }
    const failures = taken
      .flatMap(({ errors }) => Object.values(errors))
      .reduce((sum, count) => sum + count, 0);
    return { parts, failures };
  }

  async stop(): Promise<void> {
    await Promise.all(this.children.map((child) => child.call('stop', null)));
  }
}

/** When each part was complete, as the playlist says, on the clock of `hrtimeMs`. */
class DueTimes {
  readonly #url: string;
  readonly #epochMinusMonoMs = Date.now() - hrtimeMs();
  readonly #due = new Map<string, number>();

  constructor(url: string) {
    this.#url = url;
  }

  of(msn: number, part: number): number | undefined {
    return this.#due.get(`${msn}.${part}`);
  }

  async read(forMs: number): Promise<void> {
    const endMs = hrtimeMs() + forMs;
    while (hrtimeMs() < endMs) {
      const { segments } = readPlaylistText(await (await fetch(this.#url)).text());
      for (const { msn, dateTime, parts } of segments) {
        let atMs = Date.parse(dateTime ?? '') - this.#epochMinusMonoMs;
        for (const [part, { duration }] of parts.entries()) {
          atMs += duration * 1_000;
          this.#due.set(`${msn}.${part}`, atMs);
        }
      }
      await delay(500);
    }
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
