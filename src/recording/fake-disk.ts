/** The file system with a disk that can be full or broken. */

import { type Disk, FileDisk } from './disk.ts';

export class FakeDisk extends FileDisk implements Disk {
  /** Bytes that can still be written; removing and cutting gives nothing back. */
  roomBytes = Number.POSITIVE_INFINITY;
  /** Calls of these fail with EIO. */
  readonly broken = new Set<'write' | 'sync' | 'truncate' | 'open' | 'read' | 'list' | 'remove'>();
  /** Ends a write after this many bytes of it, with ENOSPC, as a disk that becomes full does. */
  tornBytes: number | null = null;
  /** Files that can be neither opened nor removed, and folders that cannot be listed: EIO. */
  isBad = (_path: string): boolean => false;
  syncs = 0;
  /** Whether room is reserved. */
  canAllocate = false;

  /** Nothing can be written anymore. */
  fill(): void {
    this.roomBytes = 0;
  }

  breakWrites(): void {
    this.broken.add('write');
  }

  override open(path: string, mode: 'new' | 'change' | 'read'): number {
    this.#check('open', path);
    return super.open(path, mode);
  }

  override write(file: number, bytes: Uint8Array, position: number): void {
    this.#check('write');
    if (this.tornBytes !== null) {
      super.write(file, bytes.subarray(0, this.tornBytes), position);
      throw failure('ENOSPC');
    }
    if (bytes.length > this.roomBytes) throw failure('ENOSPC');
    this.roomBytes -= bytes.length;
    super.write(file, bytes, position);
  }

  override read(file: number, target: Uint8Array, position: number): number {
    this.#check('read');
    return super.read(file, target, position);
  }

  override sync(file: number): void {
    this.#check('sync');
    this.syncs++;
    super.sync(file);
  }

  override truncate(file: number, byteLength: number): void {
    this.#check('truncate');
    super.truncate(file, byteLength);
  }

  override allocate(path: string, byteLength: number): Promise<void> {
    return this.canAllocate ? super.allocate(path, byteLength) : Promise.resolve();
  }

  override list(folder: string): string[] {
    this.#check('list', folder);
    return super.list(folder);
  }

  override remove(path: string): boolean {
    this.#check('remove', path);
    return super.remove(path);
  }

  override freeBytes(folder: string): number {
    return Math.min(this.roomBytes, super.freeBytes(folder));
  }

  #check(call: Parameters<FakeDisk['broken']['has']>[0], path: string | null = null): void {
    if (this.broken.has(call) || (path !== null && this.isBad(path))) throw failure('EIO');
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}
