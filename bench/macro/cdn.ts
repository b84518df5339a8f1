/**
 * `cdn`: the requests of a cache in front of the gateway, with ever more low-latency viewers of one camera. nginx is set up
 * as in docs/guide/cdn.md. Media requests and bytes count per published part, so that they compare between steps. Playlists
 * are each viewer's own and pass through: they grow with the viewers.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { guideNginx } from '../../test/support/media-cache.ts';
import { freePort } from '../../test/support/ports.ts';
import type { BenchOptions, BenchResult, Row } from '../report.ts';
import type { CameraFleetCalls } from '../support/camera-fleet.ts';
import {
  ChildModule,
  cpuPercent,
  hrtimeMs,
  type ProcessUsage,
  withChildren,
} from '../support/child-module.ts';
import { foreignPssBytes, threadCpuMicros } from '../support/foreign-process.ts';
import type { CdnGatewayCalls, OriginCounts } from './cdn-gateway.ts';
import type { CdnViewerCalls, CdnViewerCounts } from './cdn-viewers.ts';

const SHORT = { steps: [10, 50, 200], settleMs: 1_000, measureMs: 6_000 };
const LONG = { steps: [10, 100, 1_000], settleMs: 3_000, measureMs: 20_000 };
const CAMERA = { cameras: 1, widthPx: 1_280, heightPx: 720, bitrateBitsPerSec: 1_000_000 };
const NGINX = '/usr/sbin/nginx';
const POLL_INTERVAL_MS = 20;
const START_TIMEOUT_MS = 5_000;

interface Step {
  readonly viewers: number;
  readonly requestsPerPart: number;
  readonly bytesPerPart: number;
  readonly row: Row;
}

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  if (!existsSync(NGINX)) throw new Error(`${NGINX} is not installed`);
  const plan = isShort ? SHORT : LONG;
  const camera = new ChildModule<CameraFleetCalls>(join(import.meta.dirname, '../support/camera-fleet.ts'));
  const gateway = new ChildModule<CdnGatewayCalls>(join(import.meta.dirname, 'cdn-gateway.ts'));
  const viewers = new ChildModule<CdnViewerCalls>(join(import.meta.dirname, 'cdn-viewers.ts'));
  return withChildren([viewers, gateway, camera], async () => {
    const [url] = await camera.call('start', CAMERA);
    const originPort = await gateway.call('start', url!);
    const nginx = await startNginx(originPort);
    return withChildren([nginx], async () => {
      const countsOf = async (): Promise<Counts> => ({
        origin: await gateway.call('counts', null),
        viewers: await viewers.call('counts', null),
        cache: nginx.usage(),
      });
      const steps: Step[] = [];
      let playing = 0;
      for (const count of plan.steps) {
        const mediaPaths = await gateway.call('openShares', count - playing);
        await viewers.call('add', { port: nginx.port, mediaPaths });
        playing = count;
        await delay(plan.settleMs);
        const before = await countsOf();
        await delay(plan.measureMs);
        const after = await countsOf();
        steps.push(stepOf(count, before, after));
      }
      const { errors } = await viewers.call('counts', null);
      await viewers.call('stop', null);
      return resultOf(steps, errors);
    });
  });
}

interface Counts {
  readonly origin: OriginCounts;
  readonly viewers: CdnViewerCounts;
  readonly cache: ProcessUsage;
}

function stepOf(count: number, before: Counts, after: Counts): Step {
  const sec = (after.origin.usage.atMs - before.origin.usage.atMs) / 1_000;
  const published = after.origin.publishedParts - before.origin.publishedParts;
  const requests = after.origin.requests - before.origin.requests;
  const bytes = after.origin.bytes - before.origin.bytes;
  const got = after.viewers.parts - before.viewers.parts;
  return {
    viewers: count,
    requestsPerPart: requests / published,
    bytesPerPart: bytes / published,
    row: {
      case: `${count} viewers`,
      'parts published': published,
      'media requests at the gateway': requests,
      'media kB/s at the gateway': Math.round(bytes / sec / 1_000),
      'parts of viewers': got,
      'of what they could get %': Math.round((100 * got) / (published * count)),
      'kB/s to viewers': Math.round((after.viewers.bytes - before.viewers.bytes) / sec / 1_000),
      'playlists/s': Math.round((after.origin.playlists - before.origin.playlists) / sec),
      'gateway CPU %': cpuPercent(before.origin.usage, after.origin.usage),
      'nginx CPU %': cpuPercent(before.cache, after.cache),
      'viewers CPU %': cpuPercent(before.viewers.usage, after.viewers.usage),
    },
  };
}

function resultOf(steps: readonly Step[], failures: Readonly<Record<string, number>>): BenchResult {
  const [few, many] = [steps[0]!, steps.at(-1)!];
  const errors = Object.values(failures).reduce((sum, count) => sum + count, 0);
  if (errors > 0) process.stderr.write(`${JSON.stringify(failures)}\n`);
  return {
    name: 'cdn',
    rows: steps.map(({ row }) => row),
    figures: {
      viewers: many.viewers,
      requestsRatio: many.requestsPerPart / few.requestsPerPart,
      bytesRatio: many.bytesPerPart / few.bytesPerPart,
      requestsPerPart: many.requestsPerPart,
      errors,
    },
  };
}

interface BenchCache {
  readonly port: number;
  usage(): ProcessUsage;
  end(): Promise<void>;
}

async function startNginx(originPort: number): Promise<BenchCache> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-cdn-'));
  const port = await freePort();
  const configFile = join(folder, 'nginx.conf');
  const config = guideNginx(folder, port, `http://127.0.0.1:${originPort}`);
  writeFileSync(configFile, config.replace('worker_connections 4096', 'worker_connections 16384'));
  const child = spawn(NGINX, ['-p', folder, '-c', configFile, '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let waitedMs = 0; !(await isOpen(port)); waitedMs += POLL_INTERVAL_MS) {
    if (child.exitCode !== null || waitedMs > START_TIMEOUT_MS) throw new Error('nginx does not start');
    await delay(POLL_INTERVAL_MS);
  }
  return {
    port,
    usage: () => {
      const pid = child.pid!;
      return { cpuMicros: threadCpuMicros(pid), rssBytes: foreignPssBytes(pid), atMs: hrtimeMs() };
    },
    async end() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
