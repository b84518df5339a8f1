/**
 * `fleet`: what relaying many cameras costs. Synthetic cameras (1080p25, 4 Mbit/s, GOP 2 s) run in one process, the
 * gateway with its direct engine and packagers in another, and no one watches. The reference is one `ffmpeg -c copy
 * -f hls` process per camera for some of the same cameras, at the same time, so that both have the same machine
 * under the same load.
 *
 * Memory beyond the window is what the process holds besides live windows and what it held without cameras, divided
 * by the number of cameras. So that nothing hides in the division, there is also what each camera of the second
 * half added.
 *
 * Frames are counted three ways: by what the source gave up, by holes in the timestamps, and by the time that
 * passed.
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFfmpeg } from '../../src/ffmpeg/find-ffmpeg.ts';
import type { BenchOptions, BenchResult } from '../report.ts';
import { type CameraFleetCalls, FLEET_FPS, FLEET_GOP_SEC } from '../support/camera-fleet.ts';
import { ChildModule, cpuPercent, type ProcessUsage, withChildren } from '../support/child-module.ts';
import { measureFfmpeg } from './fleet-ffmpeg.ts';
import type { FleetGatewayCalls, GatewaySample } from './fleet-gateway.ts';

interface Scale {
  readonly cameras: number;
  readonly ffmpegCameras: number;
  /** Long enough that live windows are full and forget as much as they take in. */
  readonly warmUpMs: number;
  readonly measureMs: number;
}

const SHORT: Scale = { cameras: 20, ffmpegCameras: 5, warmUpMs: 5_000, measureMs: 10_000 };
const LONG: Scale = { cameras: 100, ffmpegCameras: 10, warmUpMs: 45_000, measureMs: 30_000 };
const OPEN_TIMEOUT_MS = 60_000;
const PICTURE = { widthPx: 1_920, heightPx: 1_080, bitrateBitsPerSec: 4_000_000 };
const MIB = 1_048_576;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const fleet = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  const gateway = new ChildModule<FleetGatewayCalls>(join(import.meta.dirname, 'fleet-gateway.ts'), [
    '--expose-gc',
  ]);
  return withChildren([gateway, fleet], async () => {
    const urls = await fleet.call('start', { cameras: scale.cameras, ...PICTURE });
    const half = urls.length >> 1;
    const idle = await gateway.call('idle', null);
    await gateway.call('open', { urls: urls.slice(0, half), timeoutMs: OPEN_TIMEOUT_MS });
    await delay(scale.warmUpMs);
    const atHalf = await gateway.call('sample', null);
    await gateway.call('open', { urls: urls.slice(half), timeoutMs: OPEN_TIMEOUT_MS });
    const measuringFfmpeg = measureFfmpeg({
      ffmpegPath: (await findFfmpeg({})).path,
      urls: urls.slice(0, scale.ffmpegCameras),
      warmUpMs: scale.warmUpMs,
      measureMs: scale.measureMs,
    });
    await delay(scale.warmUpMs);
    const before = await gateway.call('sample', null);
    await delay(scale.measureMs);
    const after = await gateway.call('sample', null);
    const ffmpeg = await measuringFfmpeg;
    await gateway.call('close', null);
    const total = cpuPercent(before.usage, after.usage);
    const perCamera = total / scale.cameras;
    const overWindow = overWindowBytes(after, idle);
    const added = scale.cameras - half;
    return {
      name: 'fleet',
      rows: [
        {
          case: `sluice, ${scale.cameras} cameras in one process`,
          'CPU % total': total,
          'CPU % per camera': perCamera,
          'MiB per camera': (after.usage.rssBytes - idle.rssBytes) / MIB / scale.cameras,
          'window MiB per camera': after.windowBytes / MIB / scale.cameras,
          frames: after.frames.received - before.frames.received,
        },
        {
          case: `ffmpeg -c copy, ${scale.ffmpegCameras} processes`,
          'CPU % total': ffmpeg.cpuPercentPerCamera * scale.ffmpegCameras,
          'CPU % per camera': ffmpeg.cpuPercentPerCamera,
          'MiB per camera': ffmpeg.memoryBytesPerCamera / MIB,
        },
      ],
      figures: {
        cameras: scale.cameras,
        cpuPercentTotal: total,
        cpuPercentPerCamera: perCamera,
        ffmpegCpuRatio: ffmpeg.cpuPercentPerCamera / perCamera,
        droppedFrames: droppedFrames(before, after, scale),
        memoryOverWindowMiBPerCamera: overWindow / MIB / scale.cameras,
        memoryOverWindowMiBPerAddedCamera: (overWindow - overWindowBytes(atHalf, idle)) / MIB / added,
      },
    };
  });
}

/** What the process holds besides live windows and what it held without cameras. */
function overWindowBytes(sample: GatewaySample, idle: ProcessUsage): number {
  return sample.usage.rssBytes - idle.rssBytes - sample.windowBytes;
}

/** Over the whole run for what was noticed, over the measured time for what should have come. */
function droppedFrames(before: GatewaySample, after: GatewaySample, { cameras }: Scale): number {
  const { holes, reported, ended } = after.frames;
  const elapsedSec = (after.usage.atMs - before.usage.atMs) / 1_000;
  const expected = FLEET_FPS * elapsedSec * cameras;
  const received = after.frames.received - before.frames.received;
  // Either end of the measured time may fall between a frame's sending and its arrival.
  const missing = Math.max(0, Math.floor(expected - received - 2 * cameras));
  return holes + reported + after.unpackaged + missing + ended * FLEET_FPS * FLEET_GOP_SEC;
}
