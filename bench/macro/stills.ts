/**
 * `node bench/macro/stills.ts`: still images of 1080p key frames of many cameras, 20 a second: CPU time of the whole
 * process tree per still, and how long one takes. The reference, in the same run and in turns with it: an ffmpeg process
 * per picture. Also: how long starting a process holds the thread that does it, in a gateway of ordinary size.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import type { KeyFrame, LiveCamera } from '../../src/stream/media/live-media.ts';
import { OneShotDecoder, type PictureDecoder } from '../../src/thumbnails/picture-decoder.ts';
import { type StillRequest, Stills } from '../../src/thumbnails/stills.ts';
import { WarmDecoder } from '../../src/thumbnails/warm-decoder.ts';
import { type BenchOptions, type BenchResult, median, printTable, type Row } from '../report.ts';

const CAMERAS = 40;
const PER_SEC = 20;
/** An ffmpeg per picture does not keep up with 20 a second on two cores. */
const REFERENCE_PER_SEC = 4;
const DECODERS = 2;
const ROUNDS = 3;
/** Resident memory of a gateway with a few dozen cameras. */
const BALLAST_BYTES = 600 * 1024 * 1024;
const SPAWNS = 20;
/**
 * Fields of /proc/PID/stat: user and system time of a process and of its children that ended, in hundredths of a second.
 */
const STAT_TIMES = [13, 14, 15, 16] as const;
const MS_PER_TICK = 10;

const POSTER: StillRequest = {
  widthPx: 640,
  format: 'jpeg',
  qualityPercent: null,
  crop: null,
  downscaleFactor: 1,
};
const FULL: StillRequest = { ...POSTER, widthPx: null };
const WEBP: StillRequest = { ...POSTER, format: 'webp' };

interface Load {
  readonly name: string;
  readonly decoder: PictureDecoder;
  readonly wanted: StillRequest;
  readonly perSec: number;
}

interface Measured {
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
}

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const frames = keyFrames();
  const binary = await findFfmpeg();
  const jail = await createJail();
  const pool = new WorkerPool({ maxWorkers: 8, waitTimeoutMs: 60_000, jail, clock: systemClock });
  const options = { binary, pool, clock: systemClock, log: silentLog };
  const warm = new WarmDecoder({ ...options, slots: DECODERS });
  await warm.warmUp();
  const cold = new OneShotDecoder(options);
  const seconds = isShort ? 5 : 20;
  const loads: readonly Load[] = [
    { name: 'loaded ffmpeg, 640 JPEG', decoder: warm, wanted: POSTER, perSec: PER_SEC },
    { name: 'an ffmpeg each, 640 JPEG', decoder: cold, wanted: POSTER, perSec: REFERENCE_PER_SEC },
    { name: 'loaded ffmpeg, 640 WebP', decoder: warm, wanted: WEBP, perSec: PER_SEC },
    { name: 'loaded ffmpeg, 1080p JPEG', decoder: warm, wanted: FULL, perSec: PER_SEC / 2 },
  ];
  const measured = new Map<Load, Measured[]>(loads.map((load) => [load, []]));
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
    for (const load of loads) measured.get(load)!.push(await measure(load, frames, seconds));
  }
  const rows: Row[] = loads.map((load) => rowOf(load, measured.get(load)!));
  await pool.close();
  rows.push(await measureSpawn());
  const [poster, reference] = rows;
  return {
    name: 'stills',
    rows,
    figures: {
      stillCpuMs: Number(poster!['CPU ms']),
      stillP99Ms: Number(poster!['p99 ms']),
      cpuRatio: Number(reference!['CPU ms']) / Number(poster!['CPU ms']),
      failures: rows.reduce((sum, row) => sum + Number(row.failures ?? 0), 0),
    },
  };
}

