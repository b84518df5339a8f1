/** A restart of the gateway, and waiting until it is there again. */

import { CallError, call } from './api.ts';

const LOOK_MS = 400;
const LONGEST_MS = 90_000;

/** `started`: the page should be loaded again, because its policy may name other addresses. `unseen`: no response came at this address. */
export type RestartOutcome = 'started' | 'unseen';

/** Resolves when another start of the gateway responds. Fails with a CallError if it refuses to restart. */
export async function restartGateway(): Promise<RestartOutcome> {
  const before = await startTime();
  await call('console/restartGateway');
  const limit = AbortSignal.timeout(LONGEST_MS);
  while (!limit.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await startTime().catch((error: unknown) => {
      if (error instanceof CallError) return null;
      throw error;
    });
    if (now !== null && now !== before) return 'started';
  }
  return 'unseen';
}

async function startTime(): Promise<string> {
  const { state } = await call('console/getSystemState', {}, AbortSignal.timeout(5_000));
  return state.startedAt;
}
