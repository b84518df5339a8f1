/** API keys, by their hashes, and when they were last used. */

import { sql } from 'kysely';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import {
  type ApiKey,
  KEY_USE_STEP_MS,
  KEY_USES_MIGRATION,
  type KeyUse,
  type NotedKeyUses,
} from '../entities.ts';
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

  async noteUses(uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return;
    const { build, executor } = this.database;
    const statements = uses.map(({ keyUuid, atMs }) =>
      sql`insert into api_key_uses (key_uuid, org_uuid, last_used_at_ms)
        select uuid, org_uuid, ${atMs} from api_keys where uuid = ${keyUuid}
        on conflict (key_uuid) do update set last_used_at_ms = excluded.last_used_at_ms
        where excluded.last_used_at_ms >= api_key_uses.last_used_at_ms + ${KEY_USE_STEP_MS}`.compile(build),
    );
    await executor.run(...statements);
  }

  async lastUses(orgUuid: Ruuid): Promise<NotedKeyUses> {
    const { build, executor } = this.database;
    const [uses, upgrade] = await executor.run(
      build
        .selectFrom('api_key_uses')
        .select(['key_uuid', 'last_used_at_ms'])
        .where('org_uuid', '=', orgUuid)
        .compile(),
      build
        .selectFrom('schema_history')
        .select('applied_at_ms')
        .where('name', '=', KEY_USES_MIGRATION)
        .compile(),
    );
    return {
      sinceMs: upgrade.rows[0]?.applied_at_ms ?? 0,
      lastMs: new Map(uses.rows.map(({ key_uuid, last_used_at_ms }) => [key_uuid as Ruuid, last_used_at_ms])),
    };
  }
}
