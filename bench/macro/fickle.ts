/**
 * `fickle`: cameras of mixed kinds that connect, break, stall, jump their clocks, switch resolution, lose packets and
 * disconnect at random, with a viewer on each, against a running gateway. Nothing may crash or be logged as a failure,
 * memory must not grow after the first minute, and each camera must have a new part soon after its return, and keep having
 * new ones. `BENCH_SEED` chooses another sequence of events.
 */

import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../src/synthetic-camera/seeded-random.ts';
import { TestGateway } from '../../test/support/gateway.ts';
import { workersOf } from '../../test/support/processes.ts';
import { until } from '../../test/support/until.ts';
import { type BenchOptions, type BenchResult, median, percentile } from '../report.ts';
import { ChildModule } from '../support/child-module.ts';
import type { FickleCameraCalls } from './fickle/cameras.ts';
import { GatewayRecord, type GatewaySample } from './fickle/gateway-record.ts';
import { drawLife, KINDS, type Trouble } from './fickle/life.ts';
import { PartWatch } from './fickle/part-watch.ts';

interface Scale {
  readonly cameras: number;
  readonly runMs: number;
  /** The time whose memory is compared with that at the end: it begins when windows and heap have filled. */
  readonly baselineMs: { readonly from: number; readonly to: number };
  /** Memory of the last so long. */
  readonly finalMs: number;
}

/** Records the cameras' events. */
class Chronicle {
  readonly returnsMs: number[] = [];
  readonly late: string[] = [];
  stalls = 0;
  readonly #record: GatewayRecord;
  readonly #startMs: number;

  constructor(record: GatewayRecord, startMs: number) {
    this.#record = record;
    this.#startMs = startMs;
  }

  /** `sinceMs`: when the late event should have begun. */
  noteLate(camera: number, what: string, sinceMs: number): void {
    const zeroEpochMs = performance.timeOrigin + sinceMs;
    const events = this.#record.eventsOf(nameOf(camera), zeroEpochMs - LOOK_BACK_MS, zeroEpochMs);
    const delays = this.#record.longestDelays(sinceMs - this.#startMs);
    this.late.push([what, `longest delays of event loops: ${delays}`, ...events].join('\n      '));
  }
}

const SHORT: Scale = {
  cameras: 12,
  runMs: 60_000,
  baselineMs: { from: 30_000, to: 42_000 },
  finalMs: 12_000,
};
const LONG: Scale = {
  cameras: 50,
  runMs: 600_000,
  baselineMs: { from: 60_000, to: 120_000 },
  finalMs: 60_000,
};
const CONFIG = {
  hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '5m' },
  sources: { connectTimeout: '5s', silenceTimeout: '3s', backoffMin: '200ms', backoffMax: '2s' },
  // With each attempt to reach a camera.
  log: { level: 'debug', format: 'json' },
};
const MAX_RETURN_MS = 5_000;
/** How long a camera is waited for that is late. */
const GIVE_UP_MS = 30_000;
const FIRST_COME_MS = 5_000;
const SAMPLE_MS = 1_000;
/** The report about a late camera begins this long before its return: it includes the attempts before it. */
const LOOK_BACK_MS = 10_000;
const POLL_MS = 20;
/** The table of the gateway's measures has so many lines. */
const TABLE_LINES = 10;
const MAX_QUOTED_CHARS = 400;
const DEFAULT_SEED = 20_261_123;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const seed = Number(process.env.BENCH_SEED ?? DEFAULT_SEED);
  const cameras = new ChildModule<FickleCameraCalls>(join(import.meta.dirname, 'fickle/cameras.ts'));
  let gateway: TestGateway | null = null;
  const watches: PartWatch[] = [];
  try {
    const urls = await cameras.call('prepare', { cameras: scale.cameras });
    const listed = urls.map((rtsp, camera) => ({ name: nameOf(camera), rtsp }));
    gateway = await TestGateway.start({ ...CONFIG, cameras: listed });
    const record = new GatewayRecord(gateway);
    for (const { name } of listed) {
      const share = await until('the API', () => gateway!.share(name));
      watches.push(new PartWatch(share.m3u8Url));
    }
    const startMs = performance.now();
    const endMs = startMs + scale.runMs;
    const chronicle = new Chronicle(record, startMs);
    const lives = watches.map((watch, camera) =>
      live(camera, watch, cameras, new SeededRandom(seed + camera), endMs, chronicle),
    );
    let maxWorkers = 0;
    let isOver = false;
    const ended = Promise.all(lives).finally(() => {
      isOver = true;
    });
    const { process: gatewayProcess } = gateway.child;
    while (!isOver && gatewayProcess.exitCode === null) {
      await delay(SAMPLE_MS);
      const camerasDelayMs = await cameras.call('takeLoopDelayMs', {});
      await record.sample(performance.now() - startMs, { viewersDelayMs: takeLoopDelayMs(), camerasDelayMs });
      maxWorkers = Math.max(maxWorkers, workersOf(gatewayProcess.pid!).length);
    }
    const hasCrashed = !(await isReady(gateway));
    await ended;
    const { failures } = record;
    for (const line of failures) process.stdout.write(`    log: ${line.slice(0, MAX_QUOTED_CHARS)}\n`);
    for (const line of chronicle.late) process.stdout.write(`    ${line}\n`);
    for (const line of record.table(TABLE_LINES)) process.stdout.write(`    ${line}\n`);
    const growth = memoryGrowth(record.samples, scale);
    const parts = watches.reduce((sum, watch) => sum + watch.parts, 0);
    const { returnsMs, stalls, late } = chronicle;
    return {
      name: 'fickle',
      rows: [
        {
          case: `${scale.cameras} cameras, ${KINDS.length} kinds, ${scale.runMs / 1_000} s`,
          returns: returnsMs.length,
          'after a stall': stalls,
          'back ms': median(returnsMs),
          'back p99 ms': percentile(returnsMs, 0.99),
          parts,
          'RSS MiB then': growth.beforeMiB,
          'RSS MiB at the end': growth.afterMiB,
        },
      ],
      figures: {
        cameras: scale.cameras,
        returns: returnsMs.length,
        parts,
        slowestReturnMs: Math.max(...returnsMs),
        late: late.length,
        crashes: hasCrashed ? 1 : 0,
        failuresLogged: failures.length,
        workers: maxWorkers,
        // In a short run, the heap still grows to its working size.
        ...(isShort ? {} : { rssGrowthPercent: (growth.afterMiB / growth.beforeMiB - 1) * 100 }),
      },
    };
  } finally {
    await Promise.all(watches.map((watch) => watch.end()));
    await gateway?.dispose();
    await cameras.end();
  }
}

