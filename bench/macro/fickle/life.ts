/** Events of a camera between its start and the next one, at random but the same for the same seed. */

import type { SeededRandom } from '../../../src/synthetic-camera/seeded-random.ts';

/** Formats that a camera sends. */
export const KINDS = ['H.264+AAC', 'H.265+G.711', 'H.264', 'H.264+G.711', 'H.265+AAC'] as const;
export type FickleKind = (typeof KINDS)[number];

/** Faults while the camera is connected; times are after each PLAY, or `switch` after the camera's start. */
export type Trouble =
  | { readonly kind: 'none' }
  | { readonly kind: 'jump'; readonly afterMs: number; readonly byMs: number }
  | { readonly kind: 'restart'; readonly afterMs: number }
  | { readonly kind: 'switch'; readonly afterMs: number }
  | { readonly kind: 'break'; readonly afterMs: number }
  | { readonly kind: 'loss'; readonly seed: number };

export interface Life {
  readonly trouble: Trouble;
  readonly upMs: number;
  /** After `upMs` it sends nothing for so long, on open connections, and then stays for `upMs` again; 0: it does not. */
  readonly stallMs: number;
  /** Then nothing listens for so long. */
  readonly awayMs: number;
}

const TROUBLES = ['none', 'jump', 'restart', 'switch', 'break', 'loss'] as const;
/** Longer than a camera may take to be back, so that each return is judged. */
const MIN_UP_MS = 7_000;
const MAX_UP_MS = 20_000;
const MIN_GONE_MS = 1_000;
const MAX_GONE_MS = 8_000;
const MIN_TROUBLE_MS = 2_000;
const STALL_SHARE = 0.5;
/** An hour: no connection is too short for it. */
const MAX_JUMP_MS = 3_600_000;

export function drawLife(random: SeededRandom): Life {
  const between = (min: number, max: number) => Math.round(min + random.next() * (max - min));
  const upMs = between(MIN_UP_MS, MAX_UP_MS);
  const afterMs = between(MIN_TROUBLE_MS, MIN_UP_MS);
  const kind = TROUBLES[Math.floor(random.next() * TROUBLES.length)]!;
  const byMs = between(-MAX_JUMP_MS, MAX_JUMP_MS);
  const seed = between(0, 2 ** 31);
  return {
    trouble: { kind, afterMs, byMs, seed } as Trouble,
    upMs,
    stallMs: random.next() < STALL_SHARE ? between(MIN_GONE_MS, MAX_GONE_MS) : 0,
    awayMs: between(MIN_GONE_MS, MAX_GONE_MS),
  };
}
