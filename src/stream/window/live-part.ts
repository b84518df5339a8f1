/**
 * Bytes of the live window. They lie in media blocks until the first request; then they are joined into one piece that
 * all later requests share.
 */

import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { LentMedia } from '../media/live-media.ts';

const NO_BYTES = Buffer.alloc(0);

/** Counts the loans. */
export interface Lender {
  endLoan(): void;
  isRecalled(nowMonoMs: number): boolean;
}

export class LivePart implements LentMedia {
  readonly byteLength: number;
  readonly #lender: Lender;
  #packed: PackedBytes | null;
  #joined: Buffer | null;

  /** Takes over `bytes`. Only the lender calls `free`. */
  constructor(bytes: PackedBytes | Buffer, lender: Lender) {
    this.byteLength = bytes.byteLength;
    this.#lender = lender;
    this.#packed = Buffer.isBuffer(bytes) ? null : bytes;
    this.#joined = Buffer.isBuffer(bytes) ? bytes : null;
  }

  get bytes(): Buffer {
    this.#joined ??= this.#join();
    return this.#joined;
  }

  release(): void {
    this.#lender.endLoan();
  }

  isRecalled(nowMonoMs: number): boolean {
    return this.#lender.isRecalled(nowMonoMs);
  }

  /**
   * The part for other threads: the location of its bytes, with one more user, or a copy of the bytes that viewers already
   * got.
   */
  shared(): PackedBytes | Buffer {
    return this.#packed?.again() ?? Buffer.from(this.bytes);
  }

  copyTo(target: Buffer, position: number): void {
    if (this.#packed === null) target.set(this.bytes, position);
    else this.#packed.copyTo(target, position);
  }

  /** The bytes are no longer available. Call only when nothing is on loan. Idempotent. */
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
 * Returns memory to the system now instead of at garbage collection, which would be late: a viewer's megabytes are a
 * handful of objects. Memory that also holds other bytes is left to the collector.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}
