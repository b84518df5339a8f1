/**
 * Files with thumbnails, in the recorder's thread: each belongs to a recording file, and is deleted with it. A fault here affects no
 * recording.
 */

import { GatewayError } from '../core/errors.ts';
import { DecryptingStorage } from './decrypting-storage.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { MediaAppender, MediaStorage } from './media-storage.ts';
import type { RecordingKeys } from './recording-cipher.ts';
import { type RecordedStream, recordingName } from './segment-index.ts';
import { MAX_THUMBNAILS_BYTES, thumbnailsName } from './thumbnail-chunk.ts';

export interface ThumbnailFilesOptions {
  readonly storage: MediaStorage;
  /** To encrypt with; null: not at all. */
  readonly keys: RecordingKeys | null;
  /** Room to leave on the disk. */
  readonly minFreeBytes: number;
}

export class ThumbnailFiles {
  readonly #storage: MediaStorage;
  readonly #minFreeBytes: number;
  /** By name. */
  readonly #open = new Map<string, MediaAppender>();

  constructor({ storage, keys, minFreeBytes }: ThumbnailFilesOptions) {
    this.#storage = keys === null ? storage : new DecryptingStorage(storage, keys, { isWrapping: true });
    this.#minFreeBytes = minFreeBytes;
  }

  /**
   * Adds a chunk, borrowed, to those of a recording file. Fails RECORDING_NOT_FOUND if there is no such recording, RECORDING_DISK_FULL, also
   * for a file that would be too large, and RECORDING_IO.
   */
  async append(of: RecordedStream, number: number, chunk: Uint8Array): Promise<void> {
    const name = thumbnailsName(of, number);
    if ((await this.#storage.freeBytes()) < this.#minFreeBytes + chunk.length) throw full(name);
    const file = this.#open.get(name) ?? (await this.#begin(name, recordingName(of, number)));
    if (file.byteLength + chunk.length > MAX_THUMBNAILS_BYTES) throw full(name);
    try {
      await file.append([chunk]);
    } catch (thrown) {
      this.#open.delete(name);
      await file.abandon();
      throw thrown;
    }
  }

  /** The recording file is finished, and nothing is added. Fails RECORDING_IO. */
  async end(of: RecordedStream, number: number): Promise<void> {
    const name = thumbnailsName(of, number);
    const file = this.#open.get(name);
    this.#open.delete(name);
    await file?.seal();
  }

  /** Fails RECORDING_IO. */
  async delete(of: RecordedStream, number: number): Promise<void> {
    const name = thumbnailsName(of, number);
    const file = this.#open.get(name);
    this.#open.delete(name);
    await file?.abandon();
    await this.#storage.delete(name);
  }

  /** The gateway stops. Never rejects. */
  async close(): Promise<void> {
    for (const file of this.#open.values()) await file.seal().catch(() => file.abandon());
    this.#open.clear();
  }

  /** A recording that was deleted in the meantime gets no file, which nothing would delete. */
  async #begin(name: string, recording: string): Promise<MediaAppender> {
    await (await this.#storage.open(recording)).close();
    const file = await this.#storage.create(name, 0);
    this.#open.set(name, file);
    return file;
  }
}

function full(name: string): GatewayError {
  return new GatewayError(RECORDING_ERRORS.RECORDING_DISK_FULL, { name, errno: 'ENOSPC' });
}
