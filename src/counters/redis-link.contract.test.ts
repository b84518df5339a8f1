import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { MAX_WORK_UNDER_WAY, RedisLink } from './redis-link.ts';
import { RedisServerProcess } from './redis-server-fixture.ts';

const TIMEOUT_MS = 100;

let server: RedisServerProcess;
let link: RedisLink;

beforeAll(async () => {
  server = await RedisServerProcess.start();
  link = new RedisLink({
    url: server.url,
    clock: systemClock,
    log: silentLog,
    commandTimeoutMs: TIMEOUT_MS,
    onReturned: async () => undefined,
  });
  await link.start();
});
afterAll(async () => {
  link?.close();
  await server?.kill();
});

it('a process that stood still for longer than a command may take reads the reply that has come', async () => {
  const reply = link.run((client) => client.ping());
  // The command is on its way.
  await new Promise(setImmediate);
  const sentMs = performance.now();
  while (performance.now() - sentMs < 3 * TIMEOUT_MS);
  expect(await reply).toBe('PONG');
  expect(link.isUp).toBe(true);
});

it('more work than may be in flight has no result, and leaves the connection to the rest', async () => {
  const work = Array.from({ length: MAX_WORK_UNDER_WAY + 5 }, () => link.run(() => Promise.resolve('done')));
  const results = await Promise.all(work);
  expect(results.filter((result) => result === null)).toHaveLength(5);
  expect(link.isUp).toBe(true);
  expect(await link.run((client) => client.ping())).toBe('PONG');
});

it('a reply that does not come in time ends the connection', async () => {
  server.freeze();
  try {
    expect(await link.run((client) => client.ping())).toBeNull();
    expect(link.connection).toMatchObject({ isConnected: false, lastError: 'Command timed out' });
  } finally {
    server.thaw();
  }
});
