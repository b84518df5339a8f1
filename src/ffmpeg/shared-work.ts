/**
 * The rank of a worker that many cameras share, next to workers for the video of one: where its start waits, and which
 * starts may end it.
 */

import { URGENCIES, type Urgency } from '../stream/media/urgency.ts';

/** This many cameras outweigh the video of any one. */
export const MANY_CAMERAS = 10;
/** Behind every urgency, however long it waits. */
export const YIELDING_RANK = URGENCIES.length;
/** Shared workers stay on up to this part of the cores; those beyond it yield like the audio of one camera. */
const MAX_HELD_SHARE = 0.5;

/** The cameras that a worker serves, or that wait for it. */
export interface SharedWork {
  readonly cameras: number;
  /** How many of them each organization has. Default: all belong to the one that the start names. */
  readonly camerasOf?: ReadonlyMap<string, number>;
  /** The urgency of the most urgent of them. */
  readonly urgency: Urgency;
}

/** 0 is the most urgent; YIELDING_RANK: it gives way to everything. One camera's audio is not worth another one's video. */
export function sharedRank({ cameras, urgency }: SharedWork): number {
  if (cameras < 2) return YIELDING_RANK;
  return cameras >= MANY_CAMERAS ? 0 : URGENCIES.indexOf(urgency);
}

/** The room that shared workers hold, taken in the order in which they started. Not all of it: video is never shut out. */
export class HeldRoom {
  readonly #maxWorkers: number;
  readonly #maxCores: number;
  #cores = 0;
  #workers = 0;

  constructor(maxWorkers: number, maxCores: number) {
    this.#maxWorkers = maxWorkers - 1;
    this.#maxCores = maxCores * MAX_HELD_SHARE;
  }

  get workers(): number {
    return this.#workers;
  }

  /** The rank of the next worker: its own if its room may be held. Then that room is taken. */
  take(work: SharedWork, cores: number): number {
    const rank = sharedRank(work);
    const isTooMuch = this.#workers >= this.#maxWorkers || this.#cores + cores > this.#maxCores;
    if (rank === YIELDING_RANK || isTooMuch) return YIELDING_RANK;
    this.#workers++;
    this.#cores += cores;
    return rank;
  }
}
