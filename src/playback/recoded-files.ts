/**
 * Recorded segments that were made H.264, on the disk: more than the memory holds, until the next start (docs/design/playback.md#h264).
 * Each file has a random key of its own, which is in memory alone, so no one can read what a killed gateway left.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { FairMap, type MemoryHolders } from '../core/limits/fair-map.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';

/** Fails like node:fs. */
export interface CacheDisk {
  /** Makes the folder, and deletes what is in it. */
  empty(): Promise<void>;
  freeBytes(): Promise<number>;
  write(name: string, bytes: Uint8Array): Promise<void>;
  read(name: string): Promise<Buffer>;
  /** Also a file that is not there. */
  remove(name: string): Promise<void>;
}

export interface RecodedFilesOptions {
  readonly disk: CacheDisk;
  readonly maxBytes: number;
  /** Room that recordings need: files that would take it are deleted. */
  readonly minFreeBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface StoredFile {
  readonly name: string;
  readonly key: Buffer;
  readonly tag: Buffer;
  usedMonoMs: number;
}

type Holders = MemoryHolders<typeof LIMITS.recodedFiles>;

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** No key encrypts two files. */
const IV = Buffer.alloc(12);
export const AGAIN_AFTER_MS = 60_000;
/** A node does not know which recordings others delete. What no one watches goes after this. */
export const IDLE_MS = 3_600_000;
export const SWEEP_INTERVAL_MS = 60_000;

export class RecodedFiles {
  readonly #options: RecodedFilesOptions;
  readonly #files: FairMap<StoredFile, typeof LIMITS.recodedFiles>;
  #sweepTimer: TimerHandle | null = null;
  #isEmptied = false;
  #isClosed = false;
  #isWorking = true;
  #failedMonoMs = Number.NEGATIVE_INFINITY;
  #lastName = 0;
  readonly #waiting = new Pool(LIMITS.recodedWrites);
  /** Prepares the folder, and then each write in turn. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: RecodedFilesOptions) {
    this.#options = options;
    const limit = { ...LIMITS.recodedFiles, bytes: options.maxBytes };
    this.#files = new FairMap<StoredFile, typeof LIMITS.recodedFiles>(limit, {
      onDropped: (_key, file) => this.#remove(file),
    });
  }

  /** Deletes what an earlier gateway left. */
  begin(): void {
    this.#enqueue(() => this.#empty());
  }

  get byteLength(): number {
    return this.#files.byteLength;
  }

  /** False: the last use of the disk failed. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  has(key: string): boolean {
    return this.#files.has(key);
  }

  /** null: it is not there, or cannot be read. */
  async read(key: string): Promise<Buffer | null> {
    const file = this.#files.get(key);
    if (file === undefined) return null;
    try {
      const encrypted = await this.#options.disk.read(file.name);
      // It was deleted in the meantime.
      if (this.#files.get(key) !== file) return null;
      const decipher = createDecipheriv(ALGORITHM, file.key, IV).setAuthTag(file.tag);
      const bytes = Buffer.concat([decipher.update(encrypted), decipher.final()]);
      this.#used(key);
      return bytes;
    } catch (thrown) {
      if (this.#files.get(key) === file) this.delete(key);
      this.#failed(thrown);
      return null;
    }
  }

  /** Resolves when the file is there, or is not to be. Never rejects. `isStale`: asked last, when the bytes are on the disk. */
  write(key: string, holders: Holders, bytes: Uint8Array, isStale: () => boolean): Promise<void> {
    const sinceFailureMs = this.#options.clock.monoMs() - this.#failedMonoMs;
    if (this.#isClosed || sinceFailureMs < AGAIN_AFTER_MS) return Promise.resolve();
    const place = this.#waiting.take(holders);
    if (!place.isTaken) return Promise.resolve();
    return this.#enqueue(() => this.#write(key, holders, bytes, isStale).finally(place.giveBack));
  }

  delete(key: string): void {
    const file = this.#files.get(key);
    if (file === undefined) return;
    this.#files.delete(key);
    this.#remove(file);
  }

  /** Those whose keys fit. */
  deleteAll(isGone: (key: string) => boolean): void {
    for (const [key] of [...this.#files]) if (isGone(key)) this.delete(key);
  }

  /** Deletes all. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweepTimer?.cancel();
    await this.#work;
    this.#files.clear();
    if (this.#isEmptied) await this.#options.disk.empty().catch(() => undefined);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((thrown) => this.#failed(thrown));
    return this.#work;
  }

  async #empty(): Promise<void> {
    if (!this.#isEmptied) await this.#options.disk.empty();
    this.#isEmptied = true;
  }

  #arm(): void {
    this.#sweepTimer ??= this.#options.clock.after(SWEEP_INTERVAL_MS, () => {
      this.#sweepTimer = null;
      this.#sweep();
      if (this.#files.size > 0) this.#arm();
    });
  }

  #sweep(): void {
    const sinceMonoMs = this.#options.clock.monoMs() - IDLE_MS;
    for (const [key, { usedMonoMs }] of [...this.#files]) {
      if (usedMonoMs > sinceMonoMs) return;
      this.delete(key);
    }
  }

  async #write(key: string, holders: Holders, bytes: Uint8Array, isStale: () => boolean): Promise<void> {
    const { disk, minFreeBytes, clock, log } = this.#options;
    await this.#empty();
    if ((await disk.freeBytes()) - bytes.length < minFreeBytes) {
      this.deleteAll(() => true);
      return;
    }
    const cipherKey = randomBytes(KEY_BYTES);
    const cipher = createCipheriv(ALGORITHM, cipherKey, IV);
    const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
    this.#lastName++;
    const name = String(this.#lastName);
    try {
      await disk.write(name, encrypted);
    } catch (thrown) {
      await disk.remove(name).catch(() => undefined);
      throw thrown;
    }
    const file = { name, key: cipherKey, tag: cipher.getAuthTag(), usedMonoMs: clock.monoMs() };
    if (isStale()) {
      this.#remove(file);
      return;
    }
    this.delete(key);
    this.#files.set(key, holders, file, encrypted.length);
    this.#arm();
    if (!this.#isWorking) log.info({}, 'H.264 of recordings kept on the disk again');
    this.#isWorking = true;
  }

  #used(key: string): void {
    const file = this.#files.touch(key);
    if (file !== undefined) file.usedMonoMs = this.#options.clock.monoMs();
  }

  #remove({ name }: StoredFile): void {
    this.#options.disk.remove(name).catch((thrown: unknown) => this.#failed(thrown));
  }

  #failed(thrown: unknown): void {
    this.#failedMonoMs = this.#options.clock.monoMs();
    if (this.#isWorking)
      this.#options.log.warn({ err: toGatewayError(thrown) }, 'H.264 of recordings not kept on the disk');
    this.#isWorking = false;
  }
}
