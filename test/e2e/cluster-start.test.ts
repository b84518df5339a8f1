/** A node that starts while Redis is away has no place in its cluster: load balancers and rolling restarts wait for it. */

import { expect, it } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { PostgresServer } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

it('is not ready until Redis has registered it, and stays ready when Redis goes away again', async () => {
  const postgres = await PostgresServer.start();
  const port = await freePort();
  let node: TestGateway | null = null;
  let redis: RedisServer | null = null;
  try {
    node = await TestGateway.start({
      database: (await postgres.createDatabase()).reveal(),
      redis: `redis://127.0.0.1:${port}`,
      cluster: { secret: 'x'.repeat(32), nodeId: 'a', internal: { listen: `127.0.0.1:${await freePort()}` } },
    });
    const { apiUrl, mediaUrl } = node;
    const states = () =>
      Promise.all(
        [apiUrl, mediaUrl].map(async (url) => {
          const response = await fetch(`${url}/readyz`);
          const { checks } = (await response.json()) as { checks: Record<string, string> };
          return [response.status, checks] as const;
        }),
      );
    expect(await states()).toEqual(Array(2).fill([503, { cluster: 'starting' }]));
    redis = await startRedis(port);
    await until('the node is ready', async () => (await states()).every(([status]) => status === 200));
    await redis.stop();
    await until('the node misses Redis', async () =>
      (await states()).every(([, checks]) => checks.counters?.startsWith('down')),
    );
    expect(await states()).toMatchObject(Array(2).fill([200, { store: 'ok' }]));
  } finally {
    await node?.dispose();
    await redis?.stop();
    await postgres.dispose();
  }
}, 120_000);
