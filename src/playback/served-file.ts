/** A file of known length whose bytes are read as they are sent. */

import type { Pieces, ReadBlock } from './pieces.ts';
import type { PastMedia } from './recorded-media.ts';

/** Bytes per read: large enough that a disk reads more than it seeks. */
export const BLOCK_BYTES = 512 * 1_024;

/** Bytes that follow each other, and the duty to give them back. */
export interface ServedBlock {
  readonly buffers: readonly Buffer[];
  /** Idempotent. */
  release(): void;
}

export interface ServedFile {
  readonly byteLength: number;
  /** Equal for equal bytes; an entity tag without its quotes. */
  readonly digest: string;
  readonly modifiedEpochMs: number;
  /**
   * The bytes from `first` to before `end`, in order. One block is read ahead. Fails like RecordedMedia.read.
   */
  read(first: number, end: number): AsyncGenerator<ServedBlock, void, undefined>;
}

export interface PiecedFileOptions {
  readonly digest: string;
  readonly modifiedEpochMs: number;
  /** The first bytes of the file; shared, never changed. */
  readonly head: Buffer;
  readonly pieces: Pieces;
  readonly media: Pick<PastMedia, 'lend'>;
}

/** A head in memory, and what follows it in recording files. */
export class PiecedFile implements ServedFile {
  readonly byteLength: number;
  readonly digest: string;
  readonly modifiedEpochMs: number;
  readonly #options: PiecedFileOptions;

  constructor(options: PiecedFileOptions) {
    this.#options = options;
    this.digest = options.digest;
    this.modifiedEpochMs = options.modifiedEpochMs;
    this.byteLength = options.head.length + options.pieces.byteLength;
  }

  async *read(first: number, end: number): AsyncGenerator<ServedBlock, void, undefined> {
    const { head, pieces } = this.#options;
    if (first < head.length) {
      yield { buffers: [head.subarray(first, Math.min(end, head.length))], release: () => undefined };
    }
    const from = Math.max(0, first - head.length);
    let ahead: Promise<ServedBlock> | null = null;
    try {
      for (const block of pieces.blocks(from, end - head.length, BLOCK_BYTES)) {
        const before = ahead;
        ahead = this.#lend(block);
        // If it fails while the previous block is being sent, no code awaits it yet.
        ahead.catch(() => undefined);
        if (before !== null) yield await before;
      }
      const last = ahead;
      ahead = null;
      if (last !== null) yield await last;
    } finally {
      // The reader has left.
      ahead?.then(
        ({ release }) => release(),
        () => undefined,
      );
    }
  }

  async #lend({ name, offset, byteLength, parts }: ReadBlock): Promise<ServedBlock> {
    const { bytes, release } = await this.#options.media.lend(name, offset, byteLength);
    return { buffers: parts.map(([at, length]) => bytes.subarray(at, at + length)), release };
  }
}
