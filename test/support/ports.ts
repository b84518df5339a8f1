/**
 * TCP ports on loopback for servers that must know theirs before they listen, and get it again after a restart. A process
 * reserves a block of ports before it hands one out, so that no two processes of any test run on this machine choose the
 * same one. All are below those that the kernel gives to connections: a port is still free when its server restarts.
 */

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the kernel's own: ip_local_port_range begins at 32768. */
const FIRST = 10_000;
const PORTS_PER_BLOCK = 100;
const BLOCKS = 227;

/** Kept, so that their reservations last as long as this process. */
const reservations: Server[] = [];
let nextBlock = Math.floor(Math.random() * BLOCKS);
/** Unused ports of the current block. */
let unused: number[] = [];
/** One call after the other: each changes the findings of the next one. */
let turn: Promise<unknown> = Promise.resolve();

/** A port that nothing listens on, and that no other test gets. Fails if every port is taken. */
export function freePort(): Promise<number> {
  const port = turn.then(nextPort);
  turn = port.catch(() => undefined);
  return port;
}

async function nextPort(): Promise<number> {
  for (;;) {
    const port = unused.shift();
    if (port === undefined) unused = await reserveBlock();
    else if (await isFree(port)) return port;
  }
}

async function reserveBlock(): Promise<number[]> {
  for (let tries = 0; tries < BLOCKS; tries++) {
    const block = nextBlock++ % BLOCKS;
    if (!(await isReserved(block))) continue;
    return Array.from({ length: PORTS_PER_BLOCK }, (_, at) => FIRST + block * PORTS_PER_BLOCK + at);
  }
  throw new Error('every block of ports is reserved');
}

/** Whether the block is this process's from now on. The kernel gives it back when the process ends, however it ends. */
async function isReserved(block: number): Promise<boolean> {
  // Only Linux has names of sockets without files. Elsewhere, the random first block has to do.
  if (process.platform !== 'linux') return true;
  const server = createServer();
  server.unref();
  if (!(await listens(server, { path: `\0sluice-test-ports-${block}` }))) return false;
  reservations.push(server);
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  if (!(await listens(server, { port, host: '127.0.0.1' }))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

async function listens(server: Server, address: { path: string } | { port: number; host: string }) {
  server.listen(address);
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
