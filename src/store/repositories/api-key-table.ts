/** API keys, by their hashes. */

import type { ChangeFeed } from '../change-feed.ts';
import type { ApiKey, ApiKeyScheme } from '../entities.ts';
import type { ApiKeyRow } from '../entity-tables.ts';
import type { Role } from '../person.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ApiKeyRepository } from '../store.ts';
import { ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<ApiKey, ApiKeyRow> = {
  table: 'api_keys',
  entity: 'apiKey',
  detailsOf: ({ name, revokedAtMs }) => ({
    deviceUuid: null,
    fields: { name, revoked: revokedAtMs !== null },
  }),
  toRow: (key) => ({
    uuid: key.uuid,
    org_uuid: key.orgUuid,
    name: key.name,
    scheme: key.scheme === 'device' ? 'api' : key.scheme,
    devices_only: key.scheme === 'device' ? 1 : 0,
    key_hash: key.keyHash,
    created_at_ms: key.createdAtMs,
    revoked_at_ms: key.revokedAtMs,
    role: key.role,
  }),
  fromRow: (row) => ({
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    name: row.name,
    scheme: row.devices_only === 1 ? 'device' : (row.scheme as ApiKeyScheme),
    keyHash: row.key_hash,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms,
    role: row.role as Role,
  }),
};

export class ApiKeyTable extends OrgTable<ApiKey, ApiKeyRow> implements ApiKeyRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  async findByHash(keyHash: string): Promise<ApiKey | null> {
    const query = this.database.build.selectFrom('api_keys').selectAll().where('key_hash', '=', keyHash);
    return (await this.select(query.compile()))[0] ?? null;
  }
}
