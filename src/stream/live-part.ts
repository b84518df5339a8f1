/**
 * Bytes of the live window. They lie in media blocks until somebody asks for them; then they are put in one piece,
 * which everybody who asks later shares.
 */

import { PartBytes } from '../cmaf/part-bytes.ts';
import type { LentMedia } from './live-media.ts';

const NO_BYTES = Buffer.alloc(0);

/** Whoever counts the loans. */
export interface Lender {
  endLoan(): void;
  isRecalled(nowMonoMs: number): boolean;
}

export class LivePart implements LentMedia {
  readonly byteLength: number;
  readonly #lender: Lender;
  #packed: PartBytes | null;
  #joined: Buffer | null;

  /** Takes over `bytes`. `free` is for the lender alone. */
  constructor(bytes: PartBytes | Buffer, lender: Lender) {
    this.byteLength = bytes.byteLength;
    this.#lender = lender;
    this.#packed = bytes instanceof PartBytes ? bytes : null;
    this.#joined = bytes instanceof PartBytes ? null : bytes;
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