/** Open loop: a request is made when its time has come, whether or not those before it are answered. */
async function measure(
  { decoder, wanted, perSec }: Load,
  frames: readonly Buffer[],
  seconds: number,
): Promise<Measured> {
  const stills = new Stills({ decoder, clock: systemClock, log: silentLog });
  const cameras = Array.from(
    { length: CAMERAS },
    (_, index) => new BenchCamera(frames[index % frames.length]!),
  );
  const tookMs: number[] = [];
  let failures = 0;
  const requested: Promise<void>[] = [];
  const count = seconds * perSec;
  const startMonoMs = systemClock.monoMs();
  const cpuBeforeMs = cpuMsOfTree();
  for (let index = 0; index < count; index++) {
    const dueMonoMs = startMonoMs + (index * 1_000) / perSec;
    await delay(Math.max(0, dueMonoMs - systemClock.monoMs()));
    const camera = cameras[index % CAMERAS]!;
    camera.nextFrame();
    const still = stills.still(camera as unknown as LiveCamera, wanted).then(
      () => void tookMs.push(systemClock.monoMs() - dueMonoMs),
      () => void failures++,
    );
    requested.push(still);
  }
  await Promise.all(requested);
  const cpuMs = (cpuMsOfTree() - cpuBeforeMs) / count;
  tookMs.sort((one, other) => one - other);
  const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
  return { cpuMs, p50Ms: at(0.5), p99Ms: at(0.99), failures };
}

function rowOf({ name, perSec }: Load, rounds: readonly Measured[]): Row {
  const of = (figure: keyof Measured) => median(rounds.map((round) => round[figure]));
  return {
    case: name,
    'per second': perSec,
    'CPU ms': of('cpuMs'),
    'p50 ms': of('p50Ms'),
    'p99 ms': of('p99Ms'),
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** How long the thread is held by each start of a process. */
async function measureSpawn(): Promise<Row> {
  const ballast = Buffer.alloc(BALLAST_BYTES, 1);
  const heldMs: number[] = [];
  for (let index = 0; index < SPAWNS; index++) {
    const startMonoMs = systemClock.monoMs();
    const child = spawn('/bin/true', [], { stdio: ['pipe', 'pipe', 'pipe'] });
    heldMs.push(systemClock.monoMs() - startMonoMs);
    await once(child, 'close');
  }
  heldMs.sort((one, other) => one - other);
  const rssMiB = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  if (ballast[0] !== 1) throw new Error('the ballast is gone');
  return {
    case: `spawn() in a process of ${rssMiB} MiB`,
    'p50 ms': median(heldMs),
    'p99 ms': heldMs.at(-1)!,
  };
}

class BenchCamera implements Partial<LiveCamera> {
  readonly uuid: Ruuid = newRuuid();
  readonly name = 'Bench';
  readonly #coded: Buffer;
  #frame: KeyFrame | null = null;
  #frames = 0;

  constructor(coded: Buffer) {
    this.#coded = coded;
  }

  nextFrame(): void {
    this.#frames++;
    this.#frame = { fmp4: [this.#coded], widthPx: 1_920, heightPx: 1_080, atEpochMs: this.#frames };
  }

  keyFrame(): KeyFrame | null {
    return this.#frame;
  }
}

/** Key frames of a 4 Mbit/s camera with a key frame every 2 s: about 100 KB each. */
function keyFrames(): Buffer[] {
  return Array.from({ length: 8 }, (_, index) => {
    const source = `testsrc2=size=1920x1080:rate=1,noise=alls=3:all_seed=${index}`;
    const coded = spawnSync(
      'ffmpeg',
      [
        ...['-v', 'error', '-f', 'lavfi', '-i', source, '-ss', String(index), '-frames:v', '1'],
        ...[
          '-c:v',
          'libx264',
          '-preset',
          'veryfast',
          '-profile:v',
          'high',
          '-crf',
          '29',
          '-pix_fmt',
          'yuv420p',
        ],
        ...['-f', 'mp4', '-movflags', '+empty_moov+default_base_moof', 'pipe:1'],
      ],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    if (coded.status !== 0) throw new Error(String(coded.stderr));
    return coded.stdout;
  });
}

/** This process, the processes that it started, and what those started and waited for. */
function cpuMsOfTree(): number {
  const own = process.pid;
  const children = readFileSync(`/proc/${own}/task/${own}/children`, 'latin1').trim().split(' ');
  return [String(own), ...children].reduce((sum, pid) => sum + (pid === '' ? 0 : cpuMsOf(pid)), 0);
}

function cpuMsOf(pid: string): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return 0; // it ended in the meantime, and this process has its time
  }
  // The name, in parentheses, can have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return STAT_TIMES.reduce((sum, index) => sum + Number(fields[index - 2]) * MS_PER_TICK, 0);
}

if (import.meta.main) printTable(await run({ isShort: process.argv.includes('--short') }));
