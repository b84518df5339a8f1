/** Whether the client of a request is still there. */

import type { FastifyReply } from 'fastify';

/**
 * Aborted when the connection closes before the response is complete. Not by the request's own `close`, which Node emits
 * when the body has been read.
 */
export function departureOf({ raw }: FastifyReply): AbortSignal {
  const departure = new AbortController();
  const leave = (): void => {
    if (!raw.writableFinished) departure.abort();
  };
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  return departure.signal;
}
