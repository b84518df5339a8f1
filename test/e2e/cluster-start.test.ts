/** Nodes that cannot do their part: without Redis at the start, and out of reach of the others. Both are told. */

import { expect, it } from 'vitest';
import { TestCluster } from '../support/cluster.ts';
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
});

it('is named by the others if they cannot reach it', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const cluster = await TestCluster.start(2, {}, [{}, { address }]);
  try {
    const [one, other] = cluster.nodes as [TestGateway, TestGateway];
    const unreached = async ({ apiUrl }: TestGateway) =>
      /^sluice_cluster_unreached_nodes (\d+)$/m.exec(await (await fetch(`${apiUrl}/metrics`)).text())?.[1];
    await until('the nodes know each other', async () => (await unreached(one)) === '1');
    const { state, findings } = await one.call('console/getSystemState');
    expect(state.cluster.nodes).toMatchObject([
      { nodeId: 'node-1', isReached: true },
      { nodeId: 'node-2', isReached: false, address },
    ]);
    expect(findings).toMatchObject([
      { code: 'NODES_OUT_OF_REACH', sentence: expect.stringContaining('node-2') },
    ]);
    // It reaches the first one.
    await until('the link to the first node', async () => (await unreached(other)) === '0');
  } finally {
    await cluster.dispose();
  }
}, 400_000);
