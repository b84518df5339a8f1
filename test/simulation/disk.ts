/**
 * The disk of the recordings: a folder that all nodes of a simulation mount. It outlives their processes, becomes full,
 * slow or broken, and forgets unsynced writes of a machine that goes down.
 */

import { dirname } from 'node:path';
import type { Disk } from '../../src/recording/disk.ts';
import type { Random } from './random.ts';

/** A call for which the process does not live long enough. */
const DEAD = 'the process has ended';
/** A disk call fails this often while the disk is flaky. */
const FLAKY_SHARE = 0.15;

/** A write that a machine may still have in its memory alone. */
interface Write {
  readonly by: SimulatedMount;
  readonly position: number;
  readonly before: Buffer;
  /** Length of the file before the write. */
  readonly beforeLength: number;
}

interface DiskFile {
  readonly path: string;
  bytes: Buffer;
  byteLength: number;
  /** Oldest first. */
  unsynced: Write[];
}

export class SimulatedDisk {
  readonly #random: Random;
  readonly #files = new Map<string, DiskFile>();
  readonly #byteLength: number;
  /** Bytes of other programs. */
  fillerBytes = 0;
  /** How its calls fail; null: they do not. */
  fault: 'broken' | 'flaky' | null = null;
  /** How long each piece of work takes, milliseconds. */
  latencyMs = 0;
  /** Cannot be deleted. */
  readonly stuck = new Set<string>();
  /** A process has deleted a file. */
  onRemoved: (by: SimulatedMount, path: string, bytes: Buffer) => void = () => undefined;
  /** A process has asked how much is free. */
  onRequested: (freeBytes: number) => void = () => undefined;

  constructor(random: Random, byteLength: number) {
    this.#random = random;
    this.#byteLength = byteLength;
  }

