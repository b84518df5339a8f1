/**
 * Declares a kind of report: its rows' schema gives the handler its types, the rows their validation and the documents
 * their text.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Static, TObject } from 'typebox';
import type { IngestContext, IngestKind, RowProblem } from '../../ingest/ingest-kind.ts';
import { bodyChecker } from '../http/request-body.ts';

export interface IngestKindDefinition<Row extends TObject> {
  /** In the plural: `thresholdCrossings`. */
  readonly name: string;
  readonly summary: string;
  /** Markdown: what a row is, and within what its id is unique. */
  readonly description: string;
  readonly row: Row;
  readonly example: Static<Row>;
  /** Checks rows against the organization's data: one result per row. Default: no problems. */
  problemsOf?(context: IngestContext, rows: readonly Static<Row>[]): Promise<readonly (RowProblem | null)[]>;
  /**
   * For kinds whose known rows do not change: one result per row, what is stored under its id, as a row; null if nothing
   * is stored. Fields that the row itself does not have are not compared.
   */
  known?(context: IngestContext, rows: readonly Static<Row>[]): Promise<readonly (object | null)[]>;
  /** Stores at most 1,000 rows. Resolves with how many were new. A row whose id is known changes nothing. */
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

/** The first field of the row that differs. */
function differenceBetween(fields: readonly string[], row: object, known: object | null): RowProblem | null {
  if (known === null) return null;
  const reported = row as Readonly<Record<string, unknown>>;
  const stored = known as Readonly<Record<string, unknown>>;
  for (const field of fields) {
    const value = reported[field];
    if (value === undefined || isDeepStrictEqual(value, stored[field])) continue;
    return {
      field,
      reason: `${field} differs from what is stored under this id. The stored row does not change.`,
    };
  }
  return null;
}
