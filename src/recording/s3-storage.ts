/**
 * Recordings in S3. A file is written to a folder of its own on the disk, the spool, and uploaded as one object when it is
 * sealed; then the spool forgets it (docs/design/recording.md#s3). Until then, and for readers forever, it is found where
 * it is.
 */

import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { FileStorage } from './file-storage.ts';
import type { MediaAppender, MediaReader, MediaStorage } from './media-storage.ts';
import type { ObjectStore } from './object-store.ts';
import { recordingNumber } from './segment-index.ts';

export interface S3StorageOptions {
  readonly objects: ObjectStore;
  /** Files that are being written, or wait for their upload. */
  readonly spool: FileStorage;
  /** An empty file for each file of the spool that is sealed, and for the newest of each folder that was uploaded. */
  readonly marks: FileStorage;
  /** Files from before S3 was used: they are found, and deleted, but not uploaded. */
  readonly older: FileStorage;
  /** Names at the top of `older` that are not recordings. */
  readonly reserved: ReadonlySet<string>;
  /** Of the spool. Beyond this, no file is begun. */
  readonly maxSpoolBytes: number;
  /** Room to leave on the spool's disk. */
  readonly minFreeBytes: number;
  readonly clock: Clock;
  /** Uploads fail, or null: they work again. */
  readonly onUpload: (failure: GatewayError | null) => void;
  /** What is only on the disk has changed. */
  readonly onSpool?: (spool: SpoolState) => void;
}

/** What is on the disk and not in S3 yet. */
export interface SpoolState {
  readonly byteLength: number;
  /** When the oldest file that waits for its upload was sealed, or found at a start; null: none waits. */
  readonly oldestEpochMs: number | null;
}

const CHUNK_BYTES = 1_048_576;
/** What a read of a few bytes fetches: files are scanned box by box. */
const READ_AHEAD_BYTES = 262_144;
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 60_000;
/** Recording files whose length is known, oldest first out: a file is asked for once, not with each range. */
const MAX_LENGTHS = 4_096;
/** A listing that failed is not tried again before. */
const LIST_AGAIN_MS = 10_000;

export class S3Storage implements MediaStorage {
  /** Listing and deleting takes as long as the network does. */
  readonly isRemote = true;
  readonly #options: S3StorageOptions;
  /** Bytes of each file of the spool: reserved ones while it is written. */
  readonly #spooled = new Map<string, number>();
  /** Sealed, in the order of their uploads; since when, epoch milliseconds. */
  readonly #waiting = new Map<string, number>();
  /** Files of the spool that have an object already. */
  readonly #fetched = new Set<string>();
  /** By name. An object of a recording never changes, and its number is not used again. */
  readonly #lengths = new Map<string, number>();
  #uploading: Promise<void> | null = null;
  #current: { readonly name: string; readonly done: Promise<void> } | null = null;
  #retry: TimerHandle | null = null;
  #retryMs = RETRY_MIN_MS;
  #hasFailed = false;
  #listFailed: { readonly error: unknown; readonly atMonoMs: number } | null = null;
  #isClosed = false;

  constructor(options: S3StorageOptions) {
    this.#options = options;
  }

