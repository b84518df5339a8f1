/** Requirements of a cluster: a part of check-config.ts. */

import type { Reject } from './errors.ts';
import type { Config } from './schema.ts';

/** Other nodes cannot connect to an address that stands for all of a machine's. */
const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0']);

/** `unread`: keys whose values could not be read. */
export function checkCluster(config: Partial<Config>, reject: Reject, unread: readonly string[]): void {
  const { cluster, redis, database } = config;
  if (cluster === undefined || unread.some((key) => key === 'cluster' || key.startsWith('cluster.'))) return;
  const { secret, name, nodeId, internal } = cluster;
  if (secret === null) {
    const others = [name, nodeId, internal.listen, internal.address];
    if (others.some((value) => value !== null)) {
      reject('cluster.secret', 'is required for a cluster: all nodes have the same one');
    }
    return;
  }
  if (redis === null && !unread.includes('redis')) {
    reject('redis', 'is required with cluster.secret: the nodes of a cluster share a Redis');
  }
  if (database === null && !unread.includes('database')) {
    reject('database', 'is required with cluster.secret: the nodes of a cluster share a PostgreSQL database');
  }
  if (internal.address === null && internal.listen !== null && ALL_ADDRESSES.has(internal.listen.host)) {
    reject(
      'cluster.internal.address',
      `is required with cluster.internal.listen on ${internal.listen.host}: other nodes need an address of this one`,
    );
  }
}
