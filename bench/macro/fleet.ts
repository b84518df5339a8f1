/**
 * `fleet`: what relaying many cameras costs, by kind of camera. Synthetic cameras (1080p25, 4 Mbit/s, GOP 2 s, frames at
 * different moments) run in one process, the gateway with its direct engine and packagers in another, without viewers. Two
 * times are measured: while live windows fill, and when they forget as much as they take in. Each kind has processes of its
 * own.
 *
 * There are two references in each run, for some or all of the same cameras: one `ffmpeg -c copy -f hls` process per camera
 * at the same time as the gateway, and, when the gateway is done, a program that only reads the sockets. For the time while
 * windows fill, it keeps what it reads: new memory alone costs several percent of a core on some virtual machines, whose
 * host has to find it too.
 *
 * Memory beyond the window is the memory of the process without live windows and without its use before it had cameras,
 * divided by the number of cameras. So that nothing hides in the division, there is also what each camera of the second
 * half added: a gateway with half the cameras is measured for it.
 *
 * Frames are counted three ways: by what the source gave up, by holes in the timestamps, and by the time that passed.
 */

import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import type { BenchOptions, BenchResult, Row } from '../report.ts';
import { type CameraFleetCalls, type CameraKind, FLEET_FPS, FLEET_GOP_SEC } from '../support/camera-fleet.ts';
import { ChildModule, cpuPercent, type ProcessUsage, withChildren } from '../support/child-module.ts';
import { chosenCases } from '../support/chosen-cases.ts';
import { type FfmpegCost, measureFfmpeg } from './fleet-ffmpeg.ts';
import type { FleetGatewayCalls, GatewaySample } from './fleet-gateway.ts';
import { measureSocketReader } from './fleet-socket-reader.ts';

interface Scale {
  readonly cameras: number;
  readonly ffmpegCameras: number;
  readonly windowMs: number;
  /** How long live windows fill. */
  readonly fillMs: number;
  /** After this time they are full, and forget as much as they take in. */
  readonly fullAfterMs: number;
  readonly measureMs: number;
  readonly readerMs: number;
}

interface Fleet {
  readonly name: string;
  readonly kinds: readonly CameraKind[];
}

interface Measured {
  readonly fillingPercent: number;
  readonly fullPercent: number;
  readonly dropped: number;
  readonly idle: ProcessUsage;
  readonly last: GatewaySample;
  readonly receivedFrames: number;
  readonly ffmpeg: FfmpegCost;
  /** null: the machine has no compiler. */
  readonly readerPercent: number | null;
  /** The same, for the reader that keeps the data. */
  readonly keeperPercent: number | null;
}

const SHORT: Scale = {
  cameras: 20,
  ffmpegCameras: 3,
  windowMs: 6_000,
  fillMs: 10_000,
  fullAfterMs: 20_000,
  measureMs: 10_000,
  readerMs: 5_000,
};
const LONG: Scale = {
  cameras: 100,
  ffmpegCameras: 10,
  windowMs: 16_000,
  fillMs: 36_000,
  fullAfterMs: 45_000,
  measureMs: 30_000,
  readerMs: 20_000,
};
const REFERENCE: Fleet = { name: 'H.264+AAC', kinds: ['H.264+AAC'] };
const FLEETS: readonly Fleet[] = [
  REFERENCE,
  { name: 'H.265+G.711', kinds: ['H.265+G.711'] },
  { name: 'mixed', kinds: ['H.264+AAC', 'H.265+G.711', 'H.264+G.711', 'H.265+AAC'] },
];
const OPEN_TIMEOUT_MS = 60_000;
const PICTURE = { widthPx: 1_920, heightPx: 1_080, bitrateBitsPerSec: 4_000_000 };
const MIB = 1_048_576;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const fleets = chosenCases(FLEETS, ({ name }) => name, { isShort, shortEvery: 1 });
  const measured = new Map<string, Measured>();
  for (const fleet of fleets) measured.set(fleet.name, await measure(fleet, scale));
  const all = [...measured.values()];
  return {
    name: 'fleet',
    rows: [...measured].flatMap(([name, one]) => rowsOf(name, one, all[0]!, scale)),
    figures: {
      cameras: scale.cameras,
      droppedFrames: worst(all, ({ dropped }) => dropped),
      silentCameras: worst(all, ({ last }) => last.silentCameras),
      workers: worst(all, ({ last }) => last.workers),
      systemLoad: loadavg()[0]!,
      // Next to a few cameras, the process's own cost is not small: budgets are for the whole fleet.
      ...(isShort ? {} : { ...costs(all, scale), ...(await memory(fleets[0]!, all[0]!, scale)) }),
    },
  };
}

