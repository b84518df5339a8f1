/** A cluster of whole gateways on one machine, with a Redis and a PostgreSQL of its own. */

import { randomBytes } from 'node:crypto';
import { type Json, type TestConfig, TestGateway } from './gateway.ts';
import { freePort } from './ports.ts';
import { PostgresServer } from './postgres.ts';
import { type RedisServer, startRedis } from './redis.ts';

export class TestCluster {
  readonly postgres: PostgresServer;
  redis: RedisServer;
  readonly nodes: TestGateway[] = [];
  readonly #env = { SLUICE_SECRET_KEY: randomBytes(32).toString('hex') };
  readonly #config: TestConfig;
  readonly #database: string;

  private constructor(postgres: PostgresServer, redis: RedisServer, database: string, config: TestConfig) {
    this.postgres = postgres;
    this.redis = redis;
    this.#database = database;
    this.#config = config;
  }

  /** `config`: what all nodes have, besides what makes them nodes. */
  static async start(nodes: number, config: TestConfig): Promise<TestCluster> {
    const [postgres, redis] = await Promise.all([PostgresServer.start(), startRedis()]);
    const database = (await postgres.createDatabase()).reveal();
    const cluster = new TestCluster(postgres, redis, database, config);
    try {
      for (let node = 0; node < nodes; node++) await cluster.addNode();
    } catch (error) {
      await cluster.dispose();
      throw error;
    }
    return cluster;
  }

  async addNode(fields: Json = {}): Promise<TestGateway> {
    const internal = { listen: `127.0.0.1:${await freePort()}`, ...fields };
    const secret = this.#env.SLUICE_SECRET_KEY;
    const gateway = await TestGateway.start(
      {
        ...this.#config,
        database: this.#database,
        redis: this.redis.url,
        cluster: { secret, nodeId: `node-${this.nodes.length + 1}`, internal },
      },
      { env: this.#env },
    );
    this.nodes.push(gateway);
    return gateway;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.dispose()));
    await this.redis.stop();
    await this.postgres.dispose();
  }
}
