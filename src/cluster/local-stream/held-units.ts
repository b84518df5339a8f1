/** Access units that are held back for a moment, each until its own time, in order. Each belongs to the queue: pushed units are copied. */

import type { AccessUnit } from '../../codec/track.ts';
import { MAX_GROUP_BYTES } from '../../stream/pictures/picture-group.ts';
import type { KeyMark } from './pull-marks.ts';

const MAX_BYTES = 2 * MAX_GROUP_BYTES;

export interface HeldUnit {
  readonly unit: AccessUnit;
  /** A key frame's mark. */
  readonly mark: KeyMark | null;
  readonly dueMonoMs: number;
}

export class HeldUnits {
  #units: HeldUnit[] = [];
  #byteLength = 0;

  get isEmpty(): boolean {
    return this.#units.length === 0;
  }

  get isFull(): boolean {
    return this.#byteLength >= MAX_BYTES;
  }

  get all(): readonly HeldUnit[] {
    return this.#units;
  }

  /** Borrowed. */
  push(unit: AccessUnit, mark: KeyMark | null, dueMonoMs: number): void {
    this.#units.push({ unit: { ...unit, data: Uint8Array.from(unit.data) }, mark, dueMonoMs });
    this.#byteLength += unit.data.length;
  }

  take(count: number): HeldUnit[] {
    const taken = this.#units.slice(0, count);
    this.#units = this.#units.slice(count);
    for (const { unit } of taken) this.#byteLength -= unit.data.length;
    return taken;
  }
}
