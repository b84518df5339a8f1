/** Binding listeners, and the addresses under which they are reached. */

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { ListenAddress } from './config/value-types.ts';
import { APP_ERRORS } from './errors.ts';

/** What one types into a browser on the same machine. */
const LOCAL_HOSTS = new Set(['127.0.0.1', '0.0.0.0', '::1', '::']);

/** What answers need to be written out; whoever has not even asked by then keeps nobody waiting. */
const DRAIN_MS = 3_000;

/** Listens and returns the base URL: the configured public one, else the address itself. Fails CLI_LISTEN_FAILED. */
export async function listen(
  server: FastifyInstance,
  address: ListenAddress,
  publicUrl: string | null,
): Promise<string> {
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host: address.host, port: address.port }, cause);
  }
  return publicUrl ?? localUrl(address.host, boundPort(server) ?? address.port);
}

/** Takes no more requests, lets running ones finish, and ends connections that dawdle. */
export async function stopListening(server: FastifyInstance, clock: Clock): Promise<void> {
  const timer = clock.after(DRAIN_MS, () => server.server.closeAllConnections());
  await server.close();
  timer.cancel();
}

function localUrl(host: string, port: number): string {
  const name = LOCAL_HOSTS.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Null: it does not listen. */
export function boundPort(server: FastifyInstance): number | null {
  const bound = server.addresses()[0];
  return typeof bound === 'object' ? bound.port : null;
}
