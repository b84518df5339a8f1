/** What a process that is going to be killed has acknowledged, line by line, and what another one must find later. */

import type { Ruuid } from '../../../src/core/ruuid.ts';

/** One thing that was acknowledged. Written at once, so that a kill does not take it back. */
export type Acknowledgement =
  /** A segment is in the catalog. `sha256`: of its bytes. */
  | { readonly what: 'segment'; readonly epochMs: number; readonly sha256: string }
  /** The first `count` parts of the round are written. */
  | { readonly what: 'parts'; readonly count: number }
  /** These bytes of a clip need not be sent again. */
  | { readonly what: 'offset'; readonly clipId: string; readonly offset: number }
  | { readonly what: 'uploaded'; readonly clipId: string }
  /** The order of a clip was accepted. */
  | {
      readonly what: 'ordered';
      readonly clipUuid: Ruuid;
      readonly startMs: number;
      readonly durationSec: number;
    }
  | { readonly what: 'spliced'; readonly clipUuid: Ruuid; readonly sha256: string };

/** What one process found when it started, and whether it is ready to be killed. */
export interface StartReport {
  readonly what: 'started';
  /** From the first line of code to the end of all repairs. */
  readonly repairMs: number;
  /** From there until what had been interrupted was finished. */
  readonly resumeMs: number;
  readonly checked: number;
  /** What is not as it should be, one sentence each. */
  readonly faults: readonly string[];
}

/** Of one round: a process from its start to its kill. */
export interface Round {
  readonly number: number;
  readonly acknowledged: readonly Acknowledgement[];
}

/** What the processes of a run share. */
export interface Ground {
  readonly folder: string;
  /** A file that a recorder hands over, again and again under other names. */
  readonly clipPath: string;
  readonly orgUuid: Ruuid;
  readonly keyUuid: Ruuid;
  /** Recorded. */
  readonly cameraUuid: Ruuid;
  /** The camera that clips are handed over for. */
  readonly uploadingUuid: Ruuid;
  /** Wall time of the first frame of round 0, epoch milliseconds. */
  readonly baseMs: number;
}

/** A process's work: check what the rounds before acknowledged, then go on until it is killed. */
export interface Task {
  readonly ground: Ground;
  readonly before: readonly Round[];
  /** null: check only, and end. */
  readonly number: number | null;
  /** What is recorded from now on. */
  readonly isEncrypting: boolean;
}

/** No round records as much media. */
export const ROUND_MS = 10 * 60_000;

export function roundFromMs({ baseMs }: Ground, number: number): number {
  return baseMs + number * ROUND_MS;
}

export function clipIdOf(round: number, index: number): string {
  return `clip ${round}.${index}`;
}

/** Each clip has its own time. */
export function clipStartMs({ baseMs }: Ground, clipId: string): number {
  const [round, index] = clipId.split(' ')[1]!.split('.').map(Number);
  return baseMs + round! * ROUND_MS + index! * 20_000;
}
