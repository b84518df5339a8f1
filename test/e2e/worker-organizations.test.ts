/** One organization records with all workers, all the time. A viewer of another one plays, and keeps playing. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { hashApiKey } from '../../src/store/api-key-hash.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleApiKey, sampleOrganization } from '../../src/store/sample-entities-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { openShare } from '../support/hls.ts';
import { startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';

const GREEDY_KEY = 'greedy-admin-key';

let camera: SyntheticCamera;
let gateway: TestGateway;

beforeAll(async () => {
  camera = await startCamera();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '1m' },
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '1m' },
    ffmpeg: { maxWorkers: 2, queueTimeout: '60s' },
    recording: { minFree: '16MiB' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, engine: 'ffmpeg' }],
  });
  await gateway.end();
  await addGreedyOrganization();
  await gateway.run();
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

async function addGreedyOrganization(): Promise<void> {
  const data = join(gateway.folder, 'data');
  const { fieldKey } = loadSecrets(data, {});
  const path = join(data, 'sluice.db');
  const store = await openStore({ kind: 'sqlite', path, fieldKey, clock: systemClock });
  const greedy = sampleOrganization({ name: 'Greedy' });
  await store.organizations.save(greedy);
  await store.apiKeys.save(sampleApiKey(greedy.uuid, { keyHash: hashApiKey(GREEDY_KEY) }));
  await store.close();
}

async function greedily(path: string, body: Json): Promise<Json> {
  const response = await gateway.call(path, body, GREEDY_KEY);
  if (response.error) throw new Error(`${path}: ${response.errorMsg}`);
  return response;
}

function logged(message: string): Json[] {
  const lines = gateway.child.lines.filter((line) => line.includes(`"msg":"${message}"`));
  return lines.map((line) => JSON.parse(line));
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

it('gives one of its workers to a viewer of another organization, and no more', async () => {
  for (const name of ['Greedy 0', 'Greedy 1', 'Greedy 2']) {
    const { cameraUuid } = await greedily('camera/createCamera', {
      name,
      mainUrl: camera.url,
      engine: 'ffmpeg',
    });
    await greedily('camera/updateConfig', { config: { deviceUuid: cameraUuid, recording: 'always' } });
  }
  await until('all workers to record', () => logged('stream opened').length === 2);
  expect(await metric('sluice_ffmpeg_workers')).toBe(2);

  const share = await gateway.share('Lobby');
  const opened = await until('the viewer to get in', () => openShare(share.m3u8Url).catch(() => null));
  const viewer = new TestViewer(opened.replace('stream.m3u8', 'file.m3u8'));
  await until('the viewer to have video', () => viewer.parts >= 5);
  expect(logged('camera offline').map(({ err }) => [err.code, err.boundOf])).toContainEqual([
    'FFMPEG_POOL_FULL',
    'organization',
  ]);
  await until('more video', () => viewer.parts >= 60);
  expect([await metric('sluice_ffmpeg_taken_total'), await metric('sluice_ffmpeg_workers')]).toEqual([1, 2]);
  // The other worker still records.
  const names = logged('stream opened').map(({ name }) => name);
  expect([names.length, names.at(-1)]).toEqual([3, 'Lobby']);
  await viewer.stop();
  expect(viewer.failures).toEqual([]);
});
