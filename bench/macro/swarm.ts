/**
 * `swarm`: how long after a part exists the last of many low-latency viewers has it. One 1 Mbit/s synthetic camera,
 * the gateway with its whole front door, and the viewers, each in its own process. The delay counts from the frame
 * that completed the part to the last byte of the later one of playlist and part, on the clock that all processes
 * of a machine share (CLOCK_MONOTONIC).
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchOptions, type BenchResult, median, percentile } from '../report.ts';
import { BlockingViewers, delaysOf, errorCount, errorText } from '../support/blocking-viewers.ts';
import type { CameraFleetCalls } from '../support/camera-fleet.ts';
import { ChildModule, cpuPercent, hrtimeMs, withChildren } from '../support/child-module.ts';
import { threadCpuMicros } from '../support/foreign-process.ts';
import type { SwarmGatewayCalls } from './swarm-gateway.ts';

const SHORT = { viewers: 300, warmUpMs: 2_000, measureMs: 8_000 };
const LONG = { viewers: 2_000, warmUpMs: 5_000, measureMs: 30_000 };
const CAMERA = { cameras: 1, widthPx: 1_280, heightPx: 720, bitrateBitsPerSec: 1_000_000 };

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const camera = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  const gateway = new ChildModule<SwarmGatewayCalls>(join(import.meta.dirname, 'swarm-gateway.ts'));
  return withChildren([gateway, camera], async () => {
    const [url] = await camera.call('start', CAMERA);
    const { port, mediaPaths } = await gateway.call('start', { cameraUrl: url!, viewers: scale.viewers });
    const viewers = new BlockingViewers(port, mediaPaths);
    return withChildren([viewers], () => measure(gateway, viewers, scale));
  });
}

async function measure(
  gateway: ChildModule<SwarmGatewayCalls>,
  viewers: BlockingViewers,
  scale: typeof SHORT,
): Promise<BenchResult> {
  await viewers.play();
  await delay(scale.warmUpMs);
  const before = await gateway.call('take', null);
  const own = { cpuMicros: threadCpuMicros(viewers.pid), atMs: hrtimeMs() };
  await delay(scale.measureMs);
  const after = await gateway.call('take', null);
  const viewersCpuPercent = (threadCpuMicros(viewers.pid) - own.cpuMicros) / 10 / (hrtimeMs() - own.atMs);
  const report = await viewers.finish();
  const due = after.parts.map(({ msn, part, atMs }) => ({ msn, part, dueMs: atMs }));
  const playlists = delaysOf(due, report, scale.viewers, 'playlist');
  const parts = delaysOf(due, report, scale.viewers, 'part');
  const later = (of: 'first' | 'median' | 'last'): number[] =>
    playlists[of].map((ms, index) => Math.max(ms, parts[of][index]!));
  const last = later('last');
  const row = {
    case: `${scale.viewers} viewers`,
    parts: due.length,
    'first viewer p50 ms': median(later('first')),
    'median viewer p50 ms': median(later('median')),
    'last viewer p50 ms': median(last),
    'last viewer p95 ms': percentile(last, 0.95),
    'last viewer max ms': percentile(last, 1),
    'gateway CPU %': cpuPercent(before.usage, after.usage),
    'viewers CPU %': viewersCpuPercent,
    errors: errorText(report),
  };
  return {
    name: 'swarm',
    rows: [row],
    figures: {
      viewers: scale.viewers,
      lastViewerP50Ms: median(last),
      lastViewerP95Ms: percentile(last, 0.95),
      medianViewerMs: row['median viewer p50 ms'],
      partsMeasured: due.length,
      errors: errorCount(report),
    },
  };
}
