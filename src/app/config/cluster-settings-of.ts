/** The configured cluster with its defaults, in the plain form that src/cluster/ works with. */

import { hostname } from 'node:os';
import type { ClusterSettings } from '../../cluster/nodes/cluster-settings.ts';
import type { Config } from './schema.ts';

const DEFAULT_NAME = 'sluice';
const DEFAULT_LISTEN = { host: '127.0.0.1', port: 7700 } as const;
const MAX_NODE_ID_LENGTH = 64;

/** null: this gateway is not in a cluster. */
export function clusterSettingsOf(
  { cluster }: Pick<Config, 'cluster'>,
  hostName: string = hostname(),
): ClusterSettings | null {
  const { secret, name, nodeId, internal } = cluster;
  if (secret === null) return null;
  return {
    name: name ?? DEFAULT_NAME,
    nodeId: nodeId ?? hostName.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, MAX_NODE_ID_LENGTH),
    listen: internal.listen ?? DEFAULT_LISTEN,
    address: internal.address,
    secret,
  };
}
