/**
 * Numbers that the nodes of a cluster give to recording files. Each node takes a block of them before it begins to record a
 * stream, so no two nodes ever write a file with the same name (docs/design/recording.md#many-nodes).
 */

import type { NodeRun } from './cluster-lease.ts';
import type { StoredStream } from './recording.ts';

/** The numbers from `first` up to `end`, without it. */
export interface RecordingBlock extends StoredStream, NodeRun {
  readonly first: number;
  readonly end: number;
}

export interface RecordingBlockRepository {
  /**
   * The next `count` numbers of the stream: above all that were reserved before, all that have a row, and from `atLeast`
   * on. null: nothing is known of the stream and `atLeast` is null; look at its files, and say from where.
   */
  reserve(
    stream: StoredStream,
    run: NodeRun,
    count: number,
    atLeast: number | null,
  ): Promise<RecordingBlock | null>;
  /** Blocks that were not removed, of the stream or of all, in the order of their numbers. */
  list(stream?: StoredStream): Promise<RecordingBlock[]>;
  /** The ID of the folder that all nodes share: `id`, if there was none. */
  storageId(id: string): Promise<string>;
  /** All its files are finished and listed, or there are none. Its numbers are not given again. */
  remove(block: RecordingBlock): Promise<void>;
}
