/**
 * Whether reports can still be stored on the database's disk. Recordings on it are deleted while less than
 * `recording.minFree` is free, so it is often a little less; the rest, below three quarters of that, is for live
 * recordings, deletions and what ends access.
 */

import { statfs } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';

/** The part of `recording.minFree` that reports leave. The recorder ends at half of it. */
export const REPORTS_LEAVE = 3 / 4;
/** How long an answer is good for: devices report often. */
export const KNOWN_FOR_MS = 1_000;

export interface DiskRoomOptions {
  /** On the disk. */
  readonly folder: string;
  /** Room that reports leave. */
  readonly minFreeBytes: number;
  readonly clock: Pick<Clock, 'monoMs'>;
  /** For tests. Default: the system's value. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #hasRoom = true;
  #readMonoMs = Number.NEGATIVE_INFINITY;
  /** One at a time: a disk that hangs must not occupy all threads that read files. */
  #reading: Promise<void> | null = null;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** As of at most KNOWN_FOR_MS ago. */
  async hasRoom(): Promise<boolean> {
    if (this.#options.clock.monoMs() - this.#readMonoMs >= KNOWN_FOR_MS) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    return this.#hasRoom;
  }

  async #read(): Promise<void> {
    const { folder, minFreeBytes, clock, freeBytes = freeBytesOf } = this.#options;
    try {
      this.#hasRoom = (await freeBytes(folder)) >= minFreeBytes;
    } catch {
      // Writing will report the fault.
      this.#hasRoom = true;
    }
    this.#readMonoMs = clock.monoMs();
  }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
