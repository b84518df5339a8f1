/** Bytes that are read in ranges, so files of gigabytes can be checked in little memory. Without Node.js. */

import type { RunningHash } from './sha256.ts';

/** A file, or a stretch of one. */
export interface ByteSource {
  readonly byteLength: number;
  /** Fewer bytes at its end. Rejects if they cannot be read. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Bytes in memory at a time. */
const STEP_BYTES = 4 * 1_048_576;

/** Calls `use` with the bytes of a range, in order. Rejects with a RangeError if the source ends before. */
export async function readInSteps(
  source: ByteSource,
  { offset, length }: { readonly offset: number; readonly length: number },
  use: (bytes: Uint8Array) => void,
): Promise<void> {
  const end = offset + length;
  for (let at = offset; at < end; ) {
    const bytes = await source.read(at, Math.min(STEP_BYTES, end - at));
    if (bytes.length === 0) throw new RangeError('the file is shorter than it should be');
    use(bytes);
    at += bytes.length;
  }
}

/** SHA-256 of a range. Rejects like readInSteps. */
export async function digestOfRange(
  source: ByteSource,
  range: { readonly offset: number; readonly length: number },
  hash: RunningHash,
): Promise<Uint8Array> {
  await readInSteps(source, range, (bytes) => hash.update(bytes));
  return hash.digest();
}

/** Small reads near each other, of which each would be a read of the disk. */
export class NearReads implements ByteSource {
  readonly byteLength: number;
  readonly #source: ByteSource;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array();

  constructor(source: ByteSource) {
    this.#source = source;
    this.byteLength = source.byteLength;
  }

  /** Valid until the next read. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length > STEP_BYTES) return this.#source.read(offset, length);
    const isHere = offset >= this.#start && offset + length <= this.#start + this.#bytes.length;
    if (!isHere) {
      this.#bytes = await this.#source.read(offset, STEP_BYTES);
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}
