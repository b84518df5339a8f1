/** The movie thread without the thread: makes heads of movies, and copies movies to files of their own. */

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { wireErrorOf } from '../core/wire-error.ts';
import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import type { MediaAppender, MediaReader, MediaStorage } from '../recording/media-storage.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type {
  CopiedMovie,
  CopySource,
  MadeMovie,
  MovieMessage,
  MovieNotice,
  MovieSource,
} from './movie-protocol.ts';
import { Pieces } from './pieces.ts';
import { buildRangeMp4, type RangeMp4 } from './range-mp4.ts';
import type { ReadJob } from './read-protocol.ts';
import { buildTimelapseMp4 } from './timelapse-mp4.ts';

/** The thread's other work has its turn after this many reads of fragments. */
const READS_PER_TURN = 64;
/**
 * Open files of one movie: a timelapse reads thousands. The limit exceeds the files that are read at the same time, which are
 * those used last.
 */
const MAX_OPEN_FILES = 64;
const COPY_BLOCK_BYTES = 1_048_576;
/** Bytes written since the last sync. The disk has to take them in one burst when the recorder wants to write as well. */
const SYNC_BYTES = 32 * 1_048_576;
const DIGEST_CHARS = 22;

type Storage = Pick<MediaStorage, 'open' | 'create' | 'delete' | 'list' | 'freeBytes'>;

export class MovieSide {
  readonly #storage: Storage;
  readonly #minFreeBytes: number;
  readonly #send: (notice: MovieNotice) => void;
  /** Copies that are to end. */
  readonly #canceled = new Set<number>();
  readonly #copying = new Set<number>();
  /** Reads that another node is asked for. */
  readonly #requested = new Map<number, (bytes: Uint8Array | null) => void>();
  #nextRead = 0;

  /** `minFreeBytes`: room that copies leave. */
  constructor(storage: Storage, minFreeBytes: number, send: (notice: MovieNotice) => void) {
    this.#storage = storage;
    this.#minFreeBytes = minFreeBytes;
    this.#send = send;
  }