/** One camera's lives, until time is up. */
async function live(
  camera: number,
  watch: PartWatch,
  cameras: ChildModule<FickleCameraCalls>,
  random: SeededRandom,
  endMs: number,
  chronicle: Chronicle,
): Promise<void> {
  const name = `camera ${camera} (${KINDS[camera % KINDS.length]})`;
  const stays = { camera, watch, chronicle };
  /** Nothing is waited for beyond the end. */
  const pass = (ms: number) => delay(Math.max(0, Math.min(ms, endMs - performance.now())));
  await pass(random.next() * FIRST_COME_MS);
  while (performance.now() < endMs) {
    const { trouble, upMs, stallMs, awayMs } = drawLife(random);
    await cameras.call('come', { camera, trouble });
    await stay(`${name}, ${describe(trouble)}, came`, stays, { upMs, pass });
    if (stallMs > 0 && performance.now() < endMs) {
      chronicle.stalls++;
      await cameras.call('stall', { camera, isStalled: true });
      await pass(stallMs);
      await cameras.call('stall', { camera, isStalled: false });
      await stay(`${name}, ${describe(trouble)}, stalled for ${stallMs} ms`, stays, { upMs, pass });
    }
    await cameras.call('go', { camera });
    await pass(awayMs);
  }
}

interface Stays {
  readonly camera: number;
  readonly watch: PartWatch;
  readonly chronicle: Chronicle;
}

/** The time from a camera's return until it goes again; in it, new parts must come. */
async function stay(
  what: string,
  { camera, watch, chronicle }: Stays,
  { upMs, pass }: { readonly upMs: number; readonly pass: (ms: number) => Promise<void> },
): Promise<void> {
  const returnMs = performance.now();
  while (watch.newestAtMs <= returnMs && performance.now() < returnMs + GIVE_UP_MS) await delay(POLL_MS);
  const tookMs = Math.round(performance.now() - returnMs);
  chronicle.returnsMs.push(tookMs);
  if (tookMs > MAX_RETURN_MS) chronicle.noteLate(camera, `${what}: back after ${tookMs} ms`, returnMs);
  watch.takeLongestGapMs();
  await pass(upMs - tookMs);
  const gapMs = Math.round(watch.takeLongestGapMs());
  if (gapMs <= MAX_RETURN_MS) return;
  chronicle.noteLate(camera, `${what}: no new part for ${gapMs} ms while it was there`, returnMs);
}

function nameOf(camera: number): string {
  return `Fickle ${camera}`;
}

function describe(trouble: Trouble): string {
  return 'afterMs' in trouble ? `${trouble.kind} after ${trouble.afterMs} ms` : trouble.kind;
}

const loopDelay = monitorEventLoopDelay();

/** The longest delay of this event loop, which is that of the viewers, since this was called last. */
function takeLoopDelayMs(): number {
  loopDelay.enable();
  const { max } = loopDelay;
  loopDelay.reset();
  return max / 1e6;
}

async function isReady(gateway: TestGateway): Promise<boolean> {
  if (gateway.child.process.exitCode !== null || gateway.child.process.signalCode !== null) return false;
  const { status } = await fetch(`${gateway.apiUrl}/readyz`);
  return status === 200;
}

function memoryGrowth(samples: readonly GatewaySample[], { runMs, baselineMs, finalMs }: Scale) {
  const medianMiB = (from: number, to: number) =>
    median(samples.filter(({ atMs }) => atMs >= from && atMs < to).map(({ values }) => values['RSS MiB']));
  return {
    beforeMiB: medianMiB(baselineMs.from, baselineMs.to),
    afterMiB: medianMiB(runMs - finalMs, runMs),
  };
}
