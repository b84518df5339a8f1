/** The body of a request that opens a link. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_PASSWORD_CHARS } from '../../sharing/password.ts';

export interface OpenBody {
  readonly password?: string | null;
}

export const OPEN_BODY = {
  type: 'object',
  properties: { password: { type: ['string', 'null'], maxLength: MAX_PASSWORD_CHARS } },
} as const;

/** A request without a body opens the share without a password. */
export function emptyBodyIsObject(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.body ??= {};
  done();
}
