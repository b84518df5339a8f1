/**
 * Which node a camera belongs on: weighted rendezvous hashing (highest random weight). Every node comes to the same order
 * without asking anyone; a node that leaves moves only its own cameras, one that joins takes only those that become its own.
 */

import { createHash } from 'node:crypto';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ClusterNodeInfo } from './node-info.ts';

/** Steps that the free share of a node is rounded up to: small changes of load move no camera. */
const WEIGHT_STEPS = 4;
const HASH_BYTES = 6;

export interface WeightedNode {
  readonly nodeId: string;
  /** 0: after all others. */
  readonly weight: number;
}

export interface PlaceableNode extends Pick<ClusterNodeInfo, 'nodeId' | 'isDraining' | 'load'> {
  readonly runId: string;
}

/** One of 1, 2, 3 and 4 by how much of its time the node is idle; 0 while it drains. */
export function nodeWeight({ isDraining, load }: Pick<ClusterNodeInfo, 'isDraining' | 'load'>): number {
  if (isDraining) return 0;
  const idleShare = 1 - Math.min(1, Math.max(0, load.busyShare));
  return Math.max(1, Math.ceil(idleShare * WEIGHT_STEPS));
}

/** The nodes, best first. The input is not changed. */
export function rankNodes<Node extends WeightedNode>(cameraUuid: Ruuid, nodes: readonly Node[]): Node[] {
  return nodes
    .map((node) => ({ node, hash: hashShare(cameraUuid, node.nodeId) }))
    .sort((one, other) => compare(one, other))
    .map(({ node }) => node);
}

/**
 * Returns the run that should own a camera if its owner is lost: the node that mirrors the most of it, and the best of several
 * such nodes. null: none takes cameras. `mirrored`: how much, by run.
 */
export function heirOf(
  cameraUuid: Ruuid,
  mirrored: ReadonlyMap<string, number>,
  nodes: readonly PlaceableNode[],
): string | null {
  const share = ({ runId }: PlaceableNode) => mirrored.get(runId) ?? 0;
  const most = Math.max(1, ...nodes.map((node) => (node.isDraining ? 0 : share(node))));
  const heirs = nodes.filter((node) => !node.isDraining && share(node) === most);
  const [only] = heirs;
  if (heirs.length < 2) return only?.runId ?? null;
  return rankNodes(
    cameraUuid,
    heirs.map((node) => ({ ...node, weight: nodeWeight(node) })),
  )[0]!.runId;
}

interface Hashed {
  readonly node: WeightedNode;
  readonly hash: number;
}

function compare(one: Hashed, other: Hashed): number {
  const byScore = score(other) - score(one);
  if (byScore !== 0) return byScore;
  if (one.hash !== other.hash) return other.hash - one.hash;
  return one.node.nodeId < other.node.nodeId ? -1 : 1;
}

/** With u evenly spread over (0, 1), the node with weight w has the highest -w / ln(u) for its share of all cameras. */
function score({ node, hash }: Hashed): number {
  return -node.weight / Math.log(hash);
}

/** Evenly spread over (0, 1), the same on every machine. */
function hashShare(cameraUuid: Ruuid, nodeId: string): number {
  const digest = createHash('sha256').update(`${cameraUuid} ${nodeId}`).digest();
  return (digest.readUIntBE(0, HASH_BYTES) + 0.5) / 2 ** (8 * HASH_BYTES);
}
