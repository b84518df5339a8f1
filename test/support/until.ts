/**
 * Waits for a condition by polling, where there is no event to wait for (another process, a page). The limit only ends a
 * test that hangs; nothing is judged by it.
 */

import { setTimeout as pause } from 'node:timers/promises';

/** Resolves with the first result that is neither false, null nor undefined; fails with `what` when time runs out. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMs = 100_000,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  let lastError: unknown;
  while (performance.now() < deadlineMs) {
    try {
      const result = await ask();
      if (result !== false && result !== null && result !== undefined) return result;
    } catch (error) {
      lastError = error;
    }
    await pause(50);
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: lastError });
}
