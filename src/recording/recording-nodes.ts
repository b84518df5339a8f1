/** The recorder's view of the other nodes of a cluster (docs/design/recording.md#many-nodes). */

import type { Ruuid } from '../core/ruuid.ts';
import type { NodeRun } from '../store/cluster-lease.ts';

export interface RecordingNodes {
  readonly run: NodeRun;
  /** Whether this node does what one does for all: deleting old recordings, finishing files of nodes that are gone. */
  isCaretaker(): boolean;
  /** Whether the run no longer writes files of the camera: it ended, and has been gone for a while. */
  isGone(run: NodeRun, cameraUuid: Ruuid): Promise<boolean>;
  /** Whether the run was looked for and not found. It may be gone soon, and nothing else says when. */
  isAbsent(run: NodeRun): boolean;
}
