/**
 * The source of the numbers of a stream's recording files, in the recorder's thread. A gateway alone counts; a node of a cluster
 * has blocks that the store gave to no other node (docs/design/recording.md#many-nodes).
 */

import { GatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';

export interface FileNumbers {
  /** Greater than any before. Fails RECORDING_NO_NUMBERS. */
  take(): number;
}

/** Numbers from `next` up, without `end`. */
export interface NumberBlock {
  readonly first: number;
  readonly end: number;
}

/** Files of one stream in one block: the store may be unavailable for as long as half of them take. */
export const NUMBERS_PER_BLOCK = 256;

export class CountedNumbers implements FileNumbers {
  #next: number;

  constructor(next: number) {
    this.#next = next;
  }

  take(): number {
    return this.#next++;
  }
}

export class ReservedNumbers implements FileNumbers {
  readonly #onLow: () => void;
  #blocks: { next: number; readonly end: number }[] = [];

  /** `onLow`: another block is needed. */
  constructor(onLow: () => void) {
    this.#onLow = onLow;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  add({ first, end }: NumberBlock): void {
    this.#blocks.push({ next: first, end });
  }

  /** Numbers ascend in the order of recording: after a pause, another node may have recorded. */
  forget(): void {
    this.#blocks = [];
  }

  take(): number {
    const [block] = this.#blocks;
    if (block === undefined) throw new GatewayError(RECORDING_ERRORS.RECORDING_NO_NUMBERS, {});
    const number = block.next++;
    if (block.next === block.end) this.#blocks.shift();
    const left = this.#blocks.reduce((sum, { next, end }) => sum + end - next, 0);
    if (left < NUMBERS_PER_BLOCK / 2) this.#onLow();
    return number;
  }
}
