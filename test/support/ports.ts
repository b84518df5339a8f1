/**
 * TCP ports on loopback that nobody listens on. Each worker of the tests has some of its own, so that two never choose
 * the same one before either listens; and they are none of those the kernel gives to connections by itself, so that a
 * port is still free when its server comes back.
 */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the kernel's own: ip_local_port_range begins at 32768. */
const FIRST = 10_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 22;

const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
/** Where a worker begins differs from run to run: another run on this machine has the same workers. */
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_PER_WORKER; tries++) {
    const port = FIRST + worker * PORTS_PER_WORKER + (next++ % PORTS_PER_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error('every port of this worker is taken');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
