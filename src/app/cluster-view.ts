/** The nodes of the cluster as this one knows them, for the console, the API and metrics. */

import type { ClusterNodeInfo } from '../cluster/node-info.ts';
import type { ClusterState } from '../system/system-state.ts';

/** More than one reads. */
const MAX_LISTED_NODES = 64;

export function clusterState(
  name: string,
  self: string,
  nodes: readonly ClusterNodeInfo[],
  hasLinkTo: (node: ClusterNodeInfo) => boolean,
): ClusterState {
  return {
    ...{ name, size: nodes.length },
    nodes: nodes
      .toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1))
      .slice(0, MAX_LISTED_NODES)
      .map((node) => ({ ...node, isSelf: node.runId === self, isReached: hasLinkTo(node) }))
      .map(({ nodeId, address, version, isDraining, isSelf, isReached, load }) => ({
        ...{ nodeId, address, version, isDraining, isSelf, isReached: isSelf || isReached },
        ...{ ownedCameras: load.ownedCameras, openStreams: load.openStreams, viewers: load.viewers },
        busyShare: load.busyShare,
      })),
  };
}
