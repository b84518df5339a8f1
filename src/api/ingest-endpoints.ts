/** POST /api/ingest/…: one endpoint per kind of report, all built the same way. Specific to Sluice. */

import { type TSchema, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { int32, listOf, namedType, plainText } from '../http/fields/field-types.ts';
import { MAX_INGEST_ROWS } from '../ingest/ingest-batch.ts';
import type { IngestKind } from '../ingest/ingest-kind.ts';
import { INGEST_KINDS } from './ingest-kinds.ts';

const BATCH_RULES =
  'Invalid rows are refused one by one and named in `rejected`; the others are stored together. Sending a batch ' +
  'again stores nothing twice. Rows with a known id but different content are named: in `conflicts` if the stored ' +
  'row does not change, in `updates` if it does. `sluice import` reads the same rows from a file.';

const REJECTED_ROW_SCHEMA = namedType('RejectedRow', {
  index: int32('Its index in `rows`, from 0.'),
  field: plainText('The invalid field; empty if the row itself is invalid.'),
  reason: plainText('A sentence that names the field.'),
});

/** Each row is checked against its kind, so that an invalid one does not reject the others. */
const ANY_ROW: TSchema = Type.Unsafe<unknown>({});

export const INGEST_ENDPOINTS: readonly Endpoint[] = INGEST_KINDS.map(ingestEndpoint);

function ingestEndpoint(kind: IngestKind): Endpoint {
  const rows = `The rows, at most ${MAX_INGEST_ROWS.toLocaleString('en')}.`;
  return defineEndpoint({
    path: `/api/ingest/${kind.name}`,
    scheme: 'device',
    isExtension: true,
    repetition: 'own-ids',
    summary: kind.summary,
    description: `${kind.description} ${BATCH_RULES}`,
    request: Type.Object({ rows: listOf(ANY_ROW, rows, MAX_INGEST_ROWS) }),
    documentedRequest: Type.Object({
      rows: listOf(Type.Unsafe<object>(kind.rowSchema), rows, MAX_INGEST_ROWS),
    }),
    response: {
      acceptedCount: int32('Rows that were stored.'),
      duplicateCount: int32('Rows whose ids were already known.'),
      rejected: listOf(REJECTED_ROW_SCHEMA, 'Rows that were refused.'),
      conflicts: listOf(
        REJECTED_ROW_SCHEMA,
        'Duplicates that differ from what is stored under their ids. The stored row does not change.',
      ),
      updates: listOf(
        REJECTED_ROW_SCHEMA,
        'Rows that changed what was stored under their ids, with the first field that changed.',
      ),
    },
    example: {
      request: { rows: [kind.exampleRow] },
      response: { acceptedCount: 1, duplicateCount: 0, rejected: [], conflicts: [], updates: [] },
    },
    async handler(context, body) {
      const { orgUuid, caller, services } = context;
      const reporter = { orgUuid, credentialUuid: caller.actor.uuid };
      const placeOf = (index: number) => ['rows', index];
      const { remarks, ...outcome } = await services.ingest.take(kind, reporter, body.rows, placeOf);
      for (const remark of remarks) context.warn(remark);
      const refused = outcome.rejected.length;
      if (refused > 0) {
        context.warn(`${refused} of ${body.rows.length} rows were refused: \`rejected\` says which and why.`);
      }
      const conflicts = outcome.conflicts.length;
      if (conflicts > 0) {
        context.warn(
          `${conflicts} of ${body.rows.length} rows differ from what is stored under their ids: \`conflicts\` says ` +
            'which and how.',
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
