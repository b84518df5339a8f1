/** The gateway's process stands still for a moment while cameras keep sending over UDP. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { makeHeavyClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const PAUSE_MS = 150;
/** About 12 s: longer than the log stays silent about further losses. */
const PAUSES = 15;
/** Late packets are 40 ms late, and the gateway waits 100 ms for them. */
const LATE_CAMERA_MS = 50;
const MAX_ATTEMPTS = 3;

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  // Some packet is always late by one frame: there is a gap to judge whenever the process stops.
  camera = await startCamera(0, { clip: await makeHeavyClip(), faults: { delayEveryNthPacket: 10 } });
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    cameras: [{ name: 'Yard', rtsp: camera.url, transport: 'udp' }],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

/** All pauses; the log lines that report a loss in the meantime. */
async function pauseOften(viewer: TestViewer): Promise<string[]> {
  const { process: child, lines } = gateway.child;
  const firstLine = lines.length;
  for (let round = 0; round < PAUSES; round++) {
    const { parts } = viewer;
    await until('two more parts', () => viewer.parts >= parts + 2);
    child.kill('SIGSTOP');
    // The time is what we test: nothing else happens while the process stands still.
    await pause(PAUSE_MS);
    child.kill('SIGCONT');
  }
  const { parts } = viewer;
  await until('parts from after the last pause', () => viewer.parts >= parts + 4);
  return lines.slice(firstLine).filter((line) => line.includes('frames dropped'));
}

it('loses no packet that the kernel had when it stood still for 150 ms', async () => {
  const viewer = new TestViewer(await openShare((await gateway.share('Yard')).m3u8Url));
  // The camera lives in this process: if it stands still itself, its late packets are rightly too late.
  const cameraDelay = monitorEventLoopDelay({ resolution: 10 });
  let losses: string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    cameraDelay.reset();
    cameraDelay.enable();
    losses = await pauseOften(viewer);
    cameraDelay.disable();
    if (losses.length === 0 || cameraDelay.max / 1e6 < LATE_CAMERA_MS) break;
  }
  await viewer.stop();
  expect(losses).toEqual([]);
  expect(viewer.failures).toEqual([]);
});
