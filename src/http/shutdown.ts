/**
 * How the API responds to requests that still arrive while it closes, on connections that were busy when closing began.
 */

import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import { API_ERRORS } from './errors.ts';

/**
 * Requests fail API_SHUTTING_DOWN from the moment the instance starts to close. Fastify's own response for that has no
 * envelope.
 */
export function refuseWhileClosing(api: FastifyInstance): void {
  let isClosing = false;
  api.addHook('preClose', async () => {
    isClosing = true;
  });
  api.addHook('onRequest', async () => {
    if (isClosing) throw new GatewayError(API_ERRORS.API_SHUTTING_DOWN);
  });
}
