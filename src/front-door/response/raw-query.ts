/** A request's query as it was sent: it is not parsed unless someone needs it. */

import type { FastifyRequest } from 'fastify';

interface RawQuery extends Record<string, unknown> {
  readonly raw: string;
}

/** Fastify's `querystringParser`: keeps the text. */
export function keepRawQuery(text: string): RawQuery {
  return { raw: text };
}

/** Without its `?`; '' when there is none. */
export function rawQuery(request: FastifyRequest): string {
  return (request.query as RawQuery).raw ?? '';
}
