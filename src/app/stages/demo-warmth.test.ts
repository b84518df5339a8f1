import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { DEMO_CAMERA_UUID } from '../../devices/operators-camera.ts';
import { type WebAssets, webAssetsOnDemand } from '../../front-door/page/web-assets.ts';
import type { LiveCameras } from '../../stream/media/live-media.ts';
import { keepDemoWarm, preparePages, WARM_MS } from './demo-warmth.ts';

it('the demo is open from the start, and closed later if no one watches it', () => {
  const clock = new FakeClock();
  const touchedMonoMs: number[] = [];
  let isKnown = false;
  const camera = { touch: () => void touchedMonoMs.push(clock.monoMs()) };
  const cameras = { get: () => (isKnown ? camera : undefined) } as unknown as LiveCameras;
  const startMonoMs = clock.monoMs();
  keepDemoWarm(cameras, DEMO_CAMERA_UUID, clock);
  // The hub learns of the camera from the store.
  clock.advance(400);
  isKnown = true;
  for (let sec = 0; sec < WARM_MS / 1_000; sec++) clock.advance(1_000);
  expect(touchedMonoMs[0]! - startMonoMs).toBeLessThan(1_000);
  const gaps = touchedMonoMs.slice(1).map((atMs, index) => atMs - touchedMonoMs[index]!);
  expect(Math.max(...gaps)).toBeLessThan(1_000);
  clock.advance(60_000);
  expect(touchedMonoMs.at(-1)! - startMonoMs).toBeLessThan(WARM_MS + 1_000);
});

it('nothing opens it again after its end', () => {
  const clock = new FakeClock();
  let touches = 0;
  const cameras = { get: () => ({ touch: () => void touches++ }) } as unknown as LiveCameras;
  const cool = keepDemoWarm(cameras, DEMO_CAMERA_UUID, clock);
  cool();
  clock.advance(10_000);
  expect(touches).toBe(1);
});

it('prepares pages after the start, without a request, and shares this with requests meanwhile', async () => {
  const clock = new FakeClock();
  const webFolder = join(import.meta.dirname, '../../../web');
  const assets = webAssetsOnDemand({ webFolder, publicMediaUrl: 'https://media.example' });
  const made: Promise<WebAssets>[] = [];
  preparePages(() => {
    const preparation = assets();
    made.push(preparation);
    return preparation;
  }, clock);
  expect(made).toEqual([]);
  clock.advance(1_000);
  expect(made.length).toBe(1);
  expect(assets()).toBe(made[0]);
  expect((await made[0]!).byName.size).toBeGreaterThan(0);
});

it('prepares no pages after its end, and survives a failure', async () => {
  const clock = new FakeClock();
  let calls = 0;
  const failing = () => {
    calls++;
    return Promise.reject(new Error('no web folder'));
  };
  preparePages(failing, clock)();
  clock.advance(1_000);
  expect(calls).toBe(0);
  preparePages(failing, clock);
  clock.advance(1_000);
  expect(calls).toBe(1);
});
