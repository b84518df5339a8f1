/** A bucket in memory that can become unavailable. */

import { crc32 } from 'node:zlib';
import { GatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { ObjectStore } from './object-store.ts';

export class FakeObjects implements ObjectStore {
  readonly objects = new Map<string, Buffer>();
  /** Nothing answers. */
  isAway = false;
  /** The connection breaks in the middle of each object. */
  isTorn = false;
  puts = 0;
  /** Attempts to store an object, also those that failed. */
  readonly tries: string[] = [];
  /** Objects that S3 denies, while it takes others. */
  isDenied = (_name: string): boolean => false;

  async put(name: string, { byteLength, crc32: sum, content }: Parameters<ObjectStore['put']>[1]) {
    this.tries.push(name);
    this.#check();
    if (this.isDenied(name)) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_S3_REFUSED, {
        name,
        errno: 'AccessDenied',
        status: 403,
      });
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of content()) {
      chunks.push(chunk);
      this.#check();
      if (this.isTorn) throw away();
    }
    const object = Buffer.concat(chunks);
    if (object.length !== byteLength || crc32(object) !== sum) throw new Error('not what was announced');
    this.puts++;
    this.objects.set(name, object);
  }

  async byteLength(name: string): Promise<number | null> {
    this.#check();
    return this.objects.get(name)?.length ?? null;
  }

  async read(name: string, offset: number, length: number): Promise<Buffer> {
    this.#check();
    const object = this.objects.get(name);
    if (object === undefined) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
    return Buffer.from(object.subarray(offset, offset + length));
  }

  async list(folder: string): Promise<string[]> {
    this.#check();
    const base = folder === '' ? '' : `${folder}/`;
    const names = [...this.objects.keys()].filter((name) => name.startsWith(base));
    return [...new Set(names.map((name) => name.slice(base.length).split('/')[0]!))].sort();
  }

  async delete(name: string): Promise<void> {
    this.#check();
    this.objects.delete(name);
  }

  close(): void {}

  #check(): void {
    if (this.isAway) throw away();
  }
}

function away(): GatewayError {
  return new GatewayError(RECORDING_ERRORS.RECORDING_S3_UNAVAILABLE, { errno: 'ECONNREFUSED' });
}