  /** Only for one that writes: uploads what an earlier process left of its files, and from then on what is sealed. */
  async start(isOwn: (name: string) => boolean = () => true): Promise<void> {
    const { spool, marks } = this.#options;
    for (const name of (await namesUnder(spool, '')).filter(isOwn)) {
      const reader = await spool.open(name);
      this.#spooled.set(name, reader.byteLength);
      await reader.close();
    }
    for (const name of await namesUnder(marks, '')) if (this.#spooled.has(name)) this.#wait(name);
    this.#upload();
  }

  /** Bytes that are only on the disk. */
  get spooledBytes(): number {
    return this.#spooled.values().reduce((sum, byteLength) => sum + byteLength, 0);
  }

  /** Resolves when nothing is being uploaded: everything is, or the next try is some time away. */
  async settled(): Promise<void> {
    while (this.#uploading !== null) await this.#uploading;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#options.objects.close();
    await this.settled();
  }

  async create(name: string, expectedBytes: number): Promise<MediaAppender> {
    const { spool, marks, maxSpoolBytes, minFreeBytes } = this.#options;
    if ((await marks.list(folderOf(name))).includes(lastOf(name))) await this.#forgetMark(name);
    const isFull = this.spooledBytes + expectedBytes > maxSpoolBytes;
    if (isFull || (await spool.freeBytes()) < expectedBytes + minFreeBytes) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_DISK_FULL, { name, errno: 'ENOSPC' });
    }
    const appender = await spool.create(name, expectedBytes);
    this.#spooled.set(name, expectedBytes);
    this.#changed();
    return new SpoolAppender(appender, () => this.#sealed(appender));
  }

  async reopen(name: string, byteLength: number): Promise<MediaAppender> {
    const { spool, marks } = this.#options;
    await this.#withdraw(name);
    this.#lengths.delete(name);
    await marks.delete(name);
    const appender = await spool.reopen(name, byteLength).catch((thrown: unknown) => {
      if (!isMissing(thrown)) throw thrown;
      return this.#fetch(name, byteLength);
    });
    this.#spooled.set(name, byteLength);
    return new SpoolAppender(appender, () => this.#sealed(appender));
  }

  async open(name: string): Promise<MediaReader> {
    const { spool, marks, older, objects } = this.#options;
    for (const storage of [spool, older]) {
      try {
        const reader = await storage.open(name);
        if (storage === older) return reader;
        const isSealed = (await marks.list(folderOf(name))).includes(lastOf(name));
        return new SpoolReader(reader, isSealed);
      } catch (thrown) {
        if (!isMissing(thrown)) throw thrown;
      }
    }
    return new ObjectReader(objects, name, await this.#lengthOf(name));
  }

  /** The disk first: a file moves from there to S3. */
  async list(folder: string): Promise<string[]> {
    const { spool, older, reserved, objects } = this.#options;
    const names = new Set(await spool.list(folder));
    for (const name of await older.list(folder)) if (folder !== '' || !reserved.has(name)) names.add(name);
    for (const name of await objects.list(folder)) names.add(name);
    return [...names].sort();
  }

  /** S3 is only asked if nothing was ever written from here. */
  async newestName(folder: string): Promise<string | null> {
    const { spool, marks, clock } = this.#options;
    const local = [await spool.newestName(folder), await marks.newestName(folder)].filter(
      (name) => name !== null,
    );
    if (local.length > 0) return local.sort().at(-1)!;
    const failed = this.#listFailed;
    if (failed !== null && clock.monoMs() - failed.atMonoMs < LIST_AGAIN_MS) throw failed.error;
    try {
      const names = await this.list(folder);
      this.#listFailed = null;
      return names.at(-1) ?? null;
    } catch (error) {
      this.#listFailed = { error, atMonoMs: clock.monoMs() };
      throw error;
    }
  }

  async delete(name: string): Promise<boolean> {
    const { spool, marks, older, objects } = this.#options;
    await this.#withdraw(name);
    this.#lengths.delete(name);
    const wasNeverSealed = await this.#isBeingWritten(name);
    let wasThere = await spool.delete(name);
    this.#spooled.delete(name);
    this.#changed();
    // The newest mark of a stream stays, so that the recorder does not use its number again.
    const isNewest = (await marks.newestName(folderOf(name))) === lastOf(name);
    if (!isNewest || recordingNumber(lastOf(name)) === null) await marks.delete(name);
    if (await older.delete(name)) wasThere = true;
    if (wasNeverSealed) return true;
    if ((await objects.byteLength(name)) === null) return wasThere;
    await objects.delete(name);
    return true;
  }

  /** The bucket has no limit. What the spool can hold is checked when a file begins. */
  async freeBytes(): Promise<number> {
    return Number.MAX_SAFE_INTEGER;
  }

  /** Or was, when the process before ended. There is no object of it then. */
  async #isBeingWritten(name: string): Promise<boolean> {
    if (!this.#spooled.has(name) || this.#fetched.has(name)) return false;
    return !(await this.#options.marks.list(folderOf(name))).includes(lastOf(name));
  }

  /** Of the object. Fails RECORDING_NOT_FOUND. */
  async #lengthOf(name: string): Promise<number> {
    const known = this.#lengths.get(name);
    if (known !== undefined) return known;
    const byteLength = await this.#options.objects.byteLength(name);
    if (byteLength === null) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
    if (recordingNumber(lastOf(name)) === null) return byteLength;
    const [oldest] = this.#lengths.keys();
    if (this.#lengths.size >= MAX_LENGTHS && oldest !== undefined) this.#lengths.delete(oldest);
    this.#lengths.set(name, byteLength);
    return byteLength;
  }

  /** The file was deleted, and its name is used again. Fails RECORDING_EXISTS if it was not. */
  async #forgetMark(name: string): Promise<void> {
    const { marks, objects } = this.#options;
    if (this.#spooled.has(name) || (await objects.byteLength(name)) !== null) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_EXISTS, { name });
    }
    await marks.delete(name);
  }

  /** It is not uploaded, and no upload of it is in progress. */
  async #withdraw(name: string): Promise<void> {
    this.#waiting.delete(name);
    if (this.#current?.name === name) await this.#current.done.catch(() => undefined);
  }

  async #sealed({ name, byteLength }: MediaAppender): Promise<void> {
    const { marks } = this.#options;
    await (await marks.create(name, 0)).seal();
    this.#spooled.set(name, byteLength);
    this.#wait(name);
    this.#upload();
  }

  #wait(name: string): void {
    this.#waiting.set(name, this.#options.clock.epochMs());
    this.#changed();
  }

  #changed(): void {
    const [oldestEpochMs = null] = this.#waiting.values();
    this.#options.onSpool?.({ byteLength: this.spooledBytes, oldestEpochMs });
  }

