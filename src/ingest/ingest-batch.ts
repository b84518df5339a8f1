/** Takes one batch of rows of a kind: stores the valid ones and names the others. */

import { GatewayError } from '../core/errors.ts';
import type { IneffectiveValues } from '../core/ineffective-values.ts';
import { SlicedWork, STEPS_PER_SLICE } from '../core/sliced-work.ts';
import type { Step, UnknownFields } from '../core/unknown-fields.ts';
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
  /** Known by their ids from before. */
  readonly duplicateCount: number;
  /** Duplicates that differ from the stored record, which was not changed. In the order of the batch. */
  readonly conflicts: readonly RejectedRow[];
  /** Rows that changed the records stored under their ids. In the order of the batch. */
  readonly updates: readonly RejectedRow[];
  /** In the order of the batch. */
  readonly rejected: readonly RejectedRow[];
}

/** Receives the fields that the kind of a row does not know, and values that change nothing. */
export interface RowNotes {
  readonly unknown: UnknownFields;
  readonly ineffective: IneffectiveValues;
  /** The path that is shown before the name of a row's field. */
  readonly placeOf: (index: number) => readonly Step[];
}

/** Fails INGEST_BATCH_TOO_LARGE, or like the store: then nothing was stored, and the batch can be sent again. */
export async function ingestBatch(
  kind: IngestKind,
  context: IngestContext,
  rows: readonly unknown[],
  notes: RowNotes,
): Promise<IngestOutcome> {
  if (rows.length > MAX_INGEST_ROWS) {
    throw new GatewayError(INGEST_ERRORS.INGEST_BATCH_TOO_LARGE, { rows: rows.length });
  }
  const rejected: RejectedRow[] = [];
  const shaped: { index: number; row: object }[] = [];
  const work = new SlicedWork();
  if (rows.length > STEPS_PER_SLICE) await work.pause();
  for (const [index, row] of rows.entries()) {
    notes.unknown.look(kind.rowSchema, row, notes.placeOf(index));
    const read = kind.read(row);
    if ('row' in read) shaped.push({ index, row: read.row });
    else rejected.push({ index, ...read.problem });
    if (work.step()) await work.pause();
  }
  const problems = await kind.problemsOf(
    context,
    shaped.map(({ row }) => row),
  );
  const sound: object[] = [];
  const places: number[] = [];
  for (const [place, { index, row }] of shaped.entries()) {
    const problem = problems[place] ?? null;
    if (problem !== null) rejected.push({ index, ...problem });
    else {
      sound.push(row);
      places.push(index);
    }
  }
  const { acceptedCount, conflicts, updates } = await kind.store(context, sound);
  for (const [place, row] of sound.entries()) {
    const isKept = (conflicts[place] ?? null) !== null;
    if (!isKept) notes.ineffective.look(kind.rowSchema, row, notes.placeOf(places[place]!));
  }
  const named = (differences: readonly (RowProblem | null)[]) =>
    differences.flatMap((difference, place) =>
      difference === null ? [] : [{ index: places[place]!, ...difference }],
    );
  return {
    acceptedCount,
    duplicateCount: sound.length - acceptedCount,
    conflicts: named(conflicts),
    updates: named(updates),
    rejected: rejected.sort((a, b) => a.index - b.index),
  };
}
