/** Commands in one round trip. */

import type { ChainableCommander } from 'ioredis';

/** The replies in order; rejects if any command failed. */
export async function runPipeline(pipeline: ChainableCommander): Promise<unknown[]> {
  const outcomes = await pipeline.exec();
  if (outcomes === null) throw new Error('the pipeline was aborted');
  return outcomes.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}
