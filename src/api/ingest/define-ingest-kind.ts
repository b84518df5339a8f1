/**
 * Declares a kind of report: its rows' schema gives the handler its types, the rows their validation and the documents
 * their text.
 */

import type { Static, TObject } from 'typebox';
import { bodyChecker } from '../../http/request-body.ts';
import type { IngestKind } from '../../ingest/ingest-kind.ts';
import { type ReportRules, reportProblems, storeReports } from '../../ingest/report-rules.ts';

export interface IngestKindDefinition<Row extends TObject> {
  /** In the plural: `thresholdCrossings`. */
  readonly name: string;
  readonly summary: string;
  /** Markdown: what a row is, and within what its id is unique. */
  readonly description: string;
  readonly row: Row;
  readonly example: Static<Row>;
  /** What happens to the rows. */
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
