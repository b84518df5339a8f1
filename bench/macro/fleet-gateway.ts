/** Child module: the gateway's side of the fleet benchmark, cameras in and live windows out, without viewers. */

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid } from '../../src/core/ruuid.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import { CameraSoundPaths } from '../../src/sources/sound/camera-sound.ts';
import { childrenOf } from '../../test/support/processes.ts';
import { createBenchHub } from '../support/bench-hub.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';
import { addCounts, CountedSource, type FrameCounts } from '../support/frame-ledger.ts';

export interface GatewaySample {
  readonly usage: ProcessUsage;
  readonly frames: FrameCounts;
  /** Frames the packagers refused. */
  readonly unpackaged: number;
  readonly windowBytes: number;
  readonly playableCameras: number;
  /** Playable cameras of which no audio has arrived. */
  readonly silentCameras: number;
  /** Processes that this one started. */
  readonly workers: number;
}

export interface FleetGatewayCalls {
  /** Called first, once; `windowMs`: of the live windows. Returns the usage of the process without cameras. */
  idle(options: { readonly windowMs: number }): ProcessUsage;
  /** Opens cameras, a few at a time, in addition to those that are open. Resolves when all of them play. */
  open(options: { readonly urls: readonly string[]; readonly timeoutMs: number }): Promise<void>;
  sample(nothing: null): GatewaySample;
  close(nothing: null): Promise<void>;
}

const TICKS_PER_FRAME = 3_600;
const OPEN_INTERVAL_MS = 10;
const POLL_INTERVAL_MS = 50;

let hub = createBenchHub({});
const sources: CountedSource[] = [];

async function open({ urls, timeoutMs }: { urls: readonly string[]; timeoutMs: number }): Promise<void> {
  const wanted = sources.length + urls.length;
  for (const url of urls) {
    const uuid = newRuuid();
    const direct = new DirectRtspSource({
      url: new CredentialUrl(url),
      transport: 'tcp',
      clock: systemClock,
      log: silentLog,
      sound: new CameraSoundPaths(systemClock, null),
    });
    const main = new CountedSource(direct, TICKS_PER_FRAME);
    sources.push(main);
    hub.put({ uuid, fingerprint: url, main, sub: null });
    hub.get(uuid)?.touch('sound');
    await delay(OPEN_INTERVAL_MS);
  }
  const deadlineMonoMs = systemClock.monoMs() + timeoutMs;
  while (sample().playableCameras < wanted) {
    if (systemClock.monoMs() > deadlineMonoMs) throw new Error(`${describe()} after ${timeoutMs} ms`);
    await delay(POLL_INTERVAL_MS);
  }
}

function idle({ windowMs }: { readonly windowMs: number }): ProcessUsage {
  hub = createBenchHub({ limits: { windowMs } });
  globalThis.gc?.();
  return processUsage();
}

function describe(): string {
  const states = [...hub.all()].map((camera) => camera.status());
  const offline = states.find((state) => state.state === 'offline');
  const why = offline?.state === 'offline' ? `, one is offline: ${offline.error.code}` : '';
  return `${sample().playableCameras} of ${states.length} cameras play${why}`;
}

function sample(): GatewaySample {
  let unpackaged = 0;
  let windowBytes = 0;
  let playableCameras = 0;
  for (const camera of hub.all()) {
    if (camera.status().state === 'live') playableCameras++;
    for (const profile of camera.profiles()) {
      for (const { packager } of profile.renditions.named()) {
        const stats = packager.stats();
        unpackaged += stats.droppedFrames;
        windowBytes += stats.windowBytes;
      }
    }
  }
  const counts = sources.map((source) => source.counts());
  return {
    usage: processUsage(),
    frames: addCounts(counts),
    unpackaged,
    windowBytes,
    playableCameras,
    silentCameras: counts.filter(({ soundFrames }) => soundFrames === 0).length,
    workers: childrenOf(process.pid, null).length,
  };
}

const calls: FleetGatewayCalls = {
  idle,
  open,
  sample,
  close: async () => hub.close(),
};

responseParent(calls);
