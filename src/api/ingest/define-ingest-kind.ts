/** Declares a kind of report: its rows' schema gives the handler its types, the rows their validation, documents their text. */

import { isDeepStrictEqual } from 'node:util';
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
  /**
   * For kinds whose known rows stay as they are: one answer per row, what is stored under its id as such a row; null
   * where there is nothing. Fields that the row itself does not have are not looked at.
   */
  known?(context: IngestContext, rows: readonly Static<Row>[]): Promise<readonly (object | null)[]>;
  /** Stores at most 1,000 rows. Resolves with how many were new: a row whose id is known changes nothing. */
  store(context: IngestContext, rows: readonly Static<Row>[]): Promise<number>;
}

export function defineIngestKind<Row extends TObject>(definition: IngestKindDefinition<Row>): IngestKind {
  const { name, summary, description } = definition;
  const check = bodyChecker(definition.row, 'The row');
  const fields = Object.keys(definition.row.properties);
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
    async differencesOf(context, rows) {
      const known = (await definition.known?.(context, rows as readonly Static<Row>[])) ?? [];
      return rows.map((row, index) => differenceBetween(fields, row, known[index] ?? null));
    },
    store: (context, rows) => definition.store(context, rows as readonly Static<Row>[]),
  };
}

/** The first field of the row that says something else. */
function differenceBetween(fields: readonly string[], row: object, known: object | null): RowProblem | null {
  if (known === null) return null;
  const reported = row as Readonly<Record<string, unknown>>;
  const stored = known as Readonly<Record<string, unknown>>;
  for (const field of fields) {
    const value = reported[field];
    if (value === undefined || isDeepStrictEqual(value, stored[field])) continue;
    return { field, reason: `${field} is not as it is stored under this id, which stays as it is.` };
  }
  return null;
}
