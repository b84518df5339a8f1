/** OAuth applications. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { OAuthApplicationRow } from '../entity-tables.ts';
import type { OAuthApplication } from '../oauth.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { OAuthApplicationRepository } from '../store.ts';
import { ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

/** The column takes no null. */
const NO_SECRET = '';

const MAPPING: OrgMapping<OAuthApplication, OAuthApplicationRow> = {
  table: 'oauth_applications',
  entity: 'oauthApplication',
  toRow: (application) => ({
    uuid: application.uuid,
    org_uuid: application.orgUuid,
    name: application.name,
    description: application.description,
    contact_email: application.contactEmail,
    redirect_uri: application.redirectUri,
    secret_hash: application.secretHash ?? NO_SECRET,
    created_at_ms: application.createdAtMs,
    updated_at_ms: application.updatedAtMs,
  }),
  fromRow: (row) => ({
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    name: row.name,
    description: row.description,
    contactEmail: row.contact_email,
    redirectUri: row.redirect_uri,
    secretHash: row.secret_hash === NO_SECRET ? null : row.secret_hash,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }),
};

export class OAuthApplicationTable
  extends OrgTable<OAuthApplication, OAuthApplicationRow>
  implements OAuthApplicationRepository
{
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  async findByClientId(clientUuid: Ruuid): Promise<OAuthApplication | null> {
    const query = this.database.build.selectFrom('oauth_applications').selectAll();
    return (await this.select(query.where('uuid', '=', clientUuid).compile()))[0] ?? null;
  }
}