  #upload(): void {
    if (this.#uploading !== null || this.#retry !== null || this.#waiting.size === 0 || this.#isClosed)
      return;
    this.#uploading = this.#uploadAll().finally(() => {
      this.#uploading = null;
      this.#upload();
    });
  }

  async #uploadAll(): Promise<void> {
    for (const name of this.#waiting.keys()) {
      this.#current = { name, done: this.#uploadOne(name) };
      try {
        await this.#current.done;
      } catch (thrown) {
        if (!this.#waiting.has(name)) continue;
        this.#failed(toGatewayError(thrown));
        return;
      }
      this.#waiting.delete(name);
      this.#changed();
      this.#retryMs = RETRY_MIN_MS;
      if (this.#hasFailed) this.#options.onUpload(null);
      this.#hasFailed = false;
      if (this.#isClosed) return;
    }
  }

  #failed(error: GatewayError): void {
    if (this.#isClosed) return;
    if (!this.#hasFailed) this.#options.onUpload(error);
    this.#hasFailed = true;
    this.#retry = this.#options.clock.after(this.#retryMs, () => {
      this.#retry = null;
      this.#upload();
    });
    this.#retryMs = Math.min(RETRY_MAX_MS, 2 * this.#retryMs);
  }

  /** The object is complete before the spool forgets the file. */
  async #uploadOne(name: string): Promise<void> {
    const { spool, marks, objects } = this.#options;
    const reader = await spool.open(name);
    try {
      let sum = 0;
      for await (const chunk of chunksOf(reader)) sum = crc32(chunk, sum);
      await objects.put(name, {
        byteLength: reader.byteLength,
        crc32: sum,
        content: () => chunksOf(reader),
      });
    } finally {
      await reader.close();
    }
    // Someone deletes it, or writes on.
    if (!this.#waiting.has(name)) return;
    await spool.delete(name);
    this.#spooled.delete(name);
    this.#fetched.delete(name);
    const newest = await marks.newestName(folderOf(name));
    for (const mark of await marks.list(folderOf(name))) {
      const marked = `${folderOf(name)}/${mark}`;
      if (mark !== newest && !this.#spooled.has(marked)) await marks.delete(marked);
    }
  }

  /** Back to the disk, to be continued. The object stays until the next upload replaces it. */
  async #fetch(name: string, byteLength: number): Promise<MediaAppender> {
    const { spool, objects } = this.#options;
    if ((await objects.byteLength(name)) === null) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
    }
    this.#fetched.add(name);
    const appender = await spool.create(name, byteLength);
    try {
      for (let at = 0; at < byteLength; at += CHUNK_BYTES) {
        await appender.append([await objects.read(name, at, Math.min(CHUNK_BYTES, byteLength - at))]);
      }
      return appender;
    } catch (thrown) {
      await appender.abandon();
      await spool.delete(name);
      throw thrown;
    }
  }
}

class SpoolAppender implements MediaAppender {
  readonly #file: MediaAppender;
  readonly #onSealed: () => Promise<void>;

  constructor(file: MediaAppender, onSealed: () => Promise<void>) {
    this.#file = file;
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

  append(pieces: readonly Uint8Array[]): Promise<void> {
    return this.#file.append(pieces);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  async seal(): Promise<void> {
    await this.#file.seal();
    await this.#onSealed();
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }
}

class SpoolReader implements MediaReader {
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

class ObjectReader implements MediaReader {
  readonly byteLength: number;
  readonly #objects: ObjectStore;
  readonly #name: string;
  #ahead: Buffer = Buffer.alloc(0);
  #aheadOffset = 0;

  constructor(objects: ObjectStore, name: string, byteLength: number) {
    this.#objects = objects;
    this.#name = name;
    this.byteLength = byteLength;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.byteLength - offset));
    if (wanted === 0) return Buffer.alloc(0);
    if (wanted >= READ_AHEAD_BYTES) return this.#objects.read(this.#name, offset, wanted);
    const isAhead = offset >= this.#aheadOffset && offset + wanted <= this.#aheadOffset + this.#ahead.length;
    if (!isAhead) {
      const ahead = Math.min(READ_AHEAD_BYTES, this.byteLength - offset);
      this.#ahead = await this.#objects.read(this.#name, offset, ahead);
      this.#aheadOffset = offset;
    }
    const at = offset - this.#aheadOffset;
    return this.#ahead.subarray(at, at + wanted);
  }

  async readInto(target: Uint8Array, offset: number): Promise<number> {
    const bytes = await this.read(offset, target.length);
    target.set(bytes);
    return bytes.length;
  }

  async close(): Promise<void> {
    this.#ahead = Buffer.alloc(0);
  }
}

/** Reading is synchronous: others get their turn after each chunk. */
async function* chunksOf(reader: MediaReader): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < reader.byteLength; at += CHUNK_BYTES) {
    yield await reader.read(at, CHUNK_BYTES);
    await turnOfOthers();
  }
}

async function namesUnder(storage: MediaStorage, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const camera of await storage.list(folder)) {
    for (const rendition of await storage.list(camera)) {
      for (const file of await storage.list(`${camera}/${rendition}`)) {
        names.push(`${camera}/${rendition}/${file}`);
      }
    }
  }
  return names;
}

function isMissing(thrown: unknown): boolean {
  return toGatewayError(thrown).code === RECORDING_ERRORS.RECORDING_NOT_FOUND.code;
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
