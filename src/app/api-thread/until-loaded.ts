/** Loads the state in memory of the API's thread again, if changes of other processes were missed. */

import { toGatewayError } from '../../core/errors.ts';
import { KeyedLock } from '../../core/keyed-lock.ts';
import type { ApiSideOptions } from './api-side-options.ts';

const RETRY_MS = 1_000;

/** Returns a function that runs `load` until it succeeds, one run at a time. */
export function untilLoaded(
  { clock, log, cleanup }: Pick<ApiSideOptions, 'clock' | 'log' | 'cleanup'>,
  load: () => Promise<void>,
): () => void {
  const turns = new KeyedLock();
  let isClosed = false;
  cleanup.add('loading after missed changes', async () => {
    isClosed = true;
    await turns.run('', async () => undefined);
  });
  const run = (): void => {
    if (isClosed) return;
    turns.run('', load).catch((thrown: unknown) => {
      log.error({ err: toGatewayError(thrown) }, 'loading after missed changes failed');
      clock.after(RETRY_MS, run);
    });
  };
  return run;
}
