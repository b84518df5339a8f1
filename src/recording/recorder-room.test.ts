import { expect, it } from 'vitest';
import { LIMITS } from '../core/limits/registry.ts';
import { RecorderRoom } from './recorder-room.ts';

const RING_BYTES = 1_000_000;
const PART_BYTES = 1_000;

/** Takes until there is nothing more; returns how many parts that were. */
function takeAll(
  room: RecorderRoom,
  cameraOf: (index: number) => string,
  organization: string,
  bytes: number,
) {
  for (let count = 0; ; count++) if (room.take(cameraOf(count), organization, bytes) === null) return count;
}

it('leaves room to other organizations, however many cameras one of them has', () => {
  const room = new RecorderRoom(RING_BYTES);
  let cameras = 0;
  const greedy = takeAll(room, () => `camera ${cameras++ % 200}`, 'b', PART_BYTES);
  expect(greedy * PART_BYTES).toBeLessThanOrEqual(RING_BYTES * 0.75);
  const own = takeAll(room, () => 'own', 'a', PART_BYTES);
  expect(own).toBeGreaterThan(50);
});

it('leaves room for many small parts, too', () => {
  const room = new RecorderRoom(64 * 1_048_576);
  let cameras = 0;
  takeAll(room, () => `camera ${cameras++ % 200}`, 'b', 1);
  expect(takeAll(room, () => 'own', 'a', 1)).toBeGreaterThan(LIMITS.recordingParts.total / 20);
});

it('leaves three quarters to others when one camera takes all that it can', () => {
  const room = new RecorderRoom(RING_BYTES);
  expect(takeAll(room, () => 'one', 'a', PART_BYTES)).toBe(RING_BYTES / PART_BYTES / 4);
  expect(takeAll(room, () => 'other', 'a', PART_BYTES)).toBeGreaterThan(100);
});

it('gets back what the recorder has taken, once', () => {
  const room = new RecorderRoom(RING_BYTES);
  const giveBack = room.take('one', null, RING_BYTES / 4)!;
  expect(room.take('one', null, 1)).toBeNull();
  giveBack();
  giveBack();
  expect(room.take('one', null, RING_BYTES / 4)).not.toBeNull();
});
