/**
 * Samples of one track that wait for their part: columns of numbers and one scratch buffer with their bytes, both
 * reused for as long as the track lives, so that a frame costs one copy and no allocation. The last sample is
 * held: its duration is known only when the next one comes.
 */

import type { SampleTable } from '../isobmff/fragment-boxes.ts';

const INITIAL_SAMPLES = 64;
const INITIAL_BYTES = 16_384;

export class SampleQueue implements SampleTable {
  sizesBytes = new Uint32Array(INITIAL_SAMPLES);
  durationsTicks = new Uint32Array(INITIAL_SAMPLES);
  compositionOffsetsTicks = new Uint32Array(INITIAL_SAMPLES);
  keys = new Uint8Array(INITIAL_SAMPLES);
  /** Bytes of all samples, one behind the other; only the first `byteLength` are meant. */
  bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  byteLength = 0;
  /** Samples here, the held one included. */
  count = 0;
  /** Decoding time of sample 0. */
  startTicks = 0;
  /** Decoding time of the held sample. */
  heldTicks = 0;

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Copies the sample in and holds it. The one held so far must have got its duration. */
  hold(data: Uint8Array, dtsTicks: number, compositionOffsetTicks: number, isKey: boolean): void {
    const index = this.count;
    if (index === this.keys.length) this.#growColumns();
    if (this.byteLength + data.length > this.bytes.length) this.#growBytes(this.byteLength + data.length);
    this.bytes.set(data, this.byteLength);
    this.byteLength += data.length;
    this.sizesBytes[index] = data.length;
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

  /** Bytes of the first `sampleCount` samples. */
  bytesOf(sampleCount: number): number {
    if (sampleCount === this.count) return this.byteLength;
    let bytes = 0;
    for (let i = 0; i < sampleCount; i++) bytes += this.sizesBytes[i]!;
    return bytes;
  }

  /** How many of the first `sampleCount` samples begin before `ticks`. */
  countBefore(ticks: number, sampleCount: number): number {
    let startTicks = this.startTicks;
    let index = 0;
    while (index < sampleCount && startTicks < ticks) startTicks += this.durationsTicks[index++]!;
    return index;
  }

  /** Removes the first `sampleCount` samples, whose bytes are `bytes`; the rest moves to the front. */
  drop(sampleCount: number, bytes: number): void {
    for (let i = 0; i < sampleCount; i++) this.startTicks += this.durationsTicks[i]!;
    this.bytes.copyWithin(0, bytes, this.byteLength);
    this.byteLength -= bytes;
    this.sizesBytes.copyWithin(0, sampleCount, this.count);
    this.durationsTicks.copyWithin(0, sampleCount, this.count);
    this.compositionOffsetsTicks.copyWithin(0, sampleCount, this.count);
    this.keys.copyWithin(0, sampleCount, this.count);
    this.count -= sampleCount;
  }

  clear(): void {
    this.count = 0;
    this.byteLength = 0;
  }

  #growColumns(): void {
    this.sizesBytes = doubled(this.sizesBytes);
    this.durationsTicks = doubled(this.durationsTicks);
    this.compositionOffsetsTicks = doubled(this.compositionOffsetsTicks);
    const keys = new Uint8Array(this.keys.length * 2);
    keys.set(this.keys);
    this.keys = keys;
  }

  #growBytes(neededBytes: number): void {
    let capacityBytes = this.bytes.length;
    while (capacityBytes < neededBytes) capacityBytes *= 2;
    const grown = Buffer.allocUnsafeSlow(capacityBytes);
    this.bytes.copy(grown, 0, 0, this.byteLength);
    this.bytes = grown;
  }
}

function doubled(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(column.length * 2);
  grown.set(column);
  return grown;
}
