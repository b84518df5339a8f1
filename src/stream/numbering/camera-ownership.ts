/**
 * Decides which node numbers the windows of a camera. In a cluster, that is the one node that pulls it
 * (docs/design/cluster.md). The others show the same windows.
 */

export type CameraRole = 'owner' | 'mirror';

/** Whether unpublished parts may still be published. */
export type RoleEnd = 'given-up' | 'lost';

/**
 * Called when the role changes. `end`: how the previous role ended. Another node takes over only after the returned
 * promise.
 */
export type RoleListener = (role: CameraRole | null, end: RoleEnd) => Promise<void> | void;

export interface CameraOwnership {
  /** null: not known yet, or not anymore. */
  readonly role: CameraRole | null;
  /** The newest lease's fencing number. The store ignores a save with a lower one than an earlier save had. */
  readonly fence: number;
  /**
   * Whether this node may still publish: a process that was frozen finds out here, before anything else runs. Once per
   * part.
   */
  mayPublish(): boolean;
  /** The numbers that this node may use have come to an end, and the store gives no more: it must publish nothing. */
  abandon(): void;
  /** This node has no role, and knows no owner that it can reach: other nodes may have what this one does not. */
  readonly isCutOff: boolean;
  /** Called whenever that begins. Returns the function that ends it. */
  onCutOff(listener: () => void): () => void;
  /** Returns the function that ends it. */
  onRole(listener: RoleListener): () => void;
}
