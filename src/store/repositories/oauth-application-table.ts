/** OAuth applications. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { OAUTH_APPLICATIONS, type OAuthApplicationRow } from '../entity-tables.ts';
import type { OAuthApplication } from '../oauth.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { OAuthApplicationRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<OAuthApplication, OAuthApplicationRow> = {
  ...OAUTH_APPLICATIONS,
  entity: 'oauthApplication',
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
