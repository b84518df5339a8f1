/** The nodes of the cluster as this one knows them, for the console, the API and metrics. */

import type { ClusterNodeInfo } from '../cluster/node-info.ts';
import type { NodeRun } from '../store/cluster-lease.ts';
import type { ClusterState } from '../system/system-state.ts';

/** More than one reads. */
const MAX_LISTED_NODES = 64;

export function clusterState(
  name: string,
  self: string,
  nodes: readonly ClusterNodeInfo[],
  known: {
    readonly hasLinkTo: (run: NodeRun) => boolean;
    readonly clockOffsetMs: (nodeId: string) => number | null;
  },
): ClusterState {
  return {
    ...{ name, size: nodes.length },
    nodes: nodes
      .toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1))
      .slice(0, MAX_LISTED_NODES)
      .map(({ nodeId, runId, address, version, isDraining, load }) => ({
        ...{ nodeId, address, version, isDraining, isSelf: runId === self },
        isReached: runId === self || known.hasLinkTo({ nodeId, runId }),
        clockOffsetMs: known.clockOffsetMs(nodeId),
        ...{ ownedCameras: load.ownedCameras, openStreams: load.openStreams, viewers: load.viewers },
        busyShare: load.busyShare,
      })),
  };
}
