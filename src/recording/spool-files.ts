/** Files of the spool: as they are written, read, and uploaded (s3-storage.ts). */

import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { MediaAppender, MediaReader } from './media-storage.ts';

export const CHUNK_BYTES = 1_048_576;

/** Sums up what is appended, so that an upload reads the file once. */
export class SpoolAppender implements MediaAppender {
  readonly #file: MediaAppender;
  readonly #onSealed: (sum: number | null) => Promise<void>;
  #sum: number | null;

  /** `sum`: of the bytes before; null: not known. */
  constructor(file: MediaAppender, sum: number | null, onSealed: (sum: number | null) => Promise<void>) {
    this.#file = file;
    this.#sum = sum;
    this.#onSealed = onSealed;
  }

  get name(): string {
    return this.#file.name;
  }

  get byteLength(): number {
    return this.#file.byteLength;
  }

  get syncedBytes(): number {
    return this.#file.syncedBytes;
  }

  async append(pieces: readonly Uint8Array[]): Promise<void> {
    await this.#file.append(pieces);
    if (this.#sum === null) return;
    for (const piece of pieces) this.#sum = crc32(piece, this.#sum);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  async seal(): Promise<void> {
    await this.#file.seal();
    await this.#onSealed(this.#sum);
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }
}

export class SpoolReader implements MediaReader {
  readonly isSealed: boolean;
  readonly #file: MediaReader;

  constructor(file: MediaReader, isSealed: boolean) {
    this.#file = file;
    this.isSealed = isSealed;
  }

  get byteLength(): number {
    return this.#file.byteLength;
  }

  read(offset: number, length: number): Promise<Buffer> {
    return this.#file.read(offset, length);
  }

  readInto(target: Uint8Array, offset: number): Promise<number> {
    return this.#file.readInto(target, offset);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Reading is synchronous: others get their turn after each chunk. */
export async function* chunksOf(reader: MediaReader): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < reader.byteLength; at += CHUNK_BYTES) {
    yield await reader.read(at, CHUNK_BYTES);
    await turnOfOthers();
  }
}

export async function sumOf(reader: MediaReader): Promise<number> {
  let sum = 0;
  for await (const chunk of chunksOf(reader)) sum = crc32(chunk, sum);
  return sum;
}