function costs(all: readonly Measured[], scale: Scale): Record<string, number> {
  const [first, ...others] = all as [Measured, ...Measured[]];
  const figures: Record<string, number> = {
    cpuPercentFull: worst(all, ({ fullPercent }) => fullPercent),
    cpuPercentFilling: worst(all, ({ fillingPercent }) => fillingPercent),
    ffmpegCpuRatio: Math.min(...all.map((one) => ffmpegRatio(one, scale))),
  };
  if (others.length > 0) {
    figures.kindRatioFull = worst(others, ({ fullPercent }) => fullPercent / first.fullPercent);
    figures.kindRatioFilling = worst(others, ({ fillingPercent }) => fillingPercent / first.fillingPercent);
  }
  if (all.every(({ readerPercent, keeperPercent }) => readerPercent !== null && keeperPercent !== null)) {
    figures.readerCpuRatio = worst(all, ({ fullPercent, readerPercent }) => fullPercent / readerPercent!);
    figures.keeperCpuRatio = worst(
      all,
      ({ fillingPercent, keeperPercent }) => fillingPercent / keeperPercent!,
    );
  }
  return figures;
}

async function memory(fleet: Fleet, { last, idle }: Measured, scale: Scale): Promise<Record<string, number>> {
  const half = await measureHalf(fleet, scale);
  const overWindow = overWindowBytes(last, idle);
  const added = scale.cameras - half.cameras;
  return {
    memoryOverWindowMiBPerCamera: overWindow / MIB / scale.cameras,
    memoryOverWindowMiBPerAddedCamera: (overWindow - half.overWindowBytes) / MIB / added,
  };
}

function worst(all: readonly Measured[], figure: (one: Measured) => number): number {
  return Math.max(...all.map(figure));
}

/** Runs `work` with a fleet's cameras and a gateway that has none yet. */
function withFleet<T>(
  { kinds }: Fleet,
  scale: Scale,
  work: (gateway: ChildModule<FleetGatewayCalls>, urls: string[], idle: ProcessUsage) => Promise<T>,
): Promise<T> {
  const fleet = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  const file = join(import.meta.dirname, 'fleet-gateway.ts');
  const gateway = new ChildModule<FleetGatewayCalls>(file, ['--expose-gc']);
  return withChildren([gateway, fleet], async () => {
    const urls = await fleet.call('start', { cameras: scale.cameras, kinds, ...PICTURE });
    return work(gateway, urls, await gateway.call('idle', { windowMs: scale.windowMs }));
  });
}

function measure(fleet: Fleet, scale: Scale): Promise<Measured> {
  return withFleet(fleet, scale, async (gateway, urls, idle) => {
    const openedMs = performance.now();
    const untilMs = (afterMs: number) => delay(Math.max(0, openedMs + afterMs - performance.now()));
    await gateway.call('open', { urls, timeoutMs: OPEN_TIMEOUT_MS });
    const empty = await gateway.call('sample', null);
    await untilMs(scale.fillMs);
    const filled = await gateway.call('sample', null);
    const measuringFfmpeg = measureFfmpeg({
      ffmpegPath: (await findFfmpeg({})).path,
      urls: urls.slice(0, scale.ffmpegCameras),
      warmUpMs: scale.fullAfterMs - scale.fillMs,
      measureMs: scale.measureMs,
    });
    await untilMs(scale.fullAfterMs);
    const before = await gateway.call('sample', null);
    await delay(scale.measureMs);
    const last = await gateway.call('sample', null);
    const ffmpeg = await measuringFfmpeg;
    await gateway.call('close', null);
    const readerPercent = await measureSocketReader(urls, scale.readerMs, 'discard');
    const keeperPercent = await measureSocketReader(urls, scale.readerMs, 'keep');
    return {
      fillingPercent: cpuPercent(empty.usage, filled.usage),
      fullPercent: cpuPercent(before.usage, last.usage),
      dropped: droppedFrames(before, last, scale),
      receivedFrames: last.frames.received - before.frames.received,
      idle,
      last,
      ffmpeg,
      readerPercent,
      keeperPercent,
    };
  });
}

