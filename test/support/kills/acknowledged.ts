/** Acknowledgements of a process before its kill, line by line, which another process must find later. */

import type { Ruuid } from '../../../src/core/ruuid.ts';

/** One acknowledgement. Written immediately, so that a kill does not take it back. */
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

/** Findings of a process when it started, and whether it is ready to be killed. */
export interface StartReport {
  readonly what: 'started';
  /** Time from the first line of code to the end of all repairs. */
  readonly repairMs: number;
  /** Time from there until interrupted work was finished. */
  readonly resumeMs: number;
  readonly checked: number;
  /** Deviations, one sentence each. */
  readonly faults: readonly string[];
}

/** One round: a process from its start to its kill. */
export interface Round {
  readonly number: number;
  readonly acknowledged: readonly Acknowledgement[];
}

/** Shared by the processes of a run. */
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

/** A process's work: check the acknowledgements of earlier rounds, then continue until it is killed. */
export interface Task {
  readonly ground: Ground;
  readonly before: readonly Round[];
  /** null: check only, and end. */
  readonly number: number | null;
  /** Whether recordings are encrypted from now on. */
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
