/**
 * When a person’s next mail goes out: the first alert immediately, later ones together, in windows that grow while alerts keep coming. Pure.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { DigestTopic } from './alert-tally.ts';

/** Of one person and topic. */
export interface DigestState {
  /** Of the mail that gathers, or was sent last; from 1. */
  readonly sequence: number;
  /** The mail has its content: what comes now is for the next one. */
  readonly isTaken: boolean;
  /** Index of WINDOWS_MS. */
  readonly level: number;
  /** Until then, what comes is gathered. 0: the mail has no content yet. */
  readonly endsAtMs: number;
  /** The first mail of the thread. */
  readonly threadUuid: Ruuid;
}

const MINUTE_MS = 60_000;
/** A storm of a day is 27 mails at most, one of an hour 7. */
export const WINDOWS_MS: readonly number[] = [1, 2, 4, 8, 16, 32, 60].map((minutes) => minutes * MINUTE_MS);
/** Cameras behind one dead switch go offline within this time of each other. */
export const GATHER_MS: Readonly<Record<DigestTopic, number>> = { ALERTS: 0, HEALTH: MINUTE_MS };

export interface NextDigest extends DigestState {
  readonly dueAtMs: number;
}

/** The mail for something that happened now. `uuidOf`: the mail of a sequence. */
export function nextDigest(
  topic: DigestTopic,
  known: DigestState | null,
  nowMs: number,
  uuidOf: (sequence: number) => Ruuid,
): NextDigest {
  const sequence = (known?.sequence ?? 0) + 1;
  const first = nowMs + GATHER_MS[topic];
  // A clock that was set back must not make anyone wait for longer than a window.
  const isStorm =
    known !== null &&
    nowMs < known.endsAtMs + WINDOWS_MS[known.level]! &&
    nowMs > known.endsAtMs - 2 * WINDOWS_MS[known.level]!;
  if (!isStorm) {
    const threadUuid = uuidOf(sequence);
    return { sequence, isTaken: false, level: 0, endsAtMs: 0, threadUuid, dueAtMs: first };
  }
  const level = Math.min(known.level + 1, WINDOWS_MS.length - 1);
  const { threadUuid } = known;
  return {
    sequence,
    isTaken: false,
    level,
    endsAtMs: 0,
    threadUuid,
    dueAtMs: Math.max(first, known.endsAtMs),
  };
}

/** The mail gets its content now. */
export function taken(state: DigestState, nowMs: number): DigestState {
  return { ...state, isTaken: true, endsAtMs: nowMs + WINDOWS_MS[state.level]! };
}
