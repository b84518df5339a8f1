/** A node's description of itself, and its text in Redis: `<run ID> <JSON>`. */

import { isRuuid } from '../../core/ruuid.ts';
import type { NodeRun } from '../../store/cluster-lease.ts';

export interface NodeLoad {
  /** Cameras that it pulls. */
  readonly ownedCameras: number;
  readonly openStreams: number;
  readonly viewers: number;
  /** Share of the last seconds that its event loop was busy, from 0 to 1. */
  readonly busyShare: number;
}

export interface NodeState {
  /** `host:port` where other nodes reach it. */
  readonly address: string;
  readonly version: string;
  /** It gives its cameras to others, and takes no new ones. */
  readonly isDraining: boolean;
  readonly load: NodeLoad;
}

export type ClusterNodeInfo = NodeRun & NodeState;

/** As it is in Redis. */
export interface WrittenNode extends ClusterNodeInfo {
  /** The node's wall clock when it wrote itself; null: it does not say. */
  readonly clockEpochMs: number | null;
}

/** Without the run ID, which Redis puts in front. */
export function nodeText({ nodeId, address, version, isDraining, load, clockEpochMs }: WrittenNode): string {
  return JSON.stringify({ nodeId, address, version, isDraining, load, clockEpochMs });
}

/** null: nothing that a node of this version wrote. */
export function parseNode(stored: string): WrittenNode | null {
  const space = stored.indexOf(' ');
  const runId = stored.slice(0, space);
  const read = readJson(stored.slice(space + 1));
  if (!isRuuid(runId) || read === null) return null;
  const { nodeId, address, version, isDraining } = read;
  const load = read.load as Readonly<Record<string, unknown>> | undefined;
  if (typeof nodeId !== 'string' || typeof address !== 'string' || typeof version !== 'string') return null;
  const { ownedCameras, openStreams, viewers, busyShare } = load ?? {};
  if (!isAmount(ownedCameras) || !isAmount(openStreams) || !isAmount(viewers) || !isAmount(busyShare))
    return null;
  const clockEpochMs = isAmount(read.clockEpochMs) ? read.clockEpochMs : null;
  return {
    nodeId,
    runId,
    address,
    version,
    isDraining: isDraining === true,
    clockEpochMs,
    load: { ownedCameras, openStreams, viewers, busyShare: Math.min(1, busyShare) },
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

function readJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    // Another version of Sluice may write something else.
    return null;
  }
}
