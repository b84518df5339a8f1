/** This gateway as a node of a cluster, if it is configured as one. */

import { Cluster } from '../../cluster/cluster.ts';
import type { Store } from '../../store/store.ts';
import { clusterSettingsOf } from '../config/cluster-settings-of.ts';
import type { Cleanup } from '../process/cleanup.ts';
import { readVersion } from '../process/version.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { StoreStage } from './start-store.ts';

/** How long it may take when a command asked for it. */
export const COMMAND_DRAIN_MS = 15_000;

export async function startCluster(
  options: GatewayOptions,
  {
    store,
    apiThread,
  }: { readonly store: Store; readonly apiThread: Pick<StoreStage['apiThread'], 'notify'> },
  cleanup: Cleanup,
): Promise<Cluster | null> {
  const { config, clock, log, surroundings } = options;
  const settings = clusterSettingsOf(config);
  if (settings === null) return null;
  const cluster = new Cluster({
    settings,
    clock,
    log,
    version: readVersion(),
    idleStopMs: config.hls.idleStopMs,
    redisUrl: config.redis!,
    ...(surroundings === undefined ? {} : surroundings),
    onPlaced: (cameraUuids, isHere) => apiThread.notify({ kind: 'placed', cameraUuids, isHere }),
    onNodeIdTaken: (error) => {
      log.error({ err: error }, 'another process has this node ID, stopping');
      process.kill(process.pid, 'SIGTERM');
    },
  });
  await cluster.listen();
  cleanup.add('cluster links', () => cluster.closeLinks());
  await cluster.start(store);
  cleanup.add('cluster node', () => cluster.node.close());
  return cluster;
}
