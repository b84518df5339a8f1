/** What the gateway's other stages see of the cluster (start-cluster.ts). */

import type { Ruuid } from '../core/ruuid.ts';
import type { NodeRun } from '../store/cluster-lease.ts';
import type { HubCamera, StreamHub } from '../stream/hub.ts';
import type { CameraRole } from '../stream/numbering/camera-ownership.ts';
import type { NumberingStore } from '../stream/numbering/numbering.ts';
import type { ClusterSample, ClusterState } from './cluster-state.ts';
import type { NodeLink } from './links/node-link.ts';
import type { NodeLinks } from './links/node-links.ts';
import type { NodeAnswers } from './node-questions.ts';
import type { ClusterNode } from './nodes/cluster-node.ts';
import type { ClusterStates } from './states/cluster-states.ts';
import type { ClusterViewers } from './viewers/cluster-viewers.ts';

/** Why a node does not do its part: it cannot have cameras yet, or gives them away. */
export type ClusterAbsence = 'starting' | 'draining';

export interface ClusterStage {
  readonly nodeId: string;
  readonly node: ClusterNode;
  /** Of the camera here; null: no one here needs it. */
  roleOf(cameraUuid: Ruuid): CameraRole | null;
  /** Whether this node is the one that should pull the camera for its own sake, such as to record it. */
  isPlacedHere(cameraUuid: Ruuid): boolean;
  readonly numbering: NumberingStore;
  /** What is known of all cameras of the cluster. */
  readonly states: ClusterStates;
  /** Who watches at any node. */
  readonly viewers: ClusterViewers;
  readonly links: NodeLinks;
  /** A camera is this node's to pull, or no longer, or may be. null: any of them. Must not throw. */
  onPlaces(listener: (cameraUuid: Ruuid | null) => void): void;
  /** To the owner of the camera; null: this node, or none. Rejects like links. */
  linkToOwner(cameraUuid: Ruuid): Promise<NodeLink | null>;
  linksToOthers(): Promise<NodeLink>[];
  /** Acquires the camera's lease. Fails MIRROR_NOT_OWNER, or while that cannot be known. */
  own(cameraUuid: Ruuid): Promise<void>;
  /** If this node owns the camera, it gives it to that one. Rejects like Redis and the store. */
  yieldTo(cameraUuid: Ruuid, run: NodeRun): Promise<void>;
  /** Needs the camera: this node keeps it if it owns it. Called with each role. Returns what ends it. */
  follow(cameraUuid: Ruuid, onRole: (role: CameraRole | null) => void): () => void;
  /** The camera, pulled or mirrored. */
  clustered(camera: HubCamera): HubCamera;
  /** Something of it may have changed. */
  changed(cameraUuid: Ruuid): void;
  /** It was added, replaced or removed. */
  replaced(cameraUuid: Ruuid): void;
  /** Asks all other live nodes, or some of them; `answer` is what this one says to them. */
  ask<Answer>(kind: string, body: unknown, nodes?: readonly NodeRun[]): Promise<NodeAnswers<Answer>>;
  /** What it returns, or resolves with, is the answer. */
  answer(kind: string, handler: (body: unknown) => unknown): void;
  /** All other nodes, as far as they are known to live. */
  readonly others: readonly NodeRun[];
  /** Tells all other live nodes, as far as they can be reached; `onTold` hears what they tell. */
  tell(kind: string, body: unknown): void;
  onTold(kind: string, handler: (body: unknown) => void): void;
  /** Its nodes, this one included. */
  state(): ClusterState;
  sample(): ClusterSample;
  /** Other nodes can mirror its cameras from now on. */
  begin(hub: StreamHub, viewers: () => number): void;
  /** null: it does its part. */
  readonly absence: ClusterAbsence | null;
  /** Other nodes live that could have its cameras. */
  readonly hasHeirs: boolean;
  /** Fails CLUSTER_NO_OTHER_NODE: no one could have its cameras. */
  expectHeirs(): void;
  /**
   * Gives all cameras to other nodes, and mirrors them from then on. Resolves when they have them, or it took too long. Once, whoever
   * calls.
   */
  drain(limitMs: number): Promise<void>;
}
