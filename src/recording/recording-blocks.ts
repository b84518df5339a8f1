/**
 * The numbers of recording files in a cluster: reserves them for this node, knows by them which node writes a file, and
 * finishes the files of nodes that are gone (docs/design/recording.md#many-nodes).
 */

import { GatewayError } from '../core/errors.ts';
import type { RecordingBlock, RecordingBlockRepository } from '../store/recording-block.ts';
import { RECORDING_ERRORS } from './errors.ts';
import { NUMBERS_PER_BLOCK, type NumberBlock } from './file-numbers.ts';
import type { Recorder } from './recorder.ts';
import type { RecordingNodes } from './recording-nodes.ts';
import type { RecordedStream } from './segment-index.ts';

/** Blocks of a stream that this node may still use: the one in use, and the next. */
const BLOCKS_IN_USE = 2;

export interface RecordingBlocksOptions {
  readonly blocks: RecordingBlockRepository;
  readonly nodes: RecordingNodes;
  readonly recorder: Pick<Recorder, 'call'>;
}

export class RecordingBlocks {
  readonly #options: RecordingBlocksOptions;

  constructor(options: RecordingBlocksOptions) {
    this.#options = options;
  }

  /** Numbers for files of the stream that this node begins. Fails like the store and the recorder, RECORDING_NO_NUMBERS. */
  async reserve(stream: RecordedStream, count: number = NUMBERS_PER_BLOCK): Promise<NumberBlock> {
    const { blocks, nodes, recorder } = this.#options;
    const known = await blocks.reserve(stream, nodes.run, count, null);
    if (known !== null) return known;
    // The store may have been lost: its files are still there.
    const newest = await recorder.call({ name: 'newestNumber', of: stream });
    const first = await blocks.reserve(stream, nodes.run, count, (newest ?? -1) + 1);
    if (first === null) throw new GatewayError(RECORDING_ERRORS.RECORDING_NO_NUMBERS, {});
    return first;
  }

  /**
   * Whether another node may be writing the file, or about to list or delete it. Ask after the file was found: a block is
   * there before the first file of it. A file in no block had a row, and lost it because the file is to be deleted: only the
   * caretaker, which deletes, lists it again. A row of another node could be stored while the file is being deleted.
   */
  async isOfAnother(stream: RecordedStream, number: number): Promise<boolean> {
    const { blocks, nodes } = this.#options;
    for (const block of await blocks.list(stream)) {
      if (number < block.first || number >= block.end) continue;
      if (block.runId === nodes.run.runId) return false;
      return !(await nodes.isGone(block, stream.cameraUuid));
    }
    return !nodes.isCaretaker();
  }

  /**
   * Blocks whose files are no longer being written: this node's own, and those of nodes that are gone. `areAwaited`: those of
   * others will have ended soon.
   */
  async ended(): Promise<{ readonly blocks: readonly RecordingBlock[]; readonly areAwaited: boolean }> {
    const { blocks, nodes } = this.#options;
    const ended: RecordingBlock[] = [];
    let areAwaited = false;
    const newer = new Map<string, number>();
    for (const block of (await blocks.list()).reverse()) {
      if (block.runId === nodes.run.runId) {
        const key = `${block.cameraUuid}/${block.rendition}`;
        const count = newer.get(key) ?? 0;
        newer.set(key, count + 1);
        if (count >= BLOCKS_IN_USE) ended.push(block);
      } else if (nodes.isCaretaker()) {
        if (await nodes.isGone(block, block.cameraUuid)) ended.push(block);
        else areAwaited ||= nodes.isAbsent(block);
      }
    }
    return { blocks: ended.reverse(), areAwaited };
  }

  /** All its files are listed. */
  remove(block: RecordingBlock): Promise<void> {
    return this.#options.blocks.remove(block);
  }
}
