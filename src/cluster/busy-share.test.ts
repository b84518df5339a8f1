import { expect, it } from 'vitest';
import { BusyShare } from './busy-share.ts';

/** An event loop that has been idle for a week. */
function startIdle() {
  const loop = { active: 1_000, idle: 7 * 24 * 3_600_000 };
  const busyShare = new BusyShare(() => ({ ...loop, utilization: loop.active / (loop.active + loop.idle) }));
  /** `readers` ask twice a second. */
  const run = (share: number, ms: number, readers = 1) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 500) {
      loop.active += share * 500;
      loop.idle += (1 - share) * 500;
      for (let reader = 0; reader < readers; reader++) busyShare.read();
    }
    return busyShare.read();
  };
  return { run };
}

it('follows the load within a minute, however long the thread was idle before', () => {
  const { run } = startIdle();
  expect(run(0, 5_000)).toBeCloseTo(0);
  expect(run(1, 60_000)).toBeGreaterThan(0.95);
  expect(run(0.25, 60_000)).toBeCloseTo(0.25, 1);
});

it('hardly moves with a burst', () => {
  const { run } = startIdle();
  const before = run(0.4, 120_000);
  expect(run(1, 1_000) - before).toBeLessThan(0.05);
});

it('is the same however often it is read', () => {
  const [one, many] = [startIdle(), startIdle()];
  expect(many.run(1, 10_000, 5)).toBeCloseTo(one.run(1, 10_000), 10);
  const [seldom, often] = [startIdle(), startIdle()];
  for (let sec = 0; sec < 10; sec++) often.run(0.7, 1_000);
  expect(often.run(0, 500)).toBeCloseTo(seldom.run(0.7, 10_000) * Math.exp(-500 / 15_000), 10);
});

it('of this thread is a share', () => {
  const share = new BusyShare().read();
  expect(share).toBeGreaterThanOrEqual(0);
  expect(share).toBeLessThanOrEqual(1);
});