  get freeBytes(): number {
    let usedBytes = this.fillerBytes;
    for (const { byteLength } of this.#files.values()) usedBytes += byteLength;
    return Math.max(0, this.#byteLength - usedBytes);
  }

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  /** As a process that runs sees it; null: the file does not exist. */
  bytesOf(path: string): Buffer | null {
    const file = this.#files.get(path);
    return file === undefined ? null : file.bytes.subarray(0, file.byteLength);
  }

  /** Up to where all bytes survive the machine of `mount`. */
  syncedBytes(mount: SimulatedMount, path: string): number {
    const file = this.#files.get(path);
    if (file === undefined) return 0;
    const own = file.unsynced.filter(({ by }) => by === mount);
    return Math.min(file.byteLength, ...own.map(({ position }) => position));
  }

  /**
   * The machine of `mount` goes down: each of its writes since the last sync is on the disk, in part, or not. Returns the files that
   * have lost something.
   */
  cutPower(mount: SimulatedMount): string[] {
    mount.die();
    const damaged: string[] = [];
    for (const file of this.#files.values()) {
      const isInOrder = this.#random.chance(0.7);
      let isLost = false;
      const lost: Write[] = [];
      for (const write of file.unsynced) {
        if (write.by !== mount) continue;
        isLost = (isInOrder && isLost) || this.#random.chance(0.3);
        if (isLost) lost.push(write);
      }
      file.unsynced = file.unsynced.filter(({ by }) => by !== mount);
      for (const write of lost.reverse()) this.#undo(file, write);
      if (lost.length > 0) damaged.push(file.path);
    }
    return damaged;
  }

  /** A mount for one process. */
  mount(): SimulatedMount {
    return new SimulatedMount(this);
  }

  check(path: string): void {
    if (this.fault === 'broken' || (this.fault === 'flaky' && this.#random.chance(FLAKY_SHARE))) {
      throw failure('EIO', path);
    }
  }

  find(path: string): DiskFile | undefined {
    return this.#files.get(path);
  }

  add(path: string): DiskFile {
    const file: DiskFile = { path, bytes: Buffer.alloc(4_096), byteLength: 0, unsynced: [] };
    this.#files.set(path, file);
    return file;
  }

  remove(by: SimulatedMount, path: string): boolean {
    const bytes = this.bytesOf(path);
    if (bytes === null) return false;
    this.#files.delete(path);
    this.onRemoved(by, path, bytes);
    return true;
  }

  /** Keeps some first bytes of a write, or none. */
  #undo(file: DiskFile, { position, before, beforeLength }: Write): void {
    const kept = this.#random.chance(0.5) ? this.#random.below(before.length) : 0;
    if (position + before.length >= file.byteLength && position + kept >= beforeLength) {
      file.byteLength = Math.min(file.byteLength, position + kept);
    }
    const until = Math.min(before.length, file.byteLength - position);
    if (until > kept) before.copy(file.bytes, position + kept, kept, until);
  }
}

/** The disk as one process has it. */
export class SimulatedMount implements Disk {
  readonly #disk: SimulatedDisk;
  readonly #open = new Map<number, DiskFile>();
  #next = 3;
  /** Bytes that the process still writes; null: it lives. */
  #lifeBytes: number | null = null;

  constructor(disk: SimulatedDisk) {
    this.#disk = disk;
  }

  /** The process ends, after so many bytes more. */
  die(afterBytes = 0): void {
    this.#lifeBytes = Math.min(afterBytes, this.#lifeBytes ?? afterBytes);
  }

  get openPaths(): string[] {
    return [...this.#open.values()].map(({ path }) => path);
  }

  open(path: string, mode: 'new' | 'change' | 'read'): number {
    this.#check(path);
    const known = this.#disk.find(path);
    if (mode === 'new' && known !== undefined) throw failure('EEXIST', path);
    if (mode !== 'new' && known === undefined) throw failure('ENOENT', path);
    const descriptor = this.#next++;
    this.#open.set(descriptor, known ?? this.#disk.add(path));
    return descriptor;
  }

  write(descriptor: number, bytes: Uint8Array, position: number): void {
    const file = this.#fileOf(descriptor);
    this.#check(file.path);
    const roomBytes = file.byteLength - position + this.#disk.freeBytes;
    const lifeBytes = this.#lifeBytes ?? bytes.length;
    const taken = bytes.subarray(0, Math.max(0, Math.min(roomBytes, lifeBytes)));
    if (this.#lifeBytes !== null) this.#lifeBytes -= taken.length;
    this.#put(file, taken, position);
    if (lifeBytes < bytes.length) throw failure('EIO', DEAD);
    if (taken.length < bytes.length) throw failure('ENOSPC', file.path);
  }

  read(descriptor: number, target: Uint8Array, position: number): number {
    const file = this.#fileOf(descriptor);
    this.#check(file.path);
    const end = Math.min(file.byteLength, position + target.length);
    if (end <= position) return 0;
    return file.bytes.copy(target, 0, position, end);
  }

  sync(descriptor: number): void {
    const file = this.#fileOf(descriptor);
    this.#check(file.path);
    file.unsynced = file.unsynced.filter(({ by }) => by !== this);
  }

  truncate(descriptor: number, byteLength: number): void {
    const file = this.#fileOf(descriptor);
    this.#check(file.path);
    if (byteLength > file.byteLength) this.#extend(file, byteLength);
    file.bytes.fill(0, byteLength);
    file.byteLength = byteLength;
  }

  byteLength(descriptor: number): number {
    return this.#fileOf(descriptor).byteLength;
  }

  /** Nothing in the simulation asks how old a file is. */
  writtenEpochMs(): number {
    return 0;
  }

  close(descriptor: number): void {
    this.#open.delete(descriptor);
  }

  async allocate(path: string, byteLength: number): Promise<void> {
    const file = this.#disk.find(path);
    if (this.#lifeBytes !== null || this.#disk.fault !== null || file === undefined) return;
    if (byteLength - file.byteLength > this.#disk.freeBytes || byteLength <= file.byteLength) return;
    this.#extend(file, byteLength);
  }

  list(folder: string): string[] {
    this.#check(folder);
    const names = new Set<string>();
    for (const path of this.#disk.paths) {
      if (path.startsWith(`${folder}/`)) names.add(path.slice(folder.length + 1).split('/')[0]!);
    }
    return [...names];
  }

  remove(path: string): boolean {
    this.#check(path);
    if (this.#disk.stuck.has(path)) throw failure('EIO', path);
    return this.#disk.remove(this, path);
  }

  makeFolder(folder: string): void {
    this.#check(dirname(folder));
  }

  syncFolder(folder: string): void {
    this.#check(folder);
  }

  freeBytes(folder: string): number {
    this.#check(folder);
    const { freeBytes } = this.#disk;
    this.#disk.onRequested(freeBytes);
    return freeBytes;
  }

  #check(path: string): void {
    if (this.#lifeBytes !== null && this.#lifeBytes <= 0) throw failure('EIO', DEAD);
    this.#disk.check(path);
  }

  #fileOf(descriptor: number): DiskFile {
    const file = this.#open.get(descriptor);
    if (file === undefined) throw failure('EBADF', String(descriptor));
    return file;
  }

  #put(file: DiskFile, bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return;
    const end = position + bytes.length;
    const beforeLength = file.byteLength;
    this.#extend(file, Math.max(end, beforeLength));
    const before = Buffer.from(file.bytes.subarray(position, end));
    file.unsynced.push({ by: this, position, before, beforeLength });
    file.bytes.set(bytes, position);
  }

  #extend(file: DiskFile, byteLength: number): void {
    if (byteLength > file.bytes.length) {
      const larger = Buffer.alloc(2 ** Math.ceil(Math.log2(byteLength)));
      file.bytes.copy(larger);
      file.bytes = larger;
    }
    file.byteLength = byteLength;
  }
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
