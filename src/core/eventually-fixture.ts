/** Waits for what other promises lead to, without a timer, for tests. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Far more than any chain of promises takes, and than libuv's threads need on a busy machine. A condition that never holds ends here. */
const MAX_TURNS = 100_000;

/**
 * Resolves with what `ask` returned when that is truthy. Asks once per turn of the event loop, at most 100,000 times, and then
 * rejects with `what`.
 */
export async function eventually<T>(what: string, ask: () => T | Promise<T>): Promise<T> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const response = await ask();
    if (response) return response;
    await nextTurn();
  }
  throw new Error(`This did not happen within ${MAX_TURNS} turns: ${what}`);
}
