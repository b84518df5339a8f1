/** Declares a kind of report: its rows' schema gives the handler its types, the rows their validation, documents their text. */

import type { Static, TObject } from 'typebox';
import { firstDifference } from '../../core/first-difference.ts';
import type { IngestContext, IngestKind, RowProblem, StoredRows } from '../../ingest/ingest-kind.ts';
import type { ReportOutcome } from '../../store/report-records.ts';
import { bodyChecker } from '../http/request-body.ts';

export interface IngestKindDefinition<Row extends TObject> {
  /** In the plural: `thresholdCrossings`. */
  readonly name: string;
  readonly summary: string;
  /** Markdown: what a row is, what its id is unique among. */
  readonly description: string;
  readonly row: Row;
  readonly example: Static<Row>;
  /** What the organisation's data speaks against: one answer per row. Default: nothing. */
  problemsOf?(context: IngestContext, rows: readonly Static<Row>[]): Promise<readonly (RowProblem | null)[]>;
  /**
   * For kinds whose `store` says only how many rows were new: one answer per row, what is stored under its id as such
   * a row; null where there is nothing. Fields that the row itself does not have are not looked at.
   */
  known?(context: IngestContext, rows: readonly Static<Row>[]): Promise<readonly (object | null)[]>;
  /** The reason of a conflict in this field; absent: that it is not as it is stored. */
  readonly conflictReasons?: Readonly<Record<string, string>>;
  /**
   * Stores at most 1,000 rows, which have known fields only. Resolves with what became of each, or, where a
   * row whose id is known changes nothing, with how many were new.
   */
  store(context: IngestContext, rows: readonly Static<Row>[]): Promise<number | readonly ReportOutcome[]>;
}

export function defineIngestKind<Row extends TObject>(definition: IngestKindDefinition<Row>): IngestKind {
  const { name, summary, description } = definition;
  const check = bodyChecker(definition.row, 'The row');
  const conflictIn = (field: string | null): RowProblem | null => {
    if (field === null) return null;
    const reason = definition.conflictReasons?.[field];
    return {
      field,
      reason: reason ?? `${field} is not as it is stored under this id, which stays as it is.`,
    };
  };
  return {
    name,
    summary,
    description,
    rowSchema: definition.row,
    exampleRow: definition.example as object,
    read(given) {
      const { value, problem } = check(given);
      return problem === null
        ? { row: value as object }
        : { problem: { field: problem.field, reason: problem.sentence } };
    },
    async problemsOf(context, rows) {
      return (await definition.problemsOf?.(context, rows as readonly Static<Row>[])) ?? [];
    },
    async store(context, given): Promise<StoredRows> {
      const rows = given as readonly Static<Row>[];
      const stored = await definition.store(context, rows);
      if (typeof stored !== 'number') {
        return {
          acceptedCount: stored.filter(({ isAccepted }) => isAccepted).length,
          conflicts: stored.map(({ kept }) => conflictIn(kept)),
          updates: stored.map(({ changed }) => updateOf(changed)),
        };
      }
      if (stored === rows.length) return { acceptedCount: stored, conflicts: [], updates: [] };
      // What was new is stored as it was reported, so looking at all rows finds no difference in those.
      const known = (await definition.known?.(context, rows)) ?? [];
      const conflicts = rows.map((row, index) => {
        const before = known[index] ?? null;
        return before === null ? null : conflictIn(firstDifference(row as object, before));
      });
      return { acceptedCount: stored, conflicts, updates: [] };
    },
  };
}

function updateOf(field: string | null): RowProblem | null {
  return field === null ? null : { field, reason: `${field} changed what was stored under this id.` };
}
