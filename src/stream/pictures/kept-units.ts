/** Access units that wait for a decision, starting with a key frame. The queue owns them: pushed units are copied. */

import type { AccessUnit } from '../../codec/track.ts';
import { MAX_GROUP_BYTES } from './picture-group.ts';

/** The groups of pictures that can be in it at a time: the one that is waited for, and the one after it. */
const MAX_BYTES = 2 * MAX_GROUP_BYTES;

interface KeptUnit {
  readonly unit: AccessUnit;
  /** null: the unit is not a key frame. */
  readonly digest: string | null;
}

export class KeptUnits {
  #units: KeptUnit[] = [];
  #byteLength = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#units.length === 0;
  }

  /** No more should be added. */
  get isFull(): boolean {
    return this.#byteLength >= this.#maxBytes;
  }

  /** Borrowed. `digest`: of a key frame. Others are ignored at the beginning. */
  push(unit: AccessUnit, digest: string | null): void {
    if (digest === null && this.isEmpty) return;
    this.#units.push({ unit: { ...unit, data: Uint8Array.from(unit.data) }, digest });
    this.#byteLength += unit.data.length;
  }

  /** Removes the units before the newest key frame with this digest; null: there is none. */
  takeBefore(digest: string): AccessUnit[] | null {
    const at = this.#units.findLastIndex((kept) => kept.digest === digest);
    return at < 0 ? null : this.#take(at);
  }

  /** Those that are kept, in order. */
  units(): AccessUnit[] {
    return this.#units.map(({ unit }) => unit);
  }

  takeAll(): AccessUnit[] {
    return this.#take(this.#units.length);
  }

  /** Removes the oldest groups of which the one after began before that time. */
  dropBefore(monoMs: number): void {
    const at = this.#units.findLastIndex(
      ({ unit, digest }) => digest !== null && unit.arrivalMonoMs <= monoMs,
    );
    if (at > 0) this.#take(at);
  }

  /** The oldest group, while there is another one. */
  dropOldest(): void {
    const at = this.#units.findIndex(({ digest }, index) => index > 0 && digest !== null);
    this.#take(at < 0 ? this.#units.length : at);
  }

  #take(count: number): AccessUnit[] {
    const taken = this.#units.slice(0, count).map(({ unit }) => unit);
    this.#units = this.#units.slice(count);
    for (const { data } of taken) this.#byteLength -= data.length;
    return taken;
  }
}
