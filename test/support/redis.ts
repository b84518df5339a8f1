/** The test's own real redis-server, in memory, on a loopback port. */

import { Child } from './child.ts';
import { freePort } from './ports.ts';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** `port`: the same as before, to restart Redis (empty, as after losing its memory). */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await freePort());
  const args = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = new Child('redis-server', args);
  await child.line(/Ready to accept connections/i);
  return { url: `redis://127.0.0.1:${chosen}`, port: chosen, stop: () => child.end('SIGKILL') };
}
