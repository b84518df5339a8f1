/** Recordings in a folder. */

import { dirname, join } from 'node:path';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { errnoOf } from '../core/system-error.ts';
import { type Disk, FileDisk } from './disk.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { MediaAppender, MediaReader, MediaStorage } from './media-storage.ts';

/** The disk has no room for this user: none at all, or a quota. */
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** The bytes that are written last, and without which what follows is not there. A box's size and type. */
const COMMIT_BYTES = 8;

export class FileStorage implements MediaStorage {
  readonly #folder: string;
  readonly #disk: Disk;

  /** Creates the folder if needed. */
  constructor(folder: string, disk: Disk = new FileDisk()) {
    this.#folder = folder;
    this.#disk = disk;
    attempt('', () => disk.makeFolder(folder));
  }

  async create(name: string, expectedBytes: number): Promise<MediaAppender> {
    const path = this.#pathOf(name);
    return attempt(name, () => {
      this.#disk.makeFolder(dirname(path));
      const file = this.#disk.open(path, 'new');
      try {
        this.#disk.syncFolder(dirname(path));
      } catch (thrown) {
        this.#disk.close(file);
        this.#disk.remove(path);
        throw thrown;
      }
      // Starting the command takes a moment, and nothing waits for it before the file is finished.
      const reserved = expectedBytes > 0 ? this.#disk.allocate(path, expectedBytes) : Promise.resolve();
      return new FileAppender({ name, file, byteLength: 0, expectedBytes, disk: this.#disk, reserved });
    });
  }

  async reopen(name: string, byteLength: number): Promise<MediaAppender> {
    return attempt(name, () => {
      const file = this.#disk.open(this.#pathOf(name), 'change');
      try {
        this.#disk.truncate(file, byteLength);
      } catch (thrown) {
        this.#disk.close(file);
        throw thrown;
      }
      const reserved = Promise.resolve();
      return new FileAppender({ name, file, byteLength, expectedBytes: 0, disk: this.#disk, reserved });
    });
  }

  async open(name: string): Promise<MediaReader> {
    return attempt(name, () => {
      const file = this.#disk.open(this.#pathOf(name), 'read');
      return new FileReader(name, file, this.#disk.byteLength(file), this.#disk);
    });
  }

  async list(folder: string): Promise<string[]> {
    return attempt(folder, () => this.#disk.list(join(this.#folder, folder)).toSorted());
  }

  async newestName(folder: string): Promise<string | null> {
    return (await this.list(folder)).at(-1) ?? null;
  }

  async delete(name: string): Promise<boolean> {
    return attempt(name, () => this.#disk.remove(this.#pathOf(name)));
  }

  async freeBytes(): Promise<number> {
    return attempt('', () => this.#disk.freeBytes(this.#folder));
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }
}

interface OpenAppender {
  readonly name: string;
  readonly file: number;
  readonly byteLength: number;
  /** The room that is being reserved. */
  readonly expectedBytes: number;
  readonly disk: Disk;
  readonly reserved: Promise<void>;
}

class FileAppender implements MediaAppender {
  readonly name: string;
  readonly #disk: Disk;
  /** null: let go of. */
  #file: number | null;
  #byteLength: number;
  /** Size of the file, including its reserved room, after the last call. */
  #fileBytes: number;
  readonly #expectedBytes: number;
  #syncedBytes = 0;
  /** Its room is reserved. */
  readonly #reserved: Promise<void>;

  constructor({ name, file, byteLength, expectedBytes, disk, reserved }: OpenAppender) {
    this.name = name;
    this.#file = file;
    this.#byteLength = byteLength;
    this.#expectedBytes = expectedBytes;
    this.#disk = disk;
    this.#reserved = reserved;
    this.#fileBytes = attempt(name, () => disk.byteLength(file));
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  get syncedBytes(): number {
    return this.#syncedBytes;
  }

  /**
   * A kill can end a write in the middle, and reserved room has no end that would show it. So the first bytes are written
   * last: eight bytes are there or not. Fails RECORDING_TAKEN if someone else has cut the file: bytes behind its end
   * would leave zeros before it.
   */
  async append(pieces: readonly Uint8Array[]): Promise<void> {
    attempt(this.name, () => {
      const file = this.#opened();
      this.#expectUncut(file, this.#fileBytes);
      try {
        this.#write(file, pieces);
      } catch (thrown) {
        // The next append overwrites the bytes of this one.
        this.#fileBytes = this.#disk.byteLength(file);
        throw thrown;
      }
    });
  }

  #write(file: number, pieces: readonly Uint8Array[]): void {
    const first = pieces[0]!;
    let position = this.#byteLength + Math.min(COMMIT_BYTES, first.length);
    const rest = first.subarray(COMMIT_BYTES);
    if (rest.length > 0) this.#disk.write(file, rest, position);
    position += rest.length;
    for (let i = 1; i < pieces.length; i++) {
      this.#disk.write(file, pieces[i]!, position);
      position += pieces[i]!.length;
    }
    this.#disk.write(file, first.subarray(0, COMMIT_BYTES), this.#byteLength);
    // Also while it was written.
    this.#expectUncut(file, Math.max(this.#fileBytes, position));
    this.#byteLength = position;
  }

  async sync(): Promise<void> {
    attempt(this.name, () => {
      this.#disk.sync(this.#opened());
      this.#syncedBytes = this.#byteLength;
    });
  }

  async seal(): Promise<void> {
    await this.#reserved;
    attempt(this.name, () => {
      const file = this.#opened();
      this.#expectUncut(file, this.#fileBytes);
      this.#disk.truncate(file, this.#byteLength);
      this.#fileBytes = this.#byteLength;
      this.#disk.sync(file);
      this.#syncedBytes = this.#byteLength;
      this.#file = null;
      this.#disk.close(file);
    });
  }

  async abandon(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await this.#reserved;
    if (file !== null) attempt(this.name, () => this.#disk.close(file));
  }

  /** The system may be reserving its room, piece by piece: ext4 sets the size after each extent. Only a cut shrinks the file. */
  #expectUncut(file: number, fileBytes: number): void {
    const presentBytes = this.#disk.byteLength(file);
    const isGrowing = presentBytes > fileBytes && presentBytes <= this.#expectedBytes;
    if (presentBytes !== fileBytes && !isGrowing) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_TAKEN, { name: this.name, fileBytes, presentBytes });
    }
    this.#fileBytes = presentBytes;
  }

  #opened(): number {
    if (this.#file === null) throw closed();
    return this.#file;
  }
}

class FileReader implements MediaReader {
  readonly byteLength: number;
  readonly #name: string;
  readonly #disk: Disk;
  /** null: closed. The number may be another file's by now. */
  #file: number | null;

  constructor(name: string, file: number, byteLength: number, disk: Disk) {
    this.#name = name;
    this.#file = file;
    this.byteLength = byteLength;
    this.#disk = disk;
  }

  get writtenEpochMs(): number {
    return attempt(this.#name, () => {
      if (this.#file === null) throw closed();
      return this.#disk.writtenEpochMs(this.#file);
    });
  }

  async read(offset: number, length: number): Promise<Buffer> {
    return attempt(this.#name, () => {
      if (this.#file === null) throw closed();
      const wanted = Math.max(0, Math.min(length, this.byteLength - offset));
      const bytes = Buffer.allocUnsafeSlow(wanted);
      return bytes.subarray(0, this.#disk.read(this.#file, bytes, offset));
    });
  }

  async readInto(target: Uint8Array, offset: number): Promise<number> {
    return attempt(this.#name, () => {
      if (this.#file === null) throw closed();
      return this.#disk.read(this.#file, target, offset);
    });
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) attempt(this.#name, () => this.#disk.close(file));
  }
}

function closed(): Error {
  return Object.assign(new Error('the file is closed'), { code: 'EBADF' });
}

/** Runs calls of the disk; its errors become ours. */
function attempt<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const code = errnoOf(thrown);
    // A defect of the gateway is not a fault of the disk: the write is not retried.
    if (code === null) throw toGatewayError(thrown);
    const context = { name, errno: code };
    if (code === 'ENOENT') throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, context, thrown);
    if (code === 'EEXIST') throw new GatewayError(RECORDING_ERRORS.RECORDING_EXISTS, context, thrown);
    if (FULL_CODES.has(code)) throw new GatewayError(RECORDING_ERRORS.RECORDING_DISK_FULL, context, thrown);
    throw new GatewayError(RECORDING_ERRORS.RECORDING_IO, context, thrown);
  }
}
