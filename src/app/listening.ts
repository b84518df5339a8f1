/** Binding listeners, and the addresses at which they can be reached. */

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { ListenAddress } from './config/value-types.ts';
import { APP_ERRORS } from './errors.ts';

/** What you type into a browser on the same machine. */
const LOCAL_HOSTS = new Set(['127.0.0.1', '0.0.0.0', '::1', '::']);

/**
 * How long responses need to be written; a client that has not made its request by then does not hold up the
 * others.
 */
const DRAIN_MS = 3_000;

/** Listens and returns the base URL: the configured public one, or the address itself. Fails with CLI_LISTEN_FAILED. */
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

/** Accepts no more requests, lets running ones finish, and ends connections that take too long. */
export async function stopListening(server: FastifyInstance, clock: Clock): Promise<void> {
  const timer = clock.after(DRAIN_MS, () => server.server.closeAllConnections());
  await server.close();
  timer.cancel();
}

/** What a person on the same machine opens. */
export function localUrl(host: string, port: number): string {
  const name = LOCAL_HOSTS.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Null: it is not listening. */
export function boundPort(server: FastifyInstance): number | null {
  const bound = server.addresses()[0];
  return typeof bound === 'object' ? bound.port : null;
}
