/**
 * How long the body of a request may take. Node has one limit for all requests, and uploads need a long one: so the short
 * one for all others is here.
 */

import type { ServerHttp2Stream } from 'node:http2';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';

const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/** null: HTTP/1.1. */
function streamOf(request: object): ServerHttp2Stream | null {
  return (request as { readonly stream?: ServerHttp2Stream }).stream ?? null;
}

/** Requests whose route is not an upload are dropped when their body is not complete after `limitMs`. */
export function limitBodyTimes(app: FastifyInstance, clock: Clock, limitMs: number): void {
  app.addHook('onRequest', ({ raw, routeOptions, headers }, reply, done) => {
    const stream = streamOf(raw);
    const hasBody =
      stream === null
        ? headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
        : !stream.endAfterHeaders;
    if (hasBody && routeOptions.config.access !== 'upload') {
      const timer = clock.after(limitMs, () => {
        if (raw.complete || raw.readableEnded) return;
        if (stream !== null) reply.raw.destroy();
        else if (reply.raw.headersSent) raw.socket.destroy();
        else raw.socket.end(TIMED_OUT, () => raw.socket.destroy());
      });
      raw.once('close', () => timer.cancel());
    }
    done();
  });
}
