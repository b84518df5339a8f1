/** Binding listeners, and the addresses at which they can be reached. */

import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';
import type { FastifyInstance, FastifyListenOptions } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { HostPort } from '../../core/host-port.ts';
import { APP_ERRORS } from './errors.ts';

/** Addresses that people reach in a browser on the same machine as `localhost`. */
const LOCAL_HOSTS = new Set(['127.0.0.1', '0.0.0.0', '::1', '::']);

/**
 * How long responses need to be written; a client that has not made its request by then does not hold up the
 * others.
 */
const DRAIN_MS = 3_000;

/**
 * Listens and returns the base URL: the configured public one, or the address itself. `reusePort`: several threads listen at
 * the address, and the kernel divides the connections among them. Fails with CLI_LISTEN_FAILED.
 */
export async function listen(
  server: FastifyInstance,
  address: HostPort,
  publicUrl: string | null,
  { isTls = false, reusePort = false }: { readonly isTls?: boolean; readonly reusePort?: boolean } = {},
): Promise<string> {
  try {
    // Fastify passes on options that it does not know.
    const options: ListenOptions = { host: address.host, port: address.port, reusePort };
    await server.listen(options as FastifyListenOptions);
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host: address.host, port: address.port }, cause);
  }
  return publicUrl ?? localUrl(address.host, boundPort(server) ?? address.port, isTls);
}

/**
 * Fails with CLI_LISTEN_FAILED if someone listens at the address. What shares a port with its own threads would share it with
 * another process of the same user, too, and each would get a part of the connections.
 */
export async function expectFree({ host, port }: HostPort): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host, port }, cause);
  }
  server.close();
  await once(server, 'close');
}

/** Accepts no more requests, lets running ones finish, and ends connections that take too long. */
export async function stopListening(server: FastifyInstance, clock: Clock): Promise<void> {
  const timer = clock.after(DRAIN_MS, () => server.server.closeAllConnections());
  await server.close();
  timer.cancel();
}

/** URL for a person on the same machine. */
export function localUrl(host: string, port: number, isTls: boolean): string {
  const name = LOCAL_HOSTS.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${isTls ? 'https' : 'http'}://${name}:${port}`;
}

/** Null: it is not listening. */
export function boundPort(server: FastifyInstance): number | null {
  const bound = server.addresses()[0];
  return typeof bound === 'object' ? bound.port : null;
}
