/** Measurements added up: numbers in a row of fixed length, so that many rows take little memory. */

import type { Goals } from './goals.ts';
import { bucketOf, DELAY_BOUNDS_MS, FIRST_PICTURE_BOUNDS_MS, percentileOf } from './histogram.ts';
import { type Measurement, REQUEST_ERRORS, type RequestError } from './measurement.ts';

/** Where each number is in a row. */
const FIRST_PICTURES = 0;
const DELAYS = FIRST_PICTURES + FIRST_PICTURE_BOUNDS_MS.length + 1;
const ERRORS = DELAYS + DELAY_BOUNDS_MS.length + 1;
const SINGLES = ERRORS + REQUEST_ERRORS.length;
const SINGLE_NAMES = [
  'measurements',
  'goodFirstPictures',
  'missingPictures',
  'goodDelaySec',
  'firstPictureSumSec',
  'delaySumSec',
  'playedSec',
  'stalledSec',
  'stalls',
  'requests',
] as const;
type Single = (typeof SINGLE_NAMES)[number];

export const ROW_LENGTH = SINGLES + SINGLE_NAMES.length;

const MS_PER_SEC = 1_000;

export type LevelRow = Float32Array | Float64Array;

/** Adds a measurement to a row, as it is good or bad by `goals` now. */
export function addMeasurement(row: LevelRow, measured: Measurement, goals: Goals): void {
  const add = (name: Single, amount: number) => {
    row[SINGLES + SINGLE_NAMES.indexOf(name)]! += amount;
  };
  const { firstPictureMs } = measured;
  add('measurements', 1);
  if (firstPictureMs !== null) {
    row[FIRST_PICTURES + bucketOf(FIRST_PICTURE_BOUNDS_MS, firstPictureMs)]! += 1;
    add('firstPictureSumSec', firstPictureMs / MS_PER_SEC);
    if (firstPictureMs <= goals.firstPictureWithinMs) add('goodFirstPictures', 1);
  } else if (measured.isWithoutPicture) add('missingPictures', 1);
  for (const delayMs of measured.delaysMs) {
    row[DELAYS + bucketOf(DELAY_BOUNDS_MS, delayMs)]! += 1;
    add('delaySumSec', Math.max(0, delayMs) / MS_PER_SEC);
    if (delayMs <= goals.delayWithinMs) add('goodDelaySec', 1);
  }
  add('playedSec', measured.playedMs / MS_PER_SEC);
  add('stalledSec', measured.stalledMs / MS_PER_SEC);
  add('stalls', measured.stalls);
  add('requests', measured.requests);
  for (const [index, reason] of REQUEST_ERRORS.entries())
    row[ERRORS + index]! += measured.errors[reason] ?? 0;
}

/** A row, read. */
export class LevelSums {
  readonly #row: Readonly<ArrayLike<number>>;

  constructor(row: ArrayLike<number>) {
    this.#row = row;
  }

  get measurements(): number {
    return this.#single('measurements');
  }

  /** Pictures that were due. Those that never came are among them. */
  get firstPictures(): number {
    return sum(this.firstPictureCounts) + this.missingPictures;
  }

  get goodFirstPictures(): number {
    return this.#single('goodFirstPictures');
  }

  get missingPictures(): number {
    return this.#single('missingPictures');
  }

  get firstPictureSumSec(): number {
    return this.#single('firstPictureSumSec');
  }

  get delaySec(): number {
    return sum(this.delayCounts);
  }

  get goodDelaySec(): number {
    return this.#single('goodDelaySec');
  }

  get delaySumSec(): number {
    return this.#single('delaySumSec');
  }

  get playedSec(): number {
    return this.#single('playedSec');
  }

  get stalledSec(): number {
    return this.#single('stalledSec');
  }

  get stalls(): number {
    return this.#single('stalls');
  }

  get requests(): number {
    return this.#single('requests');
  }

  get failedRequests(): number {
    return sum(this.#part(ERRORS, REQUEST_ERRORS.length));
  }

  errorsOf(reason: RequestError): number {
    return this.#row[ERRORS + REQUEST_ERRORS.indexOf(reason)] ?? 0;
  }

  /** As percentileOf. A picture that never came is above every bound. */
  firstPictureMs(percent: number): number | null {
    const counts = this.firstPictureCounts;
    counts[counts.length - 1]! += this.missingPictures;
    return percentileOf(FIRST_PICTURE_BOUNDS_MS, counts, percent);
  }

  delayMs(percent: number): number | null {
    return percentileOf(DELAY_BOUNDS_MS, this.delayCounts, percent);
  }

  get firstPictureCounts(): number[] {
    return this.#part(FIRST_PICTURES, FIRST_PICTURE_BOUNDS_MS.length + 1);
  }

  get delayCounts(): number[] {
    return this.#part(DELAYS, DELAY_BOUNDS_MS.length + 1);
  }

  #single(name: Single): number {
    return this.#row[SINGLES + SINGLE_NAMES.indexOf(name)] ?? 0;
  }

  #part(from: number, length: number): number[] {
    return Array.from({ length }, (_each, i) => this.#row[from + i] ?? 0);
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
