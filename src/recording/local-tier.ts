/**
 * Sealed files that stay on the disk for a while before they move to S3 (`recording.tiers.local`): which are due, and which move earlier
 * because the disk needs room. docs/design/recording.md#s3.
 */

interface LocalFile {
  readonly dueEpochMs: number;
  readonly byteLength: number;
}

export class LocalTier {
  /** How long a file stays; 0: none does. */
  readonly localMs: number;
  /** By name, in the order in which they were sealed. */
  readonly #files = new Map<string, LocalFile>();
  #byteLength = 0;

  constructor(localMs: number) {
    this.localMs = localMs;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  get isEmpty(): boolean {
    return this.#files.size === 0;
  }

  /** Files come in the order of their times. False: it is due already. If the clock was set back, it was sealed now. */
  add(name: string, byteLength: number, sealedEpochMs: number, nowEpochMs: number): boolean {
    const dueEpochMs = Math.min(sealedEpochMs, nowEpochMs) + this.localMs;
    if (dueEpochMs <= nowEpochMs) return false;
    this.delete(name);
    this.#files.set(name, { dueEpochMs, byteLength });
    this.#byteLength += byteLength;
    return true;
  }

  delete(name: string): void {
    this.#byteLength -= this.#files.get(name)?.byteLength ?? 0;
    this.#files.delete(name);
  }

  /** Takes out the files that are due. After the clock was set, those behind one that is not due wait for it. */
  takeDue(nowEpochMs: number): string[] {
    return this.#takeWhile(({ dueEpochMs }) => dueEpochMs <= nowEpochMs);
  }

  /** Takes out the oldest files, until they have `byteLength` bytes together. */
  takeOldest(byteLength: number): string[] {
    let left = byteLength;
    return this.#takeWhile((file) => {
      const isWanted = left > 0;
      left -= file.byteLength;
      return isWanted;
    });
  }

  #takeWhile(isWanted: (file: LocalFile) => boolean): string[] {
    const names: string[] = [];
    for (const [name, file] of this.#files) {
      if (!isWanted(file)) break;
      names.push(name);
    }
    for (const name of names) this.delete(name);
    return names;
  }
}
