/** Declares a kind of report: its rows' schema gives the handler its types, the rows their validation, documents their text. */

import type { Static, TObject } from 'typebox';
import type { IngestContext, IngestKind, RowProblem } from '../../ingest/ingest-kind.ts';
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
  /** Stores at most 1,000 rows. Resolves with how many were new: a row whose id is known changes nothing. */
  store(context: IngestContext, rows: readonly Static<Row>[]): Promise<number>;
}

export function defineIngestKind<Row extends TObject>(definition: IngestKindDefinition<Row>): IngestKind {
  const { name, summary, description } = definition;
  const check = bodyChecker(definition.row, 'The row');
  return {
    name,
    summary,
    description,
    rowSchema: definition.row,
    exampleRow: definition.example as object,
    problemOf(row) {
      const problem = check(row);
      return problem === null ? null : { field: problem.field, reason: problem.sentence };
    },
    async problemsOf(context, rows) {
      return (await definition.problemsOf?.(context, rows as readonly Static<Row>[])) ?? [];
    },
    store: (context, rows) => definition.store(context, rows as readonly Static<Row>[]),
  };
}