  /** Resolves when the answer was sent. */
  async take(message: MovieMessage): Promise<void> {
    if (message.op === 'cancel') {
      if (this.#copying.has(message.of)) this.#canceled.add(message.of);
      return;
    }
    if (message.op === 'bytes') {
      const take = this.#requested.get(message.read);
      this.#requested.delete(message.read);
      take?.(message.bytes);
      return;
    }
    const { id } = message;
    try {
      this.#send(await this.#respond(message));
    } catch (thrown) {
      this.#send({ op: 'failed', id, failure: wireErrorOf(thrown) });
    }
  }

  async #respond(message: Exclude<MovieMessage, { op: 'cancel' | 'bytes' }>): Promise<MovieNotice> {
    const { id } = message;
    switch (message.op) {
      case 'make':
        return { op: 'made', id, movie: await this.#make(id, message.source) };
      case 'copy':
        return { op: 'copied', id, movie: await this.#copy(id, message.source, message.name) };
      case 'write':
        return { op: 'written', id, isPlain: await this.#writeBytes(message.name, message.bytes) };
      case 'delete':
        return { op: 'deleted', id, existed: await this.#storage.delete(message.name) };
      case 'list':
        return { op: 'listed', id, names: await this.#storage.list(message.folder) };
    }
  }

  async #make(id: number, source: MovieSource): Promise<MadeMovie> {
    const movie = await this.#reading(id, (read) => buildRangeMp4(source.files, source.wanted, read));
    const digest = createHash('sha256')
      .update(movie.head)
      .update(movie.pieces.names.join('\n'))
      .update(Buffer.from(movie.pieces.columns.buffer))
      .digest('base64url')
      .slice(0, DIGEST_CHARS);
    return { ...movie, digest };
  }

  async #copy(id: number, source: CopySource, name: string): Promise<CopiedMovie> {
    this.#copying.add(id);
    let isWriting = false;
    const onTurn = (): void => {
      if (isWriting) return;
      this.#send({ op: 'progress', id, doneBytes: 0, totalBytes: 0 });
      this.#endIfCanceled(id);
    };
    try {
      const work = async (read: ReadBytes): Promise<CopiedMovie> => {
        const movie = await ('frames' in source
          ? buildTimelapseMp4(source, read)
          : buildRangeMp4(source.files, source.wanted, read));
        isWriting = true;
        await this.#storage.delete(name);
        if ((await this.#storage.freeBytes()) - movie.byteLength < this.#minFreeBytes) {
          throw new GatewayError(RECORDING_ERRORS.RECORDING_DISK_FULL, { name });
        }
        const file = await this.#storage.create(name, movie.byteLength);
        try {
          return await this.#write(id, movie, file, read);
        } catch (thrown) {
          await file.abandon();
          await this.#storage.delete(name);
          throw thrown;
        }
      };
      return await this.#reading(id, work, onTurn);
    } finally {
      this.#copying.delete(id);
      this.#canceled.delete(id);
    }
  }

  /** Whether the stored bytes are these. */
  async #writeBytes(name: string, bytes: Uint8Array): Promise<boolean> {
    await this.#storage.delete(name);
    const file = await this.#storage.create(name, bytes.length);
    try {
      await file.append([bytes]);
      await file.seal();
      return file.isEncrypted !== true;
    } catch (thrown) {
      await file.abandon();
      await this.#storage.delete(name);
      throw thrown;
    }
  }

  async #write(id: number, movie: RangeMp4, file: MediaAppender, read: ReadBytes): Promise<CopiedMovie> {
    const hash = createHash('sha256').update(movie.head);
    await file.append([movie.head]);
    const pieces = new Pieces(movie.pieces);
    const totalBytes = movie.byteLength;
    for (const block of pieces.blocks(0, pieces.byteLength, COPY_BLOCK_BYTES)) {
      const bytes = await read(block.name, block.offset, block.byteLength);
      const parts = block.parts.map(([offset, length]) => bytes.subarray(offset, offset + length));
      for (const part of parts) hash.update(part);
      await file.append(parts);
      if (file.byteLength - file.syncedBytes >= SYNC_BYTES) await file.sync();
      this.#send({ op: 'progress', id, doneBytes: file.byteLength, totalBytes });
      await setImmediate();
      this.#endIfCanceled(id);
    }
    await file.seal();
    const { byteLength, durationMs, startEpochMs, endEpochMs, widthPx, heightPx } = movie;
    const sha256Hex = hash.digest('hex');
    const isPlain = file.isEncrypted !== true;
    return { byteLength, durationMs, startEpochMs, endEpochMs, sha256Hex, widthPx, heightPx, isPlain };
  }

  #endIfCanceled(id: number): void {
    if (this.#canceled.has(id)) throw new GatewayError(PLAYBACK_ERRORS.MOVIE_CANCELED);
  }

  /**
   * With the files that the work for `id` needs open as long as it lasts, of many those that were read last. What is not in the
   * storage is read from the node that has it.
   */
  async #reading<T>(
    id: number,
    work: (read: ReadBytes) => Promise<T>,
    onTurn = (): void => undefined,
  ): Promise<T> {
    /** The least recently used one first. */
    const readers = new Map<string, Promise<MediaReader>>();
    const open = (name: string): Promise<MediaReader> => {
      const opened = readers.get(name) ?? this.#storage.open(name);
      // The caller gets the failure a moment later.
      opened.catch(() => undefined);
      readers.delete(name);
      readers.set(name, opened);
      return opened;
    };
    const closeOldest = async (): Promise<void> => {
      const [oldest] = readers;
      if (readers.size <= MAX_OPEN_FILES || oldest === undefined) return;
      readers.delete(oldest[0]);
      await closed(oldest[1]);
    };
    const elsewhere = new Set<string>();
    const readHere = async (name: string, offset: number, length: number): Promise<Buffer> => {
      const reader = open(name);
      await closeOldest();
      return (await reader).read(offset, length);
    };
    const readAt = async (name: string, offset: number, length: number): Promise<Buffer> => {
      if (elsewhere.has(name)) return this.#readElsewhere(id, { name, offset, length });
      try {
        return await readHere(name, offset, length);
      } catch (thrown) {
        if (toGatewayError(thrown).code !== RECORDING_ERRORS.RECORDING_NOT_FOUND.code) throw thrown;
        readers.delete(name);
        elsewhere.add(name);
        return this.#readElsewhere(id, { name, offset, length });
      }
    };
    let reads = 0;
    try {
      return await work(async (name, offset, length) => {
        if (++reads % READS_PER_TURN === 0) {
          await setImmediate();
          onTurn();
        }
        const bytes = await readAt(name, offset, length);
        if (bytes.length === length) return bytes;
        throw new GatewayError(RECORDING_ERRORS.RECORDING_IO, { name, errno: 'short' });
      });
    } finally {
      for (const opened of readers.values()) await closed(opened);
    }
  }

  /** Fails RECORDING_NOT_FOUND. */
  async #readElsewhere(id: number, job: ReadJob): Promise<Buffer> {
    const read = this.#nextRead++;
    const bytes = await new Promise<Uint8Array | null>((resolve) => {
      this.#requested.set(read, resolve);
      this.#send({ op: 'read', id, read, job });
    });
    if (bytes === null) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name: job.name });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

/** Closes a file. A file that could not be opened has already failed its caller. */
async function closed(opened: Promise<MediaReader>): Promise<void> {
  await opened.then((reader) => reader.close()).catch(() => undefined);
}
