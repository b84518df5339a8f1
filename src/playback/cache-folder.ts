/** A folder of files that are gone after a restart. It is made, and emptied, at the first use. */

import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheDisk } from './recoded-files.ts';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

export class CacheFolder implements CacheDisk {
  readonly #folder: string;

  /** Nothing else may lie in the folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async empty(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await writeFile(join(this.#folder, name), bytes, { mode: OWNER_ONLY_FILE });
  }

  read(name: string): Promise<Buffer> {
    return readFile(join(this.#folder, name));
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#folder, name), { force: true });
  }
}
