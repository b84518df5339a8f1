/**
 * `node bench/macro/sound.ts`: the sound of many cameras with G.711 as AAC, in real time: processor time and memory of the
 * processes that encode, and processor time of this one. The reference, in the same run and in turns with it: an ffmpeg for
 * each camera, as cameras have whose sound only C decodes.
 */

import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../../src/ffmpeg/jail.ts';
import { findSoundServer } from '../../src/ffmpeg/sound-server.ts';
import { WorkerPool } from '../../src/ffmpeg/worker-pool.ts';
import { forkStarter, type ProcessStarter } from '../../src/ffmpeg/worker-process.ts';
import type { MediaFormat } from '../../src/rtsp/sdp/session-description.ts';
import { PooledSoundPaths } from '../../src/sources/sound/pooled-sound.ts';
import type { SoundPaths } from '../../src/sources/sound/sound-path.ts';
import { SoundServers } from '../../src/sources/sound/sound-servers.ts';
import { WorkerSoundPaths } from '../../src/sources/sound/worker-sound.ts';
import { type BenchOptions, type BenchResult, median, printTable, type Row } from '../report.ts';
import { foreignCpuMicros, foreignPssBytes } from '../support/foreign-process.ts';

const CAMERAS = 20;
const ROUNDS = 3;
const PAYLOAD_MS = 20;
const STEP_MS = PAYLOAD_MS / CAMERAS;
/** Sample rate of AAC at 48 kHz. */
const TICKS_PER_MS = 48;
const PAYLOAD_BYTES = 160;
const SPEECH_SEC = 30;
const START_TIMEOUT_MS = 60_000;
const PCMU: MediaFormat = {
  payloadType: 0,
  encoding: 'pcmu',
  clockRateHz: 8_000,
  channelCount: 1,
  fmtp: new Map(),
};

interface Measured {
  readonly processes: number;
  /** Percent of a core, for each camera. */
  readonly workerPercent: number;
  readonly gatewayPercent: number;
  readonly pssMiB: number;
  /** Delay from a payload to the AAC frame that begins with it, median. */
  readonly delayMs: number;
  /** Cameras without a sound at the end. */
  readonly silent: number;
}

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const binary = await findFfmpeg();
  const jail = await createJail();
  const path = await findSoundServer();
  if (path === null) throw new Error('The sound server is not built: node native/build.mjs');
  const speech = speechLike();
  const seconds = isShort ? 10 : 30;
  const common = { clock: systemClock, log: silentLog };
  const kinds: Readonly<Record<string, (pool: WorkerPool) => SoundPaths>> = {
    'one process': (pool) =>
      new PooledSoundPaths(
        new SoundServers({ ...common, path, pool }),
        new WorkerSoundPaths({ ...common, pool, binary }),
        'organization',
        silentLog,
      ),
    'an ffmpeg each': (pool) => new WorkerSoundPaths({ ...common, pool, binary }),
  };
  const measured: Record<string, Measured[]> = {};
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
    for (const [name, paths] of Object.entries(kinds)) {
      measured[name] ??= [];
      measured[name].push(await measure(paths, jail, speech, seconds));
    }
  }
  const rows: Row[] = Object.entries(measured).map(([name, rounds]) => rowOf(name, rounds));
  const [pooled, reference] = rows as [Row, Row];
  const ratio = (figure: string) => Number(reference[figure]) / Number(pooled[figure]);
  return {
    name: 'sound',
    rows,
    figures: {
      cpuRatio: ratio('workers % per camera'),
      memoryRatio: ratio('PSS MiB'),
      processes: Number(pooled.processes),
      silent: Number(pooled.silent),
    },
  };
}

