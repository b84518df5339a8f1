/**
 * Measures the work that camera threads save the packaging thread: its processor time with many cameras, read by itself and
 * by two threads. The cameras' windows are full of video that no viewer requests.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { TestGateway } from '../../../test/support/gateway.ts';
import { fetchOk } from '../../../test/support/hls.ts';
import type { Row } from '../../report.ts';
import { threadCpuMicros } from '../../support/foreign-process.ts';

const CAMERA_THREADS = 2;
const THREAD_NAME = 'sluice-cameras-';

/** In percent of a core. */
interface Load {
  readonly gatewayThread: number;
  readonly cameraThreads: number;
}

export async function measureCameraThreads(
  config: object,
  urls: readonly string[],
  { warmUpMs, measureMs }: { readonly warmUpMs: number; readonly measureMs: number },
): Promise<{ rows: Row[]; figures: Record<string, number> }> {
  const cameras = urls.map((rtsp, index) => ({ name: `Camera ${index}`, rtsp, transport: 'tcp' }));
  const loads: Load[] = [];
  for (const threads of [0, CAMERA_THREADS]) {
    const gateway = await TestGateway.start({ ...config, threads: { cameras: threads }, cameras });
    try {
      for (const { name } of cameras) await fetchOk((await gateway.share(name)).m3u8Url);
      await delay(warmUpMs);
      loads.push(await loadOf(gateway.child.process.pid!, measureMs));
    } finally {
      await gateway.dispose();
    }
  }
  const [alone, shared] = loads as [Load, Load];
  return {
    rows: loads.map(({ gatewayThread, cameraThreads }, index) => ({
      case: `${cameras.length} cameras, ${index === 0 ? 'no' : CAMERA_THREADS} camera threads`,
      'gateway’s thread %/camera': gatewayThread / cameras.length,
      'camera threads %/camera': cameraThreads / cameras.length,
    })),
    figures: {
      camerasPerGatewayThread: alone.gatewayThread / shared.gatewayThread,
      cameraThreadsCost: (shared.gatewayThread + shared.cameraThreads) / alone.gatewayThread,
    },
  };
}

async function loadOf(pid: number, forMs: number): Promise<Load> {
  const before = cpuMicros(pid);
  const startedMs = performance.now();
  await delay(forMs);
  const elapsedMicros = (performance.now() - startedMs) * 1_000;
  const after = cpuMicros(pid);
  const percent = (of: keyof Load): number => ((after[of] - before[of]) / elapsedMicros) * 100;
  return { gatewayThread: percent('gatewayThread'), cameraThreads: percent('cameraThreads') };
}

function cpuMicros(pid: number): Load {
  const tasks = `/proc/${pid}/task`;
  const cameraThreads = readdirSync(tasks)
    .filter((tid) => readFileSync(`${tasks}/${tid}/comm`, 'latin1').startsWith(THREAD_NAME))
    .reduce((sum, tid) => sum + threadCpuMicros(Number(tid)), 0);
  return { gatewayThread: threadCpuMicros(pid), cameraThreads };
}
