/** POST /api/ingest/…: one endpoint per kind of report, all alike. An addition of Sluice. */

import { type TSchema, Type } from 'typebox';
import { MAX_INGEST_ROWS } from '../ingest/ingest-batch.ts';
import type { IngestKind } from '../ingest/ingest-kind.ts';
import { int32, listOf, namedType, plainText } from './fields/field-types.ts';
import { defineEndpoint, type Endpoint } from './http/endpoint.ts';
import { INGEST_KINDS } from './ingest-kinds.ts';

const BATCH_RULES =
  'Rows that are not as described are refused one by one and named in `rejected`; the others are stored together. ' +
  'Sending a batch again stores nothing twice. Rows with a known id and another content are named: in `conflicts` if ' +
  'what is stored stays as it is, in `updates` if the row changes it. `sluice import` reads the same rows from a file.';

const REJECTED_ROW_SCHEMA = namedType('RejectedRow', {
  index: int32('Its place in `rows`, from 0.'),
  field: plainText('The field that is wrong; empty when it is the row itself.'),
  reason: plainText('One sentence that names the field.'),
});

/** A row is checked by its kind, so that a wrong one does not turn away the others. */
const ANY_ROW: TSchema = Type.Unsafe<unknown>({});

export const INGEST_ENDPOINTS: readonly Endpoint[] = INGEST_KINDS.map(ingestEndpoint);

function ingestEndpoint(kind: IngestKind): Endpoint {
  const rows = `The rows, at most ${MAX_INGEST_ROWS.toLocaleString('en')}.`;
  return defineEndpoint({
    path: `/api/ingest/${kind.name}`,
    scheme: 'device',
    isExtension: true,
    summary: kind.summary,
    description: `${kind.description} ${BATCH_RULES}`,
    request: Type.Object({ rows: listOf(ANY_ROW, rows, MAX_INGEST_ROWS) }),
    documentedRequest: Type.Object({
      rows: listOf(Type.Unsafe<object>(kind.rowSchema), rows, MAX_INGEST_ROWS),
    }),
    response: {
      acceptedCount: int32('Rows stored now.'),
      duplicateCount: int32('Rows whose ids were known already.'),
      rejected: listOf(REJECTED_ROW_SCHEMA, 'Rows that were refused.'),
      conflicts: listOf(
        REJECTED_ROW_SCHEMA,
        'Duplicates that say something else than what is stored under their ids, which stays as it is.',
      ),
      updates: listOf(
        REJECTED_ROW_SCHEMA,
        'Rows that changed what was stored under their ids, with the first field that did.',
      ),
    },
    example: {
      request: { rows: [kind.exampleRow] },
      response: { acceptedCount: 1, duplicateCount: 0, rejected: [], conflicts: [], updates: [] },
    },
    async handler(context, body) {
      const { orgUuid, services } = context;
      const placeOf = (index: number) => ['rows', index];
      const { remarks, ...outcome } = await services.ingest.take(kind, orgUuid, body.rows, placeOf);
      for (const remark of remarks) context.warn(remark);
      const refused = outcome.rejected.length;
      if (refused > 0) {
        context.warn(`${refused} of ${body.rows.length} rows were refused: \`rejected\` says which and why.`);
      }
      const conflicts = outcome.conflicts.length;
      if (conflicts > 0) {
        context.warn(
          `${conflicts} of ${body.rows.length} rows are not as what is stored under their ids: \`conflicts\` says which and how.`,
        );
      }
      return {
        ...outcome,
        rejected: [...outcome.rejected],
        conflicts: [...outcome.conflicts],
        updates: [...outcome.updates],
      };
    },
  });
}