async function measure(
  pathsOf: (pool: WorkerPool) => SoundPaths,
  jail: Jail,
  speech: Buffer,
  seconds: number,
): Promise<Measured> {
  const pids: number[] = [];
  const starter: ProcessStarter = {
    start: async (...args) => {
      const started = await forkStarter.start(...args);
      pids.push(started.pid);
      return started;
    },
  };
  const pool = new WorkerPool({
    maxWorkers: CAMERAS,
    waitTimeoutMs: START_TIMEOUT_MS,
    jail,
    clock: systemClock,
    starter,
  });
  const paths = pathsOf(pool);
  const units = Array.from({ length: CAMERAS }, () => 0);
  const delaysMs: number[] = [];
  const playMonoMs = systemClock.monoMs();
  const cameras = units.map((_, index) =>
    paths.open(PCMU, {
      onUnit: (ticks) => {
        units[index]!++;
        const pushedMs = ticks / TICKS_PER_MS + index * STEP_MS;
        delaysMs.push(systemClock.monoMs() - playMonoMs - pushedMs);
      },
      onWaiting: () => undefined,
    }),
  );
  const stop = new AbortController();
  const playing = play(cameras, playMonoMs, speech, stop.signal);
  const deadlineMonoMs = systemClock.monoMs() + START_TIMEOUT_MS;
  while (units.includes(0) && systemClock.monoMs() < deadlineMonoMs) await delay(PAYLOAD_MS);
  const before = units.slice();
  delaysMs.length = 0;
  const cpuBefore = pids.map(foreignCpuMicros);
  const ownBefore = process.cpuUsage();
  const startMonoMs = systemClock.monoMs();
  await delay(seconds * 1_000);
  const tookMicros = (systemClock.monoMs() - startMonoMs) * 1_000;
  const workerMicros = pids.reduce((sum, pid, i) => sum + foreignCpuMicros(pid) - cpuBefore[i]!, 0);
  const own = process.cpuUsage(ownBefore);
  const pssBytes = pids.reduce((sum, pid) => sum + foreignPssBytes(pid), 0);
  const silent = units.filter((count, i) => count === before[i]).length;
  stop.abort();
  await playing;
  await Promise.all(cameras.map((camera) => camera.close()));
  await pool.close();
  const percent = (micros: number) => (100 * micros) / tookMicros / CAMERAS;
  return {
    processes: pids.length,
    workerPercent: percent(workerMicros),
    gatewayPercent: percent(own.user + own.system),
    pssMiB: pssBytes / 1_024 / 1_024,
    delayMs: median(delaysMs),
    silent,
  };
}

/** Each camera sends a payload every 20 ms, at a moment of its own. */
async function play(
  cameras: readonly { push(chunk: Uint8Array, start: number, end: number, clockTicks: number): void }[],
  startMonoMs: number,
  speech: Buffer,
  signal: AbortSignal,
): Promise<void> {
  for (let step = 0; !signal.aborted; step++) {
    const waitMs = startMonoMs + step * STEP_MS - systemClock.monoMs();
    if (waitMs > 0) await delay(waitMs);
    const index = step % cameras.length;
    const payload = Math.floor(step / cameras.length);
    // Each camera hears another part of it.
    const at = ((payload + index * 61) * PAYLOAD_BYTES) % (speech.length - PAYLOAD_BYTES);
    cameras[index]!.push(speech, at, at + PAYLOAD_BYTES, payload * PAYLOAD_BYTES);
  }
}

/** Tones that come and go in a little noise, in µ-law. */
function speechLike(): Buffer {
  const voice = '0.2*sin(2*PI*(140+30*sin(3*t))*t)+0.1*sin(2*PI*(900+300*sin(2*t))*t)';
  const source = `aevalsrc=(${voice})*gt(sin(5*t)\\,-0.3)+0.004*random(0):s=8000:d=${SPEECH_SEC}`;
  const made = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-f', 'mulaw', 'pipe:1'], {
    maxBuffer: 1e8,
  });
  if (made.status !== 0) throw new Error(String(made.stderr));
  return made.stdout;
}

function rowOf(name: string, rounds: readonly Measured[]): Row {
  const of = (figure: keyof Measured) => median(rounds.map((round) => round[figure]));
  return {
    case: `${CAMERAS} cameras, ${name}`,
    processes: of('processes'),
    'workers % per camera': of('workerPercent'),
    'gateway % per camera': of('gatewayPercent'),
    'PSS MiB': of('pssMiB'),
    'delay ms': of('delayMs'),
    silent: rounds.reduce((sum, { silent }) => sum + silent, 0),
  };
}

if (import.meta.main) printTable(await run({ isShort: process.argv.includes('--short') }));
