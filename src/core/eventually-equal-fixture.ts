/** Waits for a value that other promises lead to, without a timer, for tests. */

import { expect } from 'vitest';
import { eventually } from './eventually-fixture.ts';

/** Resolves when `ask` returns a value that equals `expected`. Rejects with the difference if that does not happen in time. */
export async function eventuallyEqual(ask: () => unknown, expected: unknown): Promise<void> {
  let difference: unknown = null;
  const isEqual = async () => {
    try {
      expect(await ask()).toEqual(expected);
      return true;
    } catch (thrown) {
      difference = thrown;
      return false;
    }
  };
  await eventually('a value equals another one', isEqual).catch(() => {
    throw difference;
  });
}
