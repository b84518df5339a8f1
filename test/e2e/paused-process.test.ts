/** The gateway's process stands still for a moment while cameras go on sending over UDP. */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { makeHeavyClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const PAUSE_MS = 150;
const PAUSES = 10;

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  // Some packet is always late by a picture: there is a gap to be judged whenever the process stops.
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

it('loses no packet that the kernel had when it stood still for 150 ms', async () => {
  const share = await gateway.share('Yard');
  const viewer = new TestViewer(await openShare(share.m3u8Url));
  const { process: child, lines } = gateway.child;
  for (let round = 0; round < PAUSES; round++) {
    const { parts } = viewer;
    await until('two more parts', () => viewer.parts >= parts + 2);
    child.kill('SIGSTOP');
    // The time is what is tested: nothing else happens while the process stands still.
    await pause(PAUSE_MS);
    child.kill('SIGCONT');
  }
  const { parts } = viewer;
  await until('parts from after the last pause', () => viewer.parts >= parts + 4);
  await viewer.stop();
  expect(viewer.failures).toEqual([]);
  expect(lines.filter((line) => line.includes('frames dropped'))).toEqual([]);
});
