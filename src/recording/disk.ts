/**
 * The file system calls that recordings need, synchronous but for one: they run in the recorder's thread, so that a hanging disk
 * does not occupy the pool threads that also resolve names and hash passwords. Errors are Node's, with their `code`.
 */

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { RoomReserver } from './room-reserver.ts';

export interface Disk {
  /** `new`: fails EEXIST. `change`: reads and writes. Returns a file descriptor. */
  open(path: string, mode: 'new' | 'change' | 'read'): number;
  /** Writes all of the bytes. */
  write(file: number, bytes: Uint8Array, position: number): void;
  /** Fills `target` as far as the file goes; returns the bytes read. */
  read(file: number, target: Uint8Array, position: number): number;
  sync(file: number): void;
  truncate(file: number, byteLength: number): void;
  byteLength(file: number): number;
  /** When the file was written last. */
  writtenEpochMs(file: number): number;
  close(file: number): void;
  /**
   * Reserves room for a file that may be written meanwhile, where the system can. Resolves when it is done, with or without
   * success: a full disk shows when the file is written.
   */
  allocate(path: string, byteLength: number): Promise<void>;
  /** Names in a folder; empty if there is none. */
  list(folder: string): string[];
  /** Whether there was a file. */
  remove(path: string): boolean;
  /** Creates the folder and those above it, and makes new names survive a power cut. */
  makeFolder(folder: string): void;
  /** Makes the names in a folder survive a power cut. */
  syncFolder(folder: string): void;
  /** Bytes that this user can still write under `folder`. */
  freeBytes(folder: string): number;
}

const MODES = { new: 'wx+', change: 'r+', read: 'r' } as const;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export class FileDisk implements Disk {
  readonly #rooms = new RoomReserver();

  open(path: string, mode: 'new' | 'change' | 'read'): number {
    return fs.openSync(path, MODES[mode], FILE_MODE);
  }

  write(file: number, bytes: Uint8Array, position: number): void {
    let written = 0;
    while (written < bytes.length) {
      written += fs.writeSync(file, bytes, written, bytes.length - written, position + written);
    }
  }

  read(file: number, target: Uint8Array, position: number): number {
    let read = 0;
    while (read < target.length) {
      const count = fs.readSync(file, target, read, target.length - read, position + read);
      if (count === 0) break;
      read += count;
    }
    return read;
  }

  sync(file: number): void {
    fs.fdatasyncSync(file);
  }

  truncate(file: number, byteLength: number): void {
    fs.ftruncateSync(file, byteLength);
  }

  byteLength(file: number): number {
    return fs.fstatSync(file).size;
  }

  writtenEpochMs(file: number): number {
    return fs.fstatSync(file).mtimeMs;
  }

  close(file: number): void {
    fs.closeSync(file);
  }

  allocate(path: string, byteLength: number): Promise<void> {
    return this.#rooms.reserve(path, byteLength);
  }

  list(folder: string): string[] {
    try {
      return fs.readdirSync(folder);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw thrown;
    }
  }

  remove(path: string): boolean {
    try {
      fs.unlinkSync(path);
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw thrown;
    }
  }

  makeFolder(folder: string): void {
    const first = fs.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    if (first !== undefined) for (const made of [dirname(folder), dirname(first)]) this.syncFolder(made);
  }

  syncFolder(folder: string): void {
    const file = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  }

  freeBytes(folder: string): number {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  }
}
