/**
 * `swarm`: how long after a part exists the last of many low-latency viewers has it. One 1 Mbit/s synthetic camera,
 * the gateway with its whole front door, and the viewers, each in its own process. The delay counts from the frame
 * that completed the part to the last byte of the later one of playlist and part, on the clock that all processes
 * of a machine share (CLOCK_MONOTONIC).
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchOptions, type BenchResult, median, percentile } from '../report.ts';
import type { CameraFleetCalls } from '../support/camera-fleet.ts';
import { ChildModule, cpuPercent, withChildren } from '../support/child-module.ts';
import type { PublishedPart } from '../support/publish-log.ts';
import type { SwarmGatewayCalls } from './swarm-gateway.ts';
import type { ServedPart, SwarmViewerCalls } from './swarm-viewers.ts';

const SHORT = { viewers: 300, warmUpMs: 2_000, measureMs: 8_000 };
const LONG = { viewers: 2_000, warmUpMs: 5_000, measureMs: 30_000 };
/** Parts published at the end of the measured time have this long to reach everyone. */
const DRAIN_MS = 2_000;
const CAMERA = { cameras: 1, widthPx: 1_280, heightPx: 720, bitrateBitsPerSec: 1_000_000 };

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const scale = isShort ? SHORT : LONG;
  const camera = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  const gateway = new ChildModule<SwarmGatewayCalls>(join(import.meta.dirname, 'swarm-gateway.ts'));
  const viewers = new ChildModule<SwarmViewerCalls>(join(import.meta.dirname, 'swarm-viewers.ts'));
  return withChildren([viewers, gateway, camera], async () => {
    const [url] = await camera.call('start', CAMERA);
    const target = await gateway.call('start', { cameraUrl: url!, viewers: scale.viewers });
    await viewers.call('start', target);
    await delay(scale.warmUpMs);
    const viewersBefore = await viewers.call('take', null);
    const before = await gateway.call('take', null);
    await delay(scale.measureMs);
    const after = await gateway.call('take', null);
    await delay(DRAIN_MS);
    const served = await viewers.call('take', null);
    await viewers.call('stop', null);
    const delays = measureDelays(after.parts, served.parts, scale.viewers);
    const failures = { ...viewersBefore.errors, ...served.errors };
    const errors = Object.values(failures).reduce((sum, count) => sum + count, 0);
    const last = delays.parts.map((part) => part.lastMs);
    const row = {
      case: `${scale.viewers} viewers`,
      parts: delays.parts.length,
      'first viewer p50 ms': median(delays.parts.map((part) => part.firstMs)),
      'median viewer p50 ms': median(delays.parts.map((part) => part.medianMs)),
      'last viewer p50 ms': median(last),
      'last viewer p95 ms': percentile(last, 0.95),
      'last viewer max ms': percentile(last, 1),
      'gateway CPU %': cpuPercent(before.usage, after.usage),
      'viewers CPU %': cpuPercent(viewersBefore.usage, served.usage),
      'missed parts': delays.missed,
      errors: errors === 0 ? 'none' : JSON.stringify(failures),
    };
    return {
      name: 'swarm',
      rows: [row],
      figures: {
        viewers: scale.viewers,
        lastViewerP50Ms: median(last),
        lastViewerP95Ms: percentile(last, 0.95),
        medianViewerMs: row['median viewer p50 ms'],
        partsMeasured: delays.parts.length,
        missedParts: delays.missed,
        errors,
      },
    };
  });
}

interface PartDelay {
  readonly firstMs: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

/**
 * Only parts that reached every viewer have a last viewer. A viewer who is late by a whole part misses the next
 * one.
 */
function measureDelays(
  published: readonly PublishedPart[],
  served: readonly ServedPart[],
  viewers: number,
): { parts: PartDelay[]; missed: number } {
  const doneAtMs = new Map(served.map((part) => [`${part.msn}.${part.part}`, part.doneAtMs]));
  const parts: PartDelay[] = [];
  let missed = 0;
  for (const { msn, part, atMs } of published) {
    const done = doneAtMs.get(`${msn}.${part}`);
    if (done === undefined || done.length < viewers) {
      missed++;
      continue;
    }
    parts.push({ firstMs: done[0]! - atMs, medianMs: median(done) - atMs, lastMs: done.at(-1)! - atMs });
  }
  return { parts, missed };
}
