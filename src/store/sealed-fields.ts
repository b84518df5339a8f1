/**
 * Fields of bodies that contain secrets: encrypted at rest like `secret`, in a column of their own. The path and the query of a
 * webhook's URL are how its host knows the caller.
 */

import { type CompiledQuery, sql } from 'kysely';
import type { ResourceRow } from './entity-tables.ts';
import type { FieldCipher } from './field-encryption.ts';
import type { ResourceKindName } from './resource.ts';
import { type ColumnsOf, json, rowMapping } from './row-mapping.ts';
import type { SqlDatabase } from './sql-executor.ts';

const OPEN_FIELDS = rowMapping('resources', { body: json('body_json') } satisfies ColumnsOf<{
  body: object;
}>);

type SealedBody = Pick<ResourceRow, 'body_json' | 'sealed_encrypted'>;

/** Kinds that earlier versions wrote in plain text are in UNSEALED_RESOURCES too. */
const SEALED_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  emergencyPartner: ['webhookUrl'],
  webhook: ['url'],
  webhookDelivery: ['url'],
} satisfies Partial<Record<ResourceKindName, readonly string[]>>;

/** Rows that earlier versions wrote. In SQL, as in their index (migration 36): released, so it never changes. */
export const UNSEALED_RESOURCES = `sealed_encrypted is null and kind in ('webhook', 'webhookDelivery')`;

/** More in one transaction would delay everyone else's. */
const MAX_SEALED_TOGETHER = 500;

/** The columns of a body. */
export function sealedBody(
  { kind, uuid, body }: { readonly kind: string; readonly uuid: string; readonly body: object },
  cipher: FieldCipher,
): SealedBody {
  const fields = SEALED_FIELDS[kind];
  if (fields === undefined) return { body_json: JSON.stringify(body), sealed_encrypted: null };
  const entries = Object.entries(body);
  const [sealed, open] = [true, false].map((isSealed) =>
    JSON.stringify(Object.fromEntries(entries.filter(([name]) => fields.includes(name) === isSealed))),
  ) as [string, string];
  return { body_json: open, sealed_encrypted: cipher.encrypt(placeOf(uuid), sealed) };
}

/** The body of a row, also of one that an earlier version wrote. Fails STORE_FIELD_DAMAGED. */
export function openedBody(row: SealedBody & Pick<ResourceRow, 'uuid'>, cipher: FieldCipher): object {
  const { body: open } = OPEN_FIELDS.fromRow(row);
  if (row.sealed_encrypted === null) return open;
  return { ...open, ...(JSON.parse(cipher.decrypt(placeOf(row.uuid), row.sealed_encrypted)) as object) };
}

/** Encrypts what earlier versions wrote in plain text. Another process may do the same at this moment. */
export async function sealEarlierFields(
  { build, executor }: SqlDatabase,
  cipher: FieldCipher,
): Promise<void> {
  const select = build
    .selectFrom('resources')
    .selectAll()
    .where(sql.raw<boolean>(UNSEALED_RESOURCES))
    .limit(MAX_SEALED_TOGETHER)
    .compile();
  for (;;) {
    const [{ rows }] = await executor.run(select);
    if (rows.length === 0) return;
    await executor.run(...(rows.map(sealing) as [CompiledQuery, ...CompiledQuery[]]));
  }

  function sealing(row: ResourceRow): CompiledQuery {
    const { kind, uuid, org_uuid: orgUuid, body_json: bodyJson } = row;
    const { body } = OPEN_FIELDS.fromRow(row);
    return build
      .updateTable('resources')
      .set(sealedBody({ kind, uuid, body }, cipher))
      .where('kind', '=', kind)
      .where('uuid', '=', uuid)
      .where('org_uuid', '=', orgUuid)
      .where('body_json', '=', bodyJson)
      .compile();
  }
}

function placeOf(uuid: string) {
  return { table: 'resources', uuid, column: 'sealed_encrypted' };
}
