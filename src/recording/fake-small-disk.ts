/** The file system with a disk of so many bytes: deleted and cut bytes are room again. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { FakeDisk } from './fake-disk.ts';

export class FakeSmallDisk extends FakeDisk {
  readonly #folder: string;
  readonly #byteLength: number;
  /** Bytes of another program. */
  #fillerBytes = 0;

  /** Everything under `folder` lies on it. */
  constructor(folder: string, byteLength: number) {
    super();
    this.#folder = folder;
    this.#byteLength = byteLength;
  }

  /** Someone else takes all the room that there is. */
  override fill(): void {
    this.#fillerBytes += this.freeBytes();
  }

  /** And gives it back. */
  free(): void {
    this.#fillerBytes = 0;
  }

  /** As a disk that becomes full does, it takes what fits. */
  override write(file: number, bytes: Uint8Array, position: number): void {
    const takenBytes = this.byteLength(file) + this.freeBytes() - position;
    this.tornBytes = takenBytes < bytes.length ? takenBytes : null;
    super.write(file, bytes, position);
  }

  override freeBytes(): number {
    return Math.max(0, this.#byteLength - this.#fillerBytes - bytesUnder(this.#folder));
  }
}

function bytesUnder(folder: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesUnder(path) : fs.statSync(path).size;
  }
  return bytes;
}
