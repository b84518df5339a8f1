/**
 * Samples of one track that wait for their part: columns of numbers that are reused for the lifetime of the track, and
 * bytes in media blocks, which the parts then continue to use. The last sample is held: its duration is known only when
 * the next one arrives.
 */

import type { SampleTable } from '../isobmff/fragment-boxes.ts';
import { ByteQueue } from './byte-queue.ts';
import type { BlockRun } from './media-blocks.ts';

const INITIAL_SAMPLES = 64;
const NO_HEAD = new Uint8Array(0);

export class SampleQueue implements SampleTable {
  sizesBytes = new Uint32Array(INITIAL_SAMPLES);
  durationsTicks = new Uint32Array(INITIAL_SAMPLES);
  compositionOffsetsTicks = new Uint32Array(INITIAL_SAMPLES);
  keys = new Uint8Array(INITIAL_SAMPLES);
  /** Number of samples, including the held one. */
  count = 0;
  /** Decoding time of sample 0. */
  startTicks = 0;
  /** Decoding time of the held sample. */
  heldTicks = 0;
  /** Those of the held sample that were its own. */
  #heldBytes = 0;
  /** The bytes of all samples, one after the other. */
  readonly #bytes = new ByteQueue();

  /** Bytes of all samples. */
  get byteLength(): number {
    return this.#bytes.byteLength;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Copies the sample, `head` first, and holds it. The previously held one must already have its duration. */
  hold(
    data: Uint8Array,
    dtsTicks: number,
    compositionOffsetTicks: number,
    isKey: boolean,
    head: Uint8Array = NO_HEAD,
  ): void {
    const index = this.count;
    if (index === this.keys.length) this.#growColumns();
    this.#bytes.append(head);
    this.#bytes.append(data);
    this.#heldBytes = data.length;
    this.sizesBytes[index] = head.length + data.length;
    this.durationsTicks[index] = 0;
    this.compositionOffsetsTicks[index] = compositionOffsetTicks;
    this.keys[index] = isKey ? 1 : 0;
    if (index === 0) this.startTicks = dtsTicks;
    this.heldTicks = dtsTicks;
    this.count = index + 1;
  }

  /** Gives the held sample its duration; the next `hold` must come at its end. */
  finishHeld(durationTicks: number): void {
    this.durationsTicks[this.count - 1] = durationTicks;
  }

  /** Duration of the first `sampleCount` samples, without the held one. */
  ticksOf(sampleCount: number): number {
    let ticks = 0;
    for (let i = 0; i < sampleCount; i++) ticks += this.durationsTicks[i]!;
    return ticks;
  }

  /** Bytes of the first `sampleCount` samples. */
  bytesOf(sampleCount: number): number {
    if (sampleCount === this.count) return this.byteLength;
    let bytes = 0;
    for (let i = 0; i < sampleCount; i++) bytes += this.sizesBytes[i]!;
    return bytes;
  }

  /** The first `byteCount` bytes, which stay in place when they are dropped here. */
  share(byteCount: number): BlockRun {
    return this.#bytes.share(byteCount);
  }

  /** The bytes of the held sample without its head, which stay in place when they are dropped here. */
  shareHeld(): BlockRun {
    return this.#bytes.shareLast(this.#heldBytes);
  }

  /** How many of the first `sampleCount` samples begin before `ticks`. */
  countBefore(ticks: number, sampleCount: number): number {
    let startTicks = this.startTicks;
    let index = 0;
    while (index < sampleCount && startTicks < ticks) startTicks += this.durationsTicks[index++]!;
    return index;
  }

  /** Removes the first `sampleCount` samples, whose bytes are `bytes`. */
  drop(sampleCount: number, bytes: number): void {
    for (let i = 0; i < sampleCount; i++) this.startTicks += this.durationsTicks[i]!;
    this.#bytes.drop(bytes);
    this.sizesBytes.copyWithin(0, sampleCount, this.count);
    this.durationsTicks.copyWithin(0, sampleCount, this.count);
    this.compositionOffsetsTicks.copyWithin(0, sampleCount, this.count);
    this.keys.copyWithin(0, sampleCount, this.count);
    this.count -= sampleCount;
  }

  clear(): void {
    this.count = 0;
    this.#bytes.clear();
  }

  #growColumns(): void {
    this.sizesBytes = doubled(this.sizesBytes);
    this.durationsTicks = doubled(this.durationsTicks);
    this.compositionOffsetsTicks = doubled(this.compositionOffsetsTicks);
    const keys = new Uint8Array(this.keys.length * 2);
    keys.set(this.keys);
    this.keys = keys;
  }
}

/** The last key frame of the first `sampleCount` samples, and where it lies among their bytes; null: there is none. */
export function newestKey(
  queue: SampleQueue,
  sampleCount: number,
): { readonly offsetBytes: number; readonly sizeBytes: number; readonly ticks: number } | null {
  let ticks = queue.startTicks;
  let offsetBytes = 0;
  let newest: ReturnType<typeof newestKey> = null;
  for (let i = 0; i < sampleCount; i++) {
    const sizeBytes = queue.sizesBytes[i]!;
    if (queue.keys[i] === 1) newest = { offsetBytes, sizeBytes, ticks };
    ticks += queue.durationsTicks[i]!;
    offsetBytes += sizeBytes;
  }
  return newest;
}

function doubled(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(column.length * 2);
  grown.set(column);
  return grown;
}
