import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { DEMO_CAMERA_UUID } from '../../devices/operators-camera.ts';
import type { LiveCameras } from '../../stream/media/live-media.ts';
import { keepDemoWarm, WARM_MS } from './demo-warmth.ts';

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
