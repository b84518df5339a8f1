/** API keys, by their hashes. */

import type { ChangeFeed } from '../change-feed.ts';
import type { ApiKey } from '../entities.ts';
import { API_KEYS, type ApiKeyRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ApiKeyRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<ApiKey, ApiKeyRow> = {
  ...API_KEYS,
  entity: 'apiKey',
  endedBy: 'revoked_at_ms',
  belongings: ['notificationSettings'],
  detailsOf: ({ name, revokedAtMs }) => ({
    deviceUuid: null,
    fields: { name, revoked: revokedAtMs !== null },
  }),
  toRow: (key) => {
    const devicesOnly = key.scheme === 'device';
    return API_KEYS.toRow({ ...key, scheme: key.scheme === 'device' ? 'api' : key.scheme, devicesOnly });
  },
  fromRow: (row) => {
    const { devicesOnly, ...key } = API_KEYS.fromRow(row);
    return devicesOnly ? { ...key, scheme: 'device' } : key;
  },
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
