/**
 * Routes for the operator: metrics, liveness, readiness. They show no organization's data. Metrics can require a token.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import type { MetricsText, Readiness } from '../core/readiness.ts';
import type { Secret } from '../core/secret.ts';
import { API_ERRORS } from './errors.ts';

export interface OperationsRoutesOptions {
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: (() => Promise<MetricsText>) | undefined;
  /** The Bearer token that readers of the metrics must send (RFC 6750 §2.1); undefined: none. */
  readonly metricsToken?: Secret | undefined;
}

export const OPERATIONS_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export async function operationsRoutes(
  api: FastifyInstance,
  options: OperationsRoutesOptions,
): Promise<void> {
  api.addHook('onRequest', async (request) => {
    // Proxies block these paths by their spelling: `/metrics/` and `/%6Detrics` are others.
    const { url } = request.raw;
    const path = url?.split('?', 1)[0] ?? '';
    if (!OPERATIONS_PATHS.has(path)) throw new GatewayError(API_ERRORS.UNKNOWN_PATH, { path });
  });
  api.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  api.get('/readyz', async (_request, reply) => {
    const readiness = await options.readiness();
    return reply.code(readiness.ready ? 200 : 503).send(readiness);
  });
  const { metrics, metricsToken } = options;
  if (metrics === undefined) return;
  api.get('/metrics', async (request, reply) => {
    if (metricsToken !== undefined && !presents(request.headers.authorization, metricsToken)) {
      const challenge = { 'www-authenticate': 'Bearer realm="metrics"', 'content-type': 'text/plain' };
      return reply.code(401).headers(challenge).send('Send the token of metrics.token as a Bearer token.\n');
    }
    const { contentType, body } = await metrics();
    return reply.header('content-type', contentType).send(body);
  });
}

/** Compares digests, so that the time reveals neither the token's length nor its beginning. */
function presents(authorization: string | undefined, token: Secret): boolean {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(presented), digest(token.reveal()));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
