import { expect, it } from 'vitest';
import { isLate, untilAborted, withDeadline } from './deadline.ts';
import { FakeClock } from './fake-clock.ts';

const untilAbort = (signal: AbortSignal): Promise<AbortSignal> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal)));

it('aborts work that takes too long, and says that it was late', async () => {
  const clock = new FakeClock();
  const ended = withDeadline(clock, 500, untilAbort);
  clock.advance(500);
  expect(isLate(await ended)).toBe(true);
});

it('aborts work when its owner ends it, which is not late, and leaves no timer', async () => {
  const clock = new FakeClock();
  const ending = new AbortController();
  const ended = withDeadline(clock, 500, untilAbort, ending.signal);
  ending.abort();
  expect(isLate(await ended)).toBe(false);
  expect(clock.pendingTimers).toBe(0);
});

it('does not wait for work that cannot be aborted', async () => {
  const ending = new AbortController();
  const waiting = untilAborted(new Promise(() => undefined), ending.signal);
  const reason = new Error('stopped');
  ending.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(untilAborted(Promise.resolve(1), ending.signal)).rejects.toBe(reason);
  expect(await untilAborted(Promise.resolve(1), new AbortController().signal)).toBe(1);
});
