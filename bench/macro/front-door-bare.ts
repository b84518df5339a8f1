/** The reference of the front-door benchmark: Fastify routes that return ready-made bytes and headers. */

import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

export interface BareRoute {
  /** Without query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Returns the port. */
export async function startBare(routes: readonly BareRoute[]): Promise<number> {
  const app = Fastify();
  for (const { path, headers, body } of routes) {
    app.get(path, (_request, reply) => {
      reply.headers(headers).send(body);
    });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}
