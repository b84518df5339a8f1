/** The nodes of the cluster as this one knows them, for the console, the API and metrics. */

import type { NodeRun } from '../store/cluster-lease.ts';
import type { HandoverCounts } from './handover/taken-cameras.ts';
import type { ClusterNodeInfo } from './nodes/node-info.ts';

/** More than one reads. */
const MAX_LISTED_NODES = 64;

/** A node of the cluster, as it says of itself. */
export interface ClusterNodeState {
  readonly nodeId: string;
  /** Whether it is the one that answers. */
  readonly isSelf: boolean;
  /** `host:port` where other nodes reach it. */
  readonly address: string;
  readonly version: string;
  /** It gives its cameras to others, and takes no new ones. */
  readonly isDraining: boolean;
  /** The one that answers has a link to it. */
  readonly isReached: boolean;
  /** By how much its clock is ahead of that of the one that answers, to 2 s. null: not known. */
  readonly clockOffsetMs: number | null;
  /** Cameras that it pulls. */
  readonly ownedCameras: number;
  readonly openStreams: number;
  readonly viewers: number;
  /** Share of the time that its event loop is busy, from 0 to 1. */
  readonly busyShare: number;
}

export interface ClusterState {
  readonly name: string;
  readonly size: number;
  /** By nodeId, the first 64. */
  readonly nodes: readonly ClusterNodeState[];
}

/** For metrics. */
export interface ClusterSample {
  readonly nodes: number;
  readonly unreached: number;
  readonly clockDifferenceMs: number;
  /** Cameras that this node pulls, and that it has from other nodes. */
  readonly owner: number;
  readonly mirror: number;
  readonly links: number;
  readonly linkWaitingBytes: number;
  readonly leasesLost: number;
  readonly takeovers: number;
  /** Cameras that other nodes gave to this one. */
  readonly handovers: HandoverCounts;
}

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
    name,
    size: nodes.length,
    nodes: nodes
      .toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1))
      .slice(0, MAX_LISTED_NODES)
      .map(({ nodeId, runId, address, version, isDraining, load }) => ({
        nodeId,
        address,
        version,
        isDraining,
        isSelf: runId === self,
        isReached: runId === self || known.hasLinkTo({ nodeId, runId }),
        clockOffsetMs: known.clockOffsetMs(nodeId),
        ownedCameras: load.ownedCameras,
        openStreams: load.openStreams,
        viewers: load.viewers,
        busyShare: load.busyShare,
      })),
  };
}
