/**
 * Recordings in S3. A file is written to a folder of its own on the disk, the spool, and uploaded as one object when it is
 * sealed, or later (local-tier.ts); then the spool forgets it (docs/design/recording.md#s3). Until then, and for readers forever, it is found where
 * it is.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { FileStorage } from './file-storage.ts';
import { LocalTier } from './local-tier.ts';
import type { MediaAppender, MediaReader, MediaStorage } from './media-storage.ts';
import { ObjectReader } from './object-reader.ts';
import type { ObjectStore } from './object-store.ts';
import { recordingNumber } from './segment-index.ts';
import { CHUNK_BYTES, chunksOf, SpoolAppender, SpoolReader, sumOf } from './spool-files.ts';
import { UploadQueue } from './upload-queue.ts';

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
  /** Limit of the spool. Beyond this, no file is begun. */
  readonly maxSpoolBytes: number;
  /** Room to leave on the spool's disk. Below twice as much, files move to S3 before they are due. */
  readonly minFreeBytes: number;
  /** How long sealed files stay on the disk before they move to S3. Default: they do not stay. */
  readonly localMs?: number;
  readonly clock: Clock;
  /** Uploads fail, or null: they work again. */
  readonly onUpload: (failure: GatewayError | null) => void;
  /** S3 takes other files and refuses this one, or the spool cannot read it. It stays in the spool, and is tried again. */
  readonly onRefused?: (name: string, error: GatewayError) => void;
  /** The set of files that are only on the disk has changed. */
  readonly onSpool?: (spool: SpoolState) => void;
  /** The organization of a camera, to share out uploads; null: not known. Default: none is. */
  readonly organizationOf?: (cameraUuid: string) => string | null;
}

/** Files that are on the disk and not in S3 yet. */
export interface SpoolState {
  readonly byteLength: number;
  /** When the oldest file that waits for its upload was sealed, or found at a start; null: none waits. */
  readonly oldestEpochMs: number | null;
}

/** Divides the spool: if refused files take more than this part, the streams that they belong to begin no more files. */
const REFUSED_SHARE = 4;
/** Recording files whose length is known, oldest first out: a file is asked for once, not with each range. */
const MAX_LENGTHS = 4_096;
/** A listing that failed is not tried again before. */
const LIST_AGAIN_MS = 10_000;
/** How often the gateway looks for files that are due to move to S3. */
const LOCAL_AGAIN_MS = 60_000;
/** Part of the least free room from which on files move early. */
const EARLY_FACTOR = 2;

export class S3Storage implements MediaStorage {
  /** Listing and deleting takes as long as the network does. */
  readonly isRemote = true;
  readonly #options: S3StorageOptions;
  /** Bytes of each file of the spool: reserved ones while it is written. */
  readonly #spooled = new Map<string, number>();
  #spooledBytes = 0;
  /** CRC-32 of sealed files that were written by this process: others are read for it. */
  readonly #sums = new Map<string, number>();
  /** Sealed. */
  readonly #waiting = new UploadQueue();
  /** Sealed, and to stay for now. */
  readonly #local: LocalTier;
  #localTimer: TimerHandle | null = null;
  /** Files of the spool that have an object already. */
  readonly #fetched = new Set<string>();
  /** By name. An object of a recording never changes, and its number is not used again. */
  readonly #lengths = new Map<string, number>();
  /** Uploads in progress, by name. None rejects. */
  readonly #uploads = new Map<string, Promise<void>>();
  #retry: TimerHandle | null = null;
  #hasFailed = false;
  #listFailed: { readonly error: unknown; readonly atMonoMs: number } | null = null;
  #isClosed = false;

  constructor(options: S3StorageOptions) {
    this.#options = options;
    this.#local = new LocalTier(options.localMs ?? 0);
  }

