/**
 * Declares a kind of report: its rows' schema gives the handler its types, the rows their validation and the documents
 * their text.
 */

import type { Static, TObject } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { int64, text } from '../../http/fields/field-types.ts';
import { bodyChecker } from '../../http/request-body.ts';
import type { IngestKind } from '../../ingest/ingest-kind.ts';
import { type ReportRules, reportProblems, storeReports } from '../../ingest/report-rules.ts';

interface IngestKindDefinition<Row extends TObject> {
  /** In the plural: `thresholdCrossings`. */
  readonly name: string;
  readonly summary: string;
  /** Markdown: the meaning of a row, and the scope in which its id is unique. */
  readonly description: string;
  readonly row: Row;
  readonly example: Static<Row>;
  /** Rules for storing the rows. */
  readonly rules: ReportRules<Static<Row>>;
}

export function defineIngestKind<Row extends TObject>(definition: IngestKindDefinition<Row>): IngestKind {
  const { name, summary, description, rules } = definition;
  const check = bodyChecker(definition.row, 'The row');
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
    problemsOf: (context, rows) => reportProblems(rules, context, rows as readonly Static<Row>[]),
    store: (context, rows) => storeReports(rules, context, rows as readonly Static<Row>[]),
  };
}

/** The limit of the store (event.ts). */
export const MAX_ROW_ID_LENGTH = 128;

export function rowId(description: string) {
  return text(
    `${description} A row whose id is already known counts as a duplicate and changes nothing.`,
    MAX_ROW_ID_LENGTH,
  );
}

export function timeMs(description: string) {
  return int64(`${description} Epoch milliseconds.`, 0, MAX_TIME_MS);
}
