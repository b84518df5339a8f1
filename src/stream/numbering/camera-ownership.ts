/**
 * Who numbers the windows of a camera: in a cluster, the one node that pulls it (docs/design/cluster.md). The others show the
 * same windows.
 */

export type CameraRole = 'owner' | 'mirror';

/** Whether what is not published yet still may be. */
export type RoleEnd = 'given-up' | 'lost';

/** What changes with the role. `end`: of the role before. What is returned is awaited before another node takes over. */
export type RoleListener = (role: CameraRole | null, end: RoleEnd) => Promise<void> | void;

export interface CameraOwnership {
  /** null: not known yet, or not anymore. */
  readonly role: CameraRole | null;
  /** Of the newest lease: who saves with a lower one than someone before is ignored. */
  readonly fence: number;
  /** Whether this node may still publish: a process that stood still finds out here, before anything else runs. Once per part. */
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
