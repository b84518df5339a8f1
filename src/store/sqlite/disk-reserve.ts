/**
 * A file next to the database whose only purpose is its size. If the disk is full and something must still be stored (a
 * link that is turned off, a key that is revoked), it gives up some of its space, and takes it back when there is room
 * again. While some is given up, ordinary writes are refused: they would use the space that was freed for others.
 */

import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Enough for thousands of revocations: each is a few pages of 4 KiB in the log. */
export const RESERVE_BYTES = 8 * 1_048_576;
/** How much is given up at a time. */
export const RESERVE_STEP_BYTES = 1_048_576;
/** It is refilled only if this much stays free besides it. */
export const RESERVE_MARGIN_BYTES = 4 * 1_048_576;

const FILE_MODE = 0o600;

export class DiskReserve {
  readonly #path: string;
  readonly #bytes: number;
  #isGiven = false;

  /** Creates nothing yet. */
  constructor(path: string, bytes = RESERVE_BYTES) {
    this.#path = path;
    this.#bytes = bytes;
  }

  /** Some of it was given up and is not refilled yet. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  get isWhole(): boolean {
    return this.#sizeBytes() >= this.#bytes;
  }

  /** Gives up a piece; false if there is none left. */
  give(): boolean {
    const sizeBytes = this.#sizeBytes();
    if (sizeBytes === 0) return false;
    try {
      const file = openSync(this.#path, constants.O_WRONLY);
      try {
        ftruncateSync(file, Math.max(0, sizeBytes - RESERVE_STEP_BYTES));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch {
      // A reserve that cannot be accessed counts as none: the write fails as it would without it.
      return false;
    }
    this.#isGiven = true;
    return true;
  }

  /** Refills it if there is room. Returns whether it is full. */
  refill(): boolean {
    try {
      const sizeBytes = this.#sizeBytes();
      if (sizeBytes < this.#bytes) {
        const { bavail, bsize } = statfsSync(dirname(this.#path));
        if (bavail * bsize < this.#bytes - sizeBytes + RESERVE_MARGIN_BYTES) return false;
        this.#fill(sizeBytes);
      }
    } catch {
      // The disk, its quota or its owner does not allow it: retried later.
      return false;
    }
    this.#isGiven = false;
    return true;
  }

  /** Random bytes: zeros take no room if the file system compresses. */
  #fill(fromBytes: number): void {
    const file = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, FILE_MODE);
    try {
      const piece = Buffer.allocUnsafe(RESERVE_STEP_BYTES);
      for (let at = fromBytes; at < this.#bytes; ) {
        randomFillSync(piece);
        at += writeSync(file, piece, 0, Math.min(piece.length, this.#bytes - at), at);
      }
      fsyncSync(file);
    } catch (error) {
      ftruncateSync(file, fromBytes);
      throw error;
    } finally {
      closeSync(file);
    }
  }

  #sizeBytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }
}
