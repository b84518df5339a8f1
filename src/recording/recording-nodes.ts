/** What recording has to know of the other nodes of a cluster (docs/design/recording.md#many-nodes). */

import type { Ruuid } from '../core/ruuid.ts';
import type { NodeRun } from '../store/cluster-lease.ts';

export interface RecordingNodes {
  readonly run: NodeRun;
  /** Whether this node does what one does for all: deleting old recordings, finishing files of nodes that are gone. */
  isCaretaker(): boolean;
  /** Whether the run writes no file of the camera anymore: it ended, and has been away for a while. */
  isGone(run: NodeRun, cameraUuid: Ruuid): Promise<boolean>;
  /** Whether the run was looked for and not found. It may be gone soon, and nothing else says when. */
  isAbsent(run: NodeRun): boolean;
}
