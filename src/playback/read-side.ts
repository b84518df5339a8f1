/**
 * The reading thread without the thread: does each job, and sends its bytes. Files are opened for one job each: a file
 * that is kept open would keep its room on the disk after retention has deleted it.
 */

import { GatewayError } from '../core/errors.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import { singleTrackSegment } from '../isobmff/single-track.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import type { MediaStorage } from '../recording/media-storage.ts';
import type { ReadJob, ReadMessage, ReadNotice } from './read-protocol.ts';

export class ReadSide {
  readonly #storage: Pick<MediaStorage, 'open'>;
  readonly #memory: SharedArrayBuffer;
  readonly #send: (notice: ReadNotice) => void;

  constructor(
    storage: Pick<MediaStorage, 'open'>,
    memory: SharedArrayBuffer,
    send: (notice: ReadNotice) => void,
  ) {
    this.#storage = storage;
    this.#memory = memory;
    this.#send = send;
  }

  /** Resolves when the answer was sent. */
  async take({ id, job, place }: ReadMessage): Promise<void> {
    try {
      if (place === null) this.#send({ id, bytes: await this.#read(job) });
      else {
        await this.#readAll(job, new Uint8Array(this.#memory, place, job.length));
        this.#send({ id, isPlaced: true });
      }
    } catch (thrown) {
      this.#send({ id, failure: wireErrorOf(thrown) });
    }
  }

  async #read(job: ReadJob): Promise<Buffer> {
    if (job.isAtMost === true) return this.#readAtMost(job);
    const bytes = Buffer.allocUnsafeSlow(job.length);
    await this.#readAll(job, bytes);
    return job.trackId === undefined ? bytes : singleTrackSegment(bytes, job.trackId);
  }

  async #readAtMost({ name, offset, length }: ReadJob): Promise<Buffer> {
    const reader = await this.#storage.open(name);
    try {
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, reader.byteLength - offset)));
      return bytes.subarray(0, await reader.readInto(bytes, offset));
    } finally {
      await reader.close();
    }
  }

  async #readAll({ name, offset, isStored }: ReadJob, target: Uint8Array): Promise<void> {
    const reader = await this.#storage.open(name);
    try {
      const source = isStored === true ? (reader.stored ?? reader) : reader;
      if ((await source.readInto(target, offset)) === target.length) return;
      throw new GatewayError(RECORDING_ERRORS.RECORDING_IO, { name, errno: 'short' });
    } finally {
      await reader.close();
    }
  }
}
