/** More cameras than workers: the alarm center's camera is next, and each one that waits says so. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '4s' },
    ffmpeg: { maxWorkers: 1, queueTimeout: '60s' },
    cameras: ['Lobby', 'Yard', 'Gate'].map((name) => ({ name, rtsp: camera.url, engine: 'ffmpeg' })),
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

function logged(message: string): Json[] {
  const lines = gateway.child.lines.filter((line) => line.includes(`"msg":"${message}"`));
  return lines.map((line) => JSON.parse(line));
}

async function detailOf(name: string): Promise<Json> {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  return cameraStates.find((state: Json) => state.name === name).connectionDetail;
}

it('an alarm center’s camera gets the worker before a viewer’s, and both know why they wait', async () => {
  const lobby = await gateway.share('Lobby');
  const yard = await gateway.share('Yard');
  const gate = await gateway.share('Gate', { streamType: 'ALARM_MONITORING' });
  const held = await until('the first camera to play', () => openShare(lobby.m3u8Url));
  let isHolding = true;
  const keep = async (): Promise<void> => {
    while (isHolding) {
      await fetchPlaylist(held).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const holding = keep();
  const waits = [yard, gate].map(() => new AbortController());
  const opening = [yard, gate].map((share, index) =>
    fetch(share.m3u8Url, { signal: waits[index]!.signal }).catch(() => null),
  );
  const lines = await until('both to wait', () => {
    const found = logged('camera waiting for a worker');
    return found.length === 2 ? found : null;
  });
  const urgencies = Object.fromEntries(lines.map(({ name, urgency }) => [name, urgency]));
  expect(urgencies).toEqual({ Yard: 'viewer', Gate: 'alarm' });
  await until('the line to be known', async () => {
    const details = await Promise.all(['Gate', 'Yard'].map(detailOf));
    return details.every((detail, ahead) => detail.state === 'connecting' && detail.waiting?.ahead === ahead);
  });
  expect((await detailOf('Gate')).waiting).toEqual({ ahead: 0, running: 1, maxWorkers: 1 });
  const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  expect(metrics).toContain('sluice_ffmpeg_queue{urgency="alarm"} 1');
  expect(metrics).toContain('sluice_ffmpeg_queue{urgency="viewer"} 1');

  isHolding = false;
  await holding;
  await until('the next camera to play', () => logged('stream opened').length === 2);
  expect(logged('stream opened').map(({ name }) => name)).toEqual(['Lobby', 'Gate']);
  expect((await detailOf('Yard')).waiting).toEqual({ ahead: 0, running: 1, maxWorkers: 1 });
  expect((await detailOf('Gate')).waiting).toBeUndefined();
  for (const wait of waits) wait.abort();
  await Promise.all(opening);
});
