/** A disk of a few megabytes that a test can fill: its own tmpfs. Needs permission to mount, which root has in CI. */

import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PIECE = Buffer.alloc(65_536, 1);
const PAGE_BYTES = 4_096;

export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]);
    return new SmallDisk(folder);
  }

  /** Takes all available room, to the last page. */
  fill(): void {
    const file = openSync(join(this.folder, 'filler'), 'a');
    try {
      for (let size = PIECE.length; size >= PAGE_BYTES; ) {
        try {
          writeSync(file, PIECE, 0, size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size /= 2;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** Gives the room back. */
  free(): void {
    rmSync(join(this.folder, 'filler'));
  }

  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  async unmount(): Promise<void> {
    await run('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }
}