  /** Only for one that writes: uploads the files that an earlier process left, and from then on sealed files. */
  async start(isOwn: (name: string) => boolean = () => true): Promise<void> {
    const { spool, marks } = this.#options;
    const writtenEpochMs = new Map<string, number>();
    for (const name of (await namesUnder(spool, '')).filter(isOwn)) {
      this.#putSpooled(name, 0);
      try {
        const reader = await spool.open(name);
        this.#putSpooled(name, reader.byteLength);
        writtenEpochMs.set(name, reader.writtenEpochMs ?? 0);
        await reader.close();
      } catch (thrown) {
        this.#options.onRefused?.(name, toGatewayError(thrown));
      }
    }
    const sealed = (await namesUnder(marks, '')).filter((name) => this.#spooled.has(name));
    const writtenOf = (name: string) => writtenEpochMs.get(name) ?? 0;
    for (const name of sealed.sort((one, other) => writtenOf(one) - writtenOf(other))) {
      this.#stay(name, writtenOf(name));
    }
    await this.#relieve();
    this.#upload();
    if (this.#local.localMs > 0) this.#armLocal();
  }

  /** Bytes that are being written, or wait for S3. */
  get spooledBytes(): number {
    return this.#spooledBytes - this.#local.byteLength;
  }

  /** Resolves when no upload is running: all files are uploaded, or the next try is some time off. */
  async settled(): Promise<void> {
    while (this.#uploads.size > 0) await Promise.all(this.#uploads.values());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#localTimer?.cancel();
    this.#options.objects.close();
    await this.settled();
  }

  async create(name: string, expectedBytes: number): Promise<MediaAppender> {
    const { spool, maxSpoolBytes, minFreeBytes } = this.#options;
    if (await this.#isMarked(name)) await this.#forgetMark(name);
    const isFull = this.spooledBytes + expectedBytes > maxSpoolBytes;
    const hasShare = !this.#isBeyondRefusedShare(name, expectedBytes);
    if (isFull || !hasShare || (await spool.freeBytes()) < expectedBytes + minFreeBytes) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_DISK_FULL, { name, errno: 'ENOSPC' });
    }
    const appender = await spool.create(name, expectedBytes);
    this.#putSpooled(name, expectedBytes);
    this.#changed();
    return new SpoolAppender(appender, 0, (sum) => this.#sealed(appender, sum));
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
    this.#putSpooled(name, byteLength);
    return new SpoolAppender(appender, null, (sum) => this.#sealed(appender, sum));
  }

  async open(name: string): Promise<MediaReader> {
    const { spool, older, objects } = this.#options;
    for (const storage of [spool, older]) {
      try {
        const reader = await storage.open(name);
        if (storage === older) return reader;
        return new SpoolReader(reader, await this.#isMarked(name));
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
    this.#dropSpooled(name);
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

  /** Whether the file is being written, or was when the previous process ended. It has no object then. */
  async #isBeingWritten(name: string): Promise<boolean> {
    if (!this.#spooled.has(name) || this.#fetched.has(name)) return false;
    return !(await this.#isMarked(name));
  }

  async #isMarked(name: string): Promise<boolean> {
    try {
      await (await this.#options.marks.open(name)).close();
      return true;
    } catch (thrown) {
      if (isMissing(thrown)) return false;
      throw thrown;
    }
  }

  /** Length of the object. Fails RECORDING_NOT_FOUND. */
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
    this.#local.delete(name);
    this.#sums.delete(name);
    await this.#uploads.get(name);
  }

  async #sealed({ name, byteLength }: MediaAppender, sum: number | null): Promise<void> {
    const { marks, clock } = this.#options;
    await (await marks.create(name, 0)).seal();
    this.#putSpooled(name, byteLength);
    if (this.#stay(name, clock.epochMs())) await this.#relieve();
    else if (sum !== null) this.#sums.set(name, sum);
    this.#upload();
  }

  /** False: it is due, and waits for its upload. */
  #stay(name: string, sealedEpochMs: number): boolean {
    const byteLength = this.#spooled.get(name) ?? 0;
    const stays = this.#local.add(name, byteLength, sealedEpochMs, this.#options.clock.epochMs());
    if (stays) this.#changed();
    else this.#wait(name);
    return stays;
  }

  /** Moves the oldest files early if the disk needs their room, besides those that wait for their uploads anyway. */
  async #relieve(): Promise<void> {
    const { spool, minFreeBytes } = this.#options;
    if (this.#local.isEmpty) return;
    let missingBytes = EARLY_FACTOR * minFreeBytes - (await spool.freeBytes());
    for (const name of this.#waiting.names()) missingBytes -= this.#spooled.get(name) ?? 0;
    for (const name of this.#local.takeOldest(missingBytes)) this.#wait(name);
  }

  #armLocal(): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    this.#localTimer = clock.after(Math.min(LOCAL_AGAIN_MS, this.#local.localMs), () => {
      this.#armLocal();
      for (const name of this.#local.takeDue(clock.epochMs())) this.#wait(name);
      // While the disk cannot be read, nothing moves.
      void this.#relieve()
        .catch(() => undefined)
        .then(() => this.#upload());
    });
  }

  #wait(name: string): void {
    const { clock, organizationOf = () => null } = this.#options;
    const camera = name.slice(0, name.indexOf('/'));
    this.#waiting.add(name, clock.epochMs(), organizationOf(camera) ?? '');
    this.#changed();
  }

  #putSpooled(name: string, byteLength: number): void {
    this.#spooledBytes += byteLength - (this.#spooled.get(name) ?? 0);
    this.#spooled.set(name, byteLength);
  }

  #dropSpooled(name: string): void {
    this.#spooledBytes -= this.#spooled.get(name) ?? 0;
    this.#spooled.delete(name);
  }

  #changed(): void {
    const { oldestEpochMs } = this.#waiting;
    this.#options.onSpool?.({ byteLength: this.spooledBytes, oldestEpochMs });
  }

  /** Files that S3 refuses do not use up the spool for the other streams. */
  #isBeyondRefusedShare(name: string, expectedBytes: number): boolean {
    let refusedBytes = 0;
    let isOfStream = false;
    for (const refused of this.#waiting.refused()) {
      refusedBytes += this.#spooled.get(refused) ?? 0;
      if (folderOf(refused) === folderOf(name)) isOfStream = true;
    }
    return isOfStream && refusedBytes + expectedBytes > this.#options.maxSpoolBytes / REFUSED_SHARE;
  }

  /** Begins all uploads that can begin now, and looks again when one ends or the next one is due. */
  #upload(): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    this.#retry?.cancel();
    this.#retry = null;
    const nowMonoMs = clock.monoMs();
    for (let name = this.#waiting.next(nowMonoMs); name !== null; name = this.#waiting.next(nowMonoMs)) {
      this.#begin(name);
    }
    const nextMonoMs = this.#waiting.nextMonoMs();
    // Those that could begin now wait for one that ends.
    if (nextMonoMs === null || nextMonoMs <= nowMonoMs) return;
    this.#retry = clock.after(nextMonoMs - nowMonoMs, () => {
      this.#retry = null;
      this.#upload();
    });
  }

