/** Cuts a report into pieces that one statement each can count. Pure. */

import type { BucketQuery, BucketRun } from '../crossing.ts';

export const QUARTER_HOUR_MS = 900_000;

/**
 * Into how many pieces a count of objects is cut at most: the database sorts each piece by itself, and many small
 * sorts are quicker than a few large ones, until the pieces themselves cost.
 */
const MAX_OBJECT_PIECES = 4_000;

/** Where a piece is counted: in the sums, row by row, or object by object. */
export type PieceSource = 'quarter-hours' | 'crossings' | 'objects';

export interface Piece {
  readonly source: PieceSource;
  readonly run: BucketRun;
  /** Half-open; quarter hours for that source. A bucket counted by object is never cut in two. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Numbers of the devices that count. */
  readonly deviceKeys: readonly number[];
}

/** Pieces that count every crossing. */
export function crossingPieces(query: BucketRange, deviceKeys: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  for (const run of query.runs) {
    const { fromMs, toMs } = clipped(run, query);
    if (fromMs >= toMs) continue;
    if (isOfQuarterHours(run)) pieces.push(...sumPieces(run, fromMs, toMs, deviceKeys));
    else pieces.push({ source: 'crossings', run, fromMs, toMs, deviceKeys });
  }
  return pieces;
}

/** Pieces that count every object of a device once per bucket. */
export function objectPieces(query: BucketRange, deviceKeys: readonly number[]): Piece[] {
  const buckets = query.runs.reduce((sum, { count }) => sum + count, 0);
  const bucketsPerPiece = Math.max(1, Math.ceil(buckets / MAX_OBJECT_PIECES));
  const isByDevice = buckets * deviceKeys.length <= MAX_OBJECT_PIECES;
  const groups = isByDevice ? deviceKeys.map((deviceKey) => [deviceKey]) : [deviceKeys];
  const pieces: Piece[] = [];
  for (const run of query.runs) {
    const { fromMs, toMs } = clipped(run, query);
    const pieceMs = run.lengthMs * bucketsPerPiece;
    let startMs = run.startMs + Math.floor((fromMs - run.startMs) / pieceMs) * pieceMs;
    for (; startMs < toMs; startMs += pieceMs) {
      const range = { fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, startMs + pieceMs) };
      for (const group of groups) pieces.push({ source: 'objects', run, ...range, deviceKeys: group });
    }
  }
  return pieces;
}

type BucketRange = Pick<BucketQuery, 'fromMs' | 'toMs' | 'runs'>;

/** What of a run lies in the query's range. */
export function clipped(
  { startMs, lengthMs, count }: BucketRun,
  { fromMs, toMs }: Pick<BucketQuery, 'fromMs' | 'toMs'>,
): { fromMs: number; toMs: number } {
  return { fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, startMs + lengthMs * count) };
}

/** Whole quarter hours from their sums, what is left at either end row by row. */
function sumPieces(run: BucketRun, fromMs: number, toMs: number, deviceKeys: readonly number[]): Piece[] {
  const firstMs = Math.ceil(fromMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const lastMs = Math.floor(toMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  if (firstMs >= lastMs) return [{ source: 'crossings', run, fromMs, toMs, deviceKeys }];
  const pieces: Piece[] = [];
  if (fromMs < firstMs) pieces.push({ source: 'crossings', run, fromMs, toMs: firstMs, deviceKeys });
  pieces.push({ source: 'quarter-hours', run, fromMs: firstMs, toMs: lastMs, deviceKeys });
  if (lastMs < toMs) pieces.push({ source: 'crossings', run, fromMs: lastMs, toMs, deviceKeys });
  return pieces;
}

function isOfQuarterHours({ startMs, lengthMs }: BucketRun): boolean {
  return startMs % QUARTER_HOUR_MS === 0 && lengthMs % QUARTER_HOUR_MS === 0;
}
