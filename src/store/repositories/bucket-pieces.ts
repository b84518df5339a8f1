/** Splits a report into pieces that one statement each can count. Pure. */

import type { BucketQuery, BucketRun } from '../crossing.ts';

export const QUARTER_HOUR_MS = 900_000;

/**
 * Up to this many lookups of a device in a bucket, objects are counted bucket by bucket, which needs no sorting. Beyond
 * that, one statement counts many buckets: its sorting costs less.
 */
const MAX_BUCKET_LOOKUPS = 100_000;
/** Into how many statements the buckets of a run are then split, so that other requests get a turn in between. */
const GROUPED_PIECES_PER_RUN = 16;
/** Devices in one statement: databases limit a statement's parameters. */
const MAX_DEVICES_TOGETHER = 1_000;

/** Where a piece is counted: in the sums, row by row, or object by object. */
export type PieceSource = 'quarter-hours' | 'crossings' | 'objects';

export interface Piece {
  readonly source: PieceSource;
  readonly run: BucketRun;
  /**
   * Half-open; whole quarter hours for that source. A bucket counted by object is never split, and a bucket that the
   * range cuts at its start is a piece of its own.
   */
  readonly fromMs: number;
  readonly toMs: number;
  /** Numbers of the devices to count. */
  readonly deviceKeys: readonly number[];
}

/** Pieces that count every crossing. */
export function crossingPieces(query: BucketRange, deviceKeys: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  for (const group of deviceGroups(deviceKeys)) {
    for (const run of query.runs) {
      const { fromMs, toMs } = clipped(run, query);
      if (fromMs >= toMs) continue;
      if (isOfQuarterHours(run)) pieces.push(...sumPieces(run, fromMs, toMs, group));
      else pieces.push({ source: 'crossings', run, fromMs, toMs, deviceKeys: group });
    }
  }
  return pieces;
}

/** Pieces that count every object of a device once per bucket. */
export function objectPieces(query: BucketRange, deviceKeys: readonly number[]): Piece[] {
  const buckets = query.runs.reduce((sum, { count }) => sum + count, 0);
  const isOneByOne = buckets * deviceKeys.length <= MAX_BUCKET_LOOKUPS;
  const pieces: Piece[] = [];
  for (const group of deviceGroups(deviceKeys)) {
    for (const run of query.runs) {
      const bucketsPerPiece = isOneByOne ? 1 : Math.ceil(run.count / GROUPED_PIECES_PER_RUN);
      pieces.push(...piecesOfRun(run, query, bucketsPerPiece, group));
    }
  }
  return pieces;
}

function piecesOfRun(
  run: BucketRun,
  query: BucketRange,
  bucketsPerPiece: number,
  deviceKeys: readonly number[],
): Piece[] {
  const { fromMs, toMs } = clipped(run, query);
  const pieces: Piece[] = [];
  for (let startMs = fromMs; startMs < toMs; ) {
    const bucketMs = run.startMs + Math.floor((startMs - run.startMs) / run.lengthMs) * run.lengthMs;
    const endMs = Math.min(toMs, bucketMs + run.lengthMs * (startMs > bucketMs ? 1 : bucketsPerPiece));
    pieces.push({ source: 'objects', run, fromMs: startMs, toMs: endMs, deviceKeys });
    startMs = endMs;
  }
  return pieces;
}

/** Numbers of devices, in groups as large as one statement accepts. */
export function deviceGroups(deviceKeys: readonly number[]): (readonly number[])[] {
  const groups: (readonly number[])[] = [];
  for (let at = 0; at < deviceKeys.length; at += MAX_DEVICES_TOGETHER) {
    groups.push(deviceKeys.slice(at, at + MAX_DEVICES_TOGETHER));
  }
  return groups;
}

type BucketRange = Pick<BucketQuery, 'fromMs' | 'toMs' | 'runs'>;

/** The part of a run within the query's range. */
export function clipped(
  { startMs, lengthMs, count }: BucketRun,
  { fromMs, toMs }: Pick<BucketQuery, 'fromMs' | 'toMs'>,
): { fromMs: number; toMs: number } {
  return { fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, startMs + lengthMs * count) };
}

/** Whole quarter hours from their sums; what remains at either end, row by row. */
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