  #begin(name: string): void {
    const upload = this.#uploadOne(name)
      .then(
        () => this.#waiting.has(name) && this.#succeeded(name),
        (thrown: unknown) => this.#waiting.has(name) && this.#failed(name, toGatewayError(thrown)),
      )
      .then(() => {
        this.#waiting.ended(name);
        this.#uploads.delete(name);
        this.#upload();
      });
    this.#uploads.set(name, upload);
  }

  #succeeded(name: string): void {
    const { clock, onUpload, onRefused } = this.#options;
    for (const refused of this.#waiting.succeeded(name, clock.monoMs())) {
      onRefused?.(refused.name, refused.error);
    }
    this.#changed();
    if (this.#hasFailed) onUpload(null);
    this.#hasFailed = false;
  }

  #failed(name: string, error: GatewayError): void {
    if (this.#isClosed) return;
    const { clock, onUpload, onRefused } = this.#options;
    const failure = this.#waiting.failed(name, error, clock.monoMs());
    if (failure === 'refused') onRefused?.(name, error);
    if (failure !== 'storage') return;
    if (!this.#hasFailed) onUpload(error);
    this.#hasFailed = true;
  }

  /** The object is complete before the spool forgets the file. */
  async #uploadOne(name: string): Promise<void> {
    const { spool, marks, objects } = this.#options;
    const reader = await spool.open(name);
    try {
      const { byteLength } = reader;
      const sum = this.#sums.get(name) ?? (await sumOf(reader));
      await objects.put(name, { byteLength, crc32: sum, content: () => chunksOf(reader) });
      await this.#expectStored(name, byteLength);
    } catch (thrown) {
      // What was written may differ from what the disk has: the next attempt reads it.
      this.#sums.delete(name);
      throw thrown;
    } finally {
      await reader.close();
    }
    // Someone deletes it, or writes on.
    if (!this.#waiting.has(name)) return;
    await spool.delete(name);
    this.#dropSpooled(name);
    this.#sums.delete(name);
    this.#fetched.delete(name);
    const newest = await marks.newestName(folderOf(name));
    for (const mark of await marks.list(folderOf(name))) {
      const marked = `${folderOf(name)}/${mark}`;
      if (mark !== newest && !this.#spooled.has(marked)) await marks.delete(marked);
    }
  }

  /** Not every server checks the checksum. Fails RECORDING_S3_UNAVAILABLE. */
  async #expectStored(name: string, byteLength: number): Promise<void> {
    const storedBytes = await this.#options.objects.byteLength(name);
    if (storedBytes === byteLength) return;
    throw new GatewayError(RECORDING_ERRORS.RECORDING_S3_UNAVAILABLE, {
      name,
      errno: 'SizeMismatch',
      byteLength,
      storedBytes,
    });
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
