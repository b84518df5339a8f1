/** Routes for whoever runs the gateway: metrics, liveness, readiness. They need no key and tell no one's data. */

import type { FastifyInstance } from 'fastify';

/** Whether the gateway can do its work now; `checks` names what was looked at, `ok` or the reason why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

export interface OperationsRoutesOptions {
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: (() => Promise<MetricsText>) | undefined;
}

export const OPERATIONS_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export async function operationsRoutes(
  api: FastifyInstance,
  options: OperationsRoutesOptions,
): Promise<void> {
  api.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  api.get('/readyz', async (_request, reply) => {
    const readiness = await options.readiness();
    return reply.code(readiness.ready ? 200 : 503).send(readiness);
  });
  const { metrics } = options;
  if (metrics === undefined) return;
  api.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await metrics();
    return reply.header('content-type', contentType).send(body);
  });
}
