/** Bytes that lie in two places, one after the other. */

import type { SharedRun } from './media-blocks.ts';
import type { PackedBytes } from './part-bytes.ts';

export class JoinedBytes implements PackedBytes {
  readonly byteLength: number;
  readonly #first: PackedBytes;
  readonly #second: PackedBytes;

  /** Takes over both. */
  constructor(first: PackedBytes, second: PackedBytes) {
    this.#first = first;
    this.#second = second;
    this.byteLength = first.byteLength + second.byteLength;
  }

  again(): JoinedBytes {
    return new JoinedBytes(this.#first.again(), this.#second.again());
  }

  where(): readonly SharedRun[] {
    return [...this.#first.where(), ...this.#second.where()];
  }

  views(): readonly Uint8Array[] {
    return [...this.#first.views(), ...this.#second.views()];
  }

  copyTo(target: Buffer, position: number): void {
    this.#first.copyTo(target, position);
    this.#second.copyTo(target, position + this.#first.byteLength);
  }

  join(): Buffer {
    const joined = Buffer.allocUnsafeSlow(this.byteLength);
    this.copyTo(joined, 0);
    return joined;
  }

  release(): void {
    this.#first.release();
    this.#second.release();
  }
}
