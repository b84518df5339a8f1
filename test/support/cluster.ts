/** A cluster of whole gateways on one machine, with a Redis and a PostgreSQL of its own. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CredentialUrl } from '../../src/core/secret.ts';
import { RedisServerProcess } from '../../src/counters/redis-server-fixture.ts';
import { type Json, type TestConfig, TestGateway } from './gateway.ts';
import { freePort } from './ports.ts';
import { PostgresServer } from './postgres.ts';

/** Several start at a time. */
const READY_WITHIN_MS = 120_000;

export interface CameraLease {
  readonly owner: TestGateway;
  readonly fence: number;
}

export class TestCluster {
  readonly postgres: PostgresServer;
  readonly redis: RedisServerProcess;
  readonly nodes: TestGateway[] = [];
  readonly #env = { SLUICE_SECRET_KEY: randomBytes(32).toString('hex') };
  readonly #config: TestConfig;
  readonly #database: CredentialUrl;
  readonly #byId = new Map<string, TestGateway>();
  #started = 0;
  /** That all nodes share. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));

  private constructor(
    postgres: PostgresServer,
    redis: RedisServerProcess,
    database: CredentialUrl,
    config: TestConfig,
  ) {
    this.postgres = postgres;
    this.redis = redis;
    this.#database = database;
    this.#config = config;
  }

  /**
   * `config`: shared by all nodes, besides the cluster's own settings. `internal`: a node's `cluster.internal`, for nodes
   * that need something of their own.
   */
  static async start(
    nodes: number,
    config: TestConfig,
    internal: readonly Json[] = [],
  ): Promise<TestCluster> {
    const [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServerProcess.start()]);
    const cluster = new TestCluster(postgres, redis, await postgres.createDatabase(), config);
    try {
      // It creates the tables.
      await cluster.addNode(internal[0]);
      await Promise.all(Array.from({ length: nodes - 1 }, (_, at) => cluster.addNode(internal[at + 1])));
    } catch (error) {
      await cluster.dispose();
      throw error;
    }
    return cluster;
  }

  async addNode(fields: Json = {}): Promise<TestGateway> {
    const folder = join(this.#folder, 'recordings');
    const internal = { listen: `127.0.0.1:${await freePort()}`, ...fields };
    const secret = this.#env.SLUICE_SECRET_KEY;
    const nodeId = `node-${++this.#started}`;
    const gateway = await TestGateway.start(
      {
        ...this.#config,
        // With S3, each node has a spool of its own.
        recording: { ...(this.#config.s3 === undefined ? { folder } : {}), ...this.#config.recording },
        database: this.#database.reveal(),
        redis: this.redis.url.reveal(),
        cluster: { secret, nodeId, internal },
      },
      { env: this.#env, readyWithinMs: READY_WITHIN_MS },
    );
    this.#byId.set(nodeId, gateway);
    this.nodes.push(gateway);
    return gateway;
  }

  /** The node to which the store last gave the camera. */
  async leaseOf(cameraUuid: string): Promise<CameraLease> {
    const [lease] = await this.postgres.sql(
      `select node_id, fence from cluster_leases where camera_uuid = '${cameraUuid}'`,
      this.#database,
    );
    const owner = this.#byId.get(String(lease?.node_id));
    if (owner === undefined) throw new Error(`no node owns ${cameraUuid}`);
    return { owner, fence: Number(lease?.fence) };
  }

  /** How many nodes say that their leases hold without Redis. */
  async relyingNodes(): Promise<number> {
    return (await this.postgres.sql('select 1 from cluster_reliances', this.#database)).length;
  }

  /** Whether the node says that its leases hold without Redis. */
  async reliesOnStore(node: TestGateway): Promise<boolean> {
    const rows = await this.postgres.sql('select node_id from cluster_reliances', this.#database);
    return rows.some((row) => this.#byId.get(String(row.node_id)) === node);
  }

  /** The nodes besides this one. */
  othersThan(node: TestGateway): TestGateway[] {
    return this.nodes.filter((other) => other !== node);
  }

  /** Ends Redis as a crash does. */
  async killRedis(): Promise<void> {
    await this.redis.kill();
  }

  /** Starts an empty one at the same address. */
  async startEmptyRedis(): Promise<void> {
    await this.redis.restart();
  }

  async dispose(): Promise<void> {
    // A frozen process does not end in an orderly way.
    for (const { child } of this.nodes) child.process.kill('SIGCONT');
    await Promise.all(this.nodes.map((node) => node.dispose()));
    rmSync(this.#folder, { recursive: true, force: true });
    await this.redis.kill();
    await this.postgres.dispose();
  }
}
