/** Takes one batch of rows of a kind: stores the valid ones and names the others. */

import { GatewayError } from '../core/errors.ts';
import { SlicedWork, STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { INGEST_ERRORS } from './errors.ts';
import type { IngestContext, IngestKind, RowProblem } from './ingest-kind.ts';

/** Rows in one batch: one transaction of the store. */
export const MAX_INGEST_ROWS = 1_000;

export interface RejectedRow extends RowProblem {
  /** Its index in the batch, from 0. */
  readonly index: number;
}

export interface IngestOutcome {
  /** Stored now. */
  readonly acceptedCount: number;
  /** Already known by their IDs; nothing was changed. */
  readonly duplicateCount: number;
  /** In batch order. */
  readonly rejected: readonly RejectedRow[];
}

/**
 * Fails INGEST_BATCH_TOO_LARGE, or like the store: in that case nothing was stored, and the batch can be sent
 * again.
 */
export async function ingestBatch(
  kind: IngestKind,
  context: IngestContext,
  rows: readonly unknown[],
): Promise<IngestOutcome> {
  if (rows.length > MAX_INGEST_ROWS) {
    throw new GatewayError(INGEST_ERRORS.INGEST_BATCH_TOO_LARGE, { rows: rows.length });
  }
  const rejected: RejectedRow[] = [];
  const shaped: { index: number; row: object }[] = [];
  const work = new SlicedWork();
  if (rows.length > STEPS_PER_SLICE) await work.pause();
  for (const [index, row] of rows.entries()) {
    const problem = kind.problemOf(row);
    if (problem === null) shaped.push({ index, row: row as object });
    else rejected.push({ index, ...problem });
    if (work.step()) await work.pause();
  }
  const problems = await kind.problemsOf(
    context,
    shaped.map(({ row }) => row),
  );
  const sound: object[] = [];
  for (const [place, { index, row }] of shaped.entries()) {
    const problem = problems[place] ?? null;
    if (problem === null) sound.push(row);
    else rejected.push({ index, ...problem });
  }
  const acceptedCount = await kind.store(context, sound);
  return {
    acceptedCount,
    duplicateCount: sound.length - acceptedCount,
    rejected: rejected.sort((a, b) => a.index - b.index),
  };
}
