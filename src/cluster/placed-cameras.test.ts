import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { LOOK_MS, PlacedCameras } from './placed-cameras.ts';

it('takes a camera that has been its own for two looks, and gives it up at the first that it is not', () => {
  const clock = new FakeClock();
  const [one, two] = [newRuuid(), newRuuid()];
  const here = new Set<Ruuid>([one]);
  const changes: unknown[] = [];
  const placed = new PlacedCameras({
    cameras: () => [one, two],
    isPlacedHere: (cameraUuid) => here.has(cameraUuid),
    clock,
    onChange: (cameraUuids, isHere) => changes.push([cameraUuids, isHere]),
  });
  clock.advance(LOOK_MS);
  expect(changes).toEqual([]);
  clock.advance(LOOK_MS);
  expect(changes.splice(0)).toEqual([[[one], true]]);
  here.add(two);
  clock.advance(LOOK_MS);
  here.delete(one);
  clock.advance(LOOK_MS);
  expect(changes.splice(0)).toEqual([
    [[one], false],
    [[two], true],
  ]);
  expect(placed.all()).toEqual([two]);
  here.add(one);
  clock.advance(LOOK_MS);
  here.delete(one);
  clock.advance(LOOK_MS);
  expect(changes).toEqual([]);
  placed.close();
  clock.advance(LOOK_MS);
  expect(clock.pendingTimers).toBe(0);
});
