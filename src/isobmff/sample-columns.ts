/** The samples of a track in a file, in decoding order, as columns. They grow with each found sample, within a limit. */

import { GatewayError } from '../core/errors.ts';
import { ISOBMFF_ERRORS } from './errors.ts';

/** Limit for one track: two hours of 120 frames a second. */
export const MAX_TRACK_SAMPLES = 900_000;
/** Limit for all tracks of a file, including those that we do not carry. */
export const MAX_CLIP_SAMPLES = 2 * MAX_TRACK_SAMPLES;
const FIRST_CAPACITY = 1_024;

export class SampleColumns {
  count = 0;
  /** Positions in the file. */
  offsets = new Float64Array(FIRST_CAPACITY);
  sizesBytes = new Uint32Array(FIRST_CAPACITY);
  /** In ticks of the track. All tracks of a file share their zero. */
  dtsTicks = new Float64Array(FIRST_CAPACITY);
  ptsTicks = new Float64Array(FIRST_CAPACITY);
  /** 1: the sample can be decoded on its own. */
  keys = new Uint8Array(FIRST_CAPACITY);
  /** Decoding time at which the last sample ends. */
  endTicks = 0;

  /** Fails ISOBMFF_LIMIT, and ISOBMFF_BOX_INVALID for times that a file cannot have. */
  push(
    offset: number,
    sizeBytes: number,
    dtsTicks: number,
    durationTicks: number,
    ptsTicks: number,
    isKey: boolean,
  ): void {
    const index = this.count;
    if (index === MAX_TRACK_SAMPLES) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { samples: MAX_TRACK_SAMPLES });
    }
    if (!Number.isSafeInteger(dtsTicks) || !Number.isSafeInteger(ptsTicks)) {
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_INVALID, { sample: index });
    }
    if (index === this.offsets.length) this.#grow();
    this.offsets[index] = offset;
    this.sizesBytes[index] = sizeBytes;
    this.dtsTicks[index] = dtsTicks;
    this.ptsTicks[index] = ptsTicks;
    this.keys[index] = isKey ? 1 : 0;
    this.endTicks = dtsTicks + durationTicks;
    this.count = index + 1;
  }

  /** Leaves out this sample and those after it. */
  cut(index: number): void {
    if (index >= this.count) return;
    this.endTicks = this.dtsTicks[index]!;
    this.count = index;
  }

  /** Up to the next sample, or the end. */
  durationTicks(index: number): number {
    const next = index + 1 < this.count ? this.dtsTicks[index + 1]! : this.endTicks;
    return next - this.dtsTicks[index]!;
  }

  #grow(): void {
    const capacity = 2 * this.offsets.length;
    const grown = <T extends Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.offsets = grown(this.offsets, new Float64Array(capacity));
    this.sizesBytes = grown(this.sizesBytes, new Uint32Array(capacity));
    this.dtsTicks = grown(this.dtsTicks, new Float64Array(capacity));
    this.ptsTicks = grown(this.ptsTicks, new Float64Array(capacity));
    this.keys = grown(this.keys, new Uint8Array(capacity));
  }
}
