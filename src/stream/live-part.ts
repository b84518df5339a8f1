/**
 * Bytes of the live window. They lie in media blocks until somebody asks for them; then they are put in one piece,
 * which everybody who asks later shares.
 */

import { PartBytes } from '../cmaf/part-bytes.ts';
import type { LentMedia } from './live-media.ts';

const NO_BYTES = Buffer.alloc(0);

export class LivePart implements LentMedia {
  readonly byteLength: number;
  readonly release: () => void;
  #packed: PartBytes | null;
  #joined: Buffer | null;

  /** Takes over `bytes`. `endLoan` is called whenever a loan ends; `free` is for whoever counts them. */
  constructor(bytes: PartBytes | Buffer, endLoan: () => void) {
    this.byteLength = bytes.byteLength;
    this.release = endLoan;
    this.#packed = bytes instanceof PartBytes ? bytes : null;
    this.#joined = bytes instanceof PartBytes ? null : bytes;
  }

  get bytes(): Buffer {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  copyTo(target: Buffer, position: number): void {
    if (this.#packed === null) target.set(this.bytes, position);
    else this.#packed.copyTo(target, position);
  }

  /** There is nothing to be had any more. Only when nothing is on loan. Idempotent. */
  free(): void {
    this.#packed?.release();
    this.#packed = null;
    if (this.#joined !== null) freeMemory(this.#joined);
    this.#joined = NO_BYTES;
  }

  #join(): Buffer {
    const joined = this.#packed?.join() ?? NO_BYTES;
    this.#packed?.release();
    this.#packed = null;
    return joined;
  }
}

/**
 * Gives memory back to the system now instead of when it is collected, which would be late: a viewer's megabytes are
 * a handful of objects. Memory that other bytes lie in, too, is left to the collector.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}
