/**
 * The kinds of reports: each has a schema for its rows and knows where they go. The API has an endpoint for every kind, and
 * `sluice import` reads the same rows from a file.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { FieldSchema } from '../core/unknown-fields.ts';
import type { Store } from '../store/store.ts';

/** The organization of a report, and its destination. */
export interface IngestContext {
  readonly orgUuid: Ruuid;
  /** The credential that reports; absent: the operator imports. */
  readonly reporterUuid?: Ruuid;
  readonly store: Store;
  readonly nowMs: number;
}

/** Why a row was refused. */
export interface RowProblem {
  /** The row's field, `labels[2]`; '' for the row itself. */
  readonly field: string;
  /** A sentence that names the field. */
  readonly reason: string;
}

/** The result for the rows that passed all checks. The lists have one entry per row, in their order. */
export interface StoredRows {
  /** Stored now; the others are duplicates. */
  readonly acceptedCount: number;
  /** How a row differs from the record stored under its id, which was not changed. null: it does not. */
  readonly conflicts: readonly (RowProblem | null)[];
  /** A row's changes of the record that was stored under its id. null: none. */
  readonly updates: readonly (RowProblem | null)[];
}

/** A kind with the type of its rows erased. */
export interface IngestKind {
  /** The last part of the endpoint's path, and `kind` in the lines of an import. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** JSON Schema of a row. */
  readonly rowSchema: object & FieldSchema;
  readonly exampleRow: object;
  /** Reads only the row, without unknown fields and nulls, as in every request. */
  read(given: unknown): { readonly row: object } | { readonly problem: RowProblem };
  /** Checks against what the organization has; one result per row, all of which were read. */
  problemsOf(context: IngestContext, rows: readonly object[]): Promise<readonly (RowProblem | null)[]>;
  /** Stores rows that passed all checks. */
  store(context: IngestContext, rows: readonly object[]): Promise<StoredRows>;
}