/** Memory besides live windows with half the cameras. */
function measureHalf(
  fleet: Fleet,
  scale: Scale,
): Promise<{ readonly cameras: number; readonly overWindowBytes: number }> {
  const cameras = scale.cameras >> 1;
  return withFleet(fleet, { ...scale, cameras }, async (gateway, urls, idle) => {
    await gateway.call('open', { urls, timeoutMs: OPEN_TIMEOUT_MS });
    await delay(scale.fullAfterMs);
    const sample = await gateway.call('sample', null);
    await gateway.call('close', null);
    return { cameras, overWindowBytes: overWindowBytes(sample, idle) };
  });
}

function rowsOf(name: string, one: Measured, first: Measured, scale: Scale): Row[] {
  const { cameras, ffmpegCameras } = scale;
  const { last, idle, ffmpeg, readerPercent, keeperPercent } = one;
  const rows: Row[] = [
    {
      case: `${name}: sluice, ${cameras} cameras in one process`,
      'CPU % filling': one.fillingPercent,
      'CPU % full': one.fullPercent,
      'CPU % per camera': one.fullPercent / cameras,
      'filling / first kind': one.fillingPercent / first.fillingPercent,
      'full / first kind': one.fullPercent / first.fullPercent,
      'MiB per camera': (last.usage.rssBytes - idle.rssBytes) / MIB / cameras,
      'window MiB per camera': last.windowBytes / MIB / cameras,
      frames: one.receivedFrames,
      lost: one.dropped,
      holes: last.frames.holes,
      'given up': last.frames.reported,
      unpackaged: last.unpackaged,
      workers: last.workers,
    },
  ];
  rows.push({
    case: `${name}: ffmpeg -c copy, ${ffmpegCameras} processes`,
    'CPU % full': ffmpeg.cpuPercentPerCamera * ffmpegCameras,
    'CPU % per camera': ffmpeg.cpuPercentPerCamera,
    'MiB per camera': ffmpeg.memoryBytesPerCamera / MIB,
  });
  if (readerPercent !== null && keeperPercent !== null)
    rows.push({
      case: `${name}: only reading the sockets`,
      'CPU % filling': keeperPercent,
      'CPU % full': readerPercent,
      'CPU % per camera': readerPercent / cameras,
    });
  return rows;
}

function ffmpegRatio({ ffmpeg, fullPercent }: Measured, { cameras }: Scale): number {
  return (ffmpeg.cpuPercentPerCamera * cameras) / fullPercent;
}

/** Memory besides live windows and the use without cameras. */
function overWindowBytes(sample: GatewaySample, idle: ProcessUsage): number {
  return sample.usage.rssBytes - idle.rssBytes - sample.windowBytes;
}

/** Lost frames count over the whole run, missing ones over the measured time. */
function droppedFrames(before: GatewaySample, after: GatewaySample, { cameras }: Scale): number {
  const { holes, reported, ended } = after.frames;
  const elapsedSec = (after.usage.atMs - before.usage.atMs) / 1_000;
  const expected = FLEET_FPS * elapsedSec * cameras;
  const received = after.frames.received - before.frames.received;
  // Either end of the measured time may fall between a frame's sending and its arrival.
  const missing = Math.max(0, Math.floor(expected - received - 2 * cameras));
  return holes + reported + after.unpackaged + missing + ended * FLEET_FPS * FLEET_GOP_SEC;
}
