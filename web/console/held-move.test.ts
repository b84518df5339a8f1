import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Direction, HeldMove, MOVE_TIMEOUT_MS, RENEW_MS } from './held-move.ts';

const LEFT: Direction = { pan: -1, tilt: 0, zoom: 0 };
const UP: Direction = { pan: 0, tilt: 1, zoom: 0 };

let done: unknown[];
/** How the next moves end. */
let moving: () => Promise<void>;
let held: HeldMove;

beforeEach(() => {
  vi.useFakeTimers();
  done = [];
  moving = async () => undefined;
  held = new HeldMove({
    move: (direction, timeoutMs) => {
      done.push(direction === LEFT ? 'left' : 'up');
      expect(timeoutMs).toBe(MOVE_TIMEOUT_MS);
      return moving();
    },
    stop: async () => void done.push('stop'),
    onError: (error) => done.push(error),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('is renewed before it ends while it is held, and stops once it is not', async () => {
  held.hold(LEFT);
  await passed(3 * RENEW_MS);
  expect(done).toEqual(['left', 'left', 'left', 'left']);
  expect(3 * RENEW_MS).toBeLessThan(MOVE_TIMEOUT_MS);
  held.release();
  held.release();
  await passed(60_000);
  expect(done.slice(4)).toEqual(['stop']);
});

test('takes another direction as soon as the camera has the one before', async () => {
  let arrive = () => {};
  moving = () => new Promise((resolve) => (arrive = resolve));
  held.hold(LEFT);
  held.hold(UP);
  await passed(RENEW_MS);
  expect(done).toEqual(['left']);
  arrive();
  await passed(0);
  expect(done).toEqual(['left', 'up']);
});

test('stops again if the stop may have overtaken the move', async () => {
  let arrive = () => {};
  moving = () => new Promise((resolve) => (arrive = resolve));
  held.hold(LEFT);
  held.release();
  expect(done).toEqual(['left', 'stop']);
  arrive();
  await passed(0);
  expect(done).toEqual(['left', 'stop', 'stop']);
});

test('ends with its error when the camera refuses', async () => {
  moving = () => Promise.reject('refused');
  held.hold(LEFT);
  await passed(60_000);
  expect(done).toEqual(['left', 'refused', 'stop']);
});
