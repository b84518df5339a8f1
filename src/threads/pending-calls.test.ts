import { expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import { PendingCalls } from './pending-calls.ts';

const { SLOW, GONE } = defineErrors({
  SLOW: { kind: 'timeout', message: 'slow' },
  GONE: { kind: 'unavailable', message: 'gone' },
});
const outcome = (result: Promise<unknown>): Promise<unknown> =>
  result.catch((thrown: { readonly code: string }) => thrown.code);

it('settles calls by their numbers, in any order, once', async () => {
  const calls = new PendingCalls<string>();
  const [first, second, third] = [calls.add(), calls.add(), calls.add()];
  calls.resolve(second.id, 'two');
  calls.resolve(second.id, 'again');
  calls.fail(first.id, wireErrorOf(new GatewayError(GONE)));
  expect(calls.size).toBe(1);
  calls.rejectAll(() => new GatewayError(SLOW));
  expect(await Promise.all([first, second, third].map(({ result }) => outcome(result)))).toEqual([
    'GONE',
    'two',
    'SLOW',
  ]);
  expect(calls.size).toBe(0);
});

it('fails a call whose deadline passes, unless it makes progress, and leaves no timer', async () => {
  const clock = new FakeClock();
  const calls = new PendingCalls<string>();
  const deadline = { clock, ms: 100, onPassed: () => new GatewayError(SLOW) };
  const [late, busy] = [calls.add(deadline), calls.add(deadline)];
  clock.advance(99);
  expect(calls.extend(busy.id)).toBe(true);
  clock.advance(1);
  expect(await outcome(late.result)).toBe('SLOW');
  expect(calls.extend(late.id)).toBe(false);
  calls.resolve(busy.id, 'done');
  expect([await busy.result, clock.pendingTimers]).toEqual(['done', 0]);
});
