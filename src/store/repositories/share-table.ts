/** Shared live streams. */

import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Share } from '../entities.ts';
import { SHARES, type ShareRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ShareRepository } from '../store.ts';
import { ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<Share, ShareRow> = {
  ...SHARES,
  entity: 'share',
  detailsOf: ({
    cameraUuid,
    name,
    streamType,
    expiresAtSec,
    scheduleUuid,
    passwordHash,
    showsUnmasked,
    talk,
  }) => ({
    deviceUuid: cameraUuid,
    fields: {
      name,
      streamType,
      scheduleUuid,
      expirationTimeSecs: expiresAtSec,
      passwordProtected: passwordHash !== null,
      ...(showsUnmasked ? { showsUnmasked } : {}),
      ...(talk ? { talk } : {}),
    },
  }),
};

export class ShareTable extends OrgTable<Share, ShareRow> implements ShareRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, MAPPING);
  }

  async listNewestFirst(orgUuid: Ruuid, limit: number): Promise<LongList<Share>> {
    const query = this.database.build.selectFrom('shares').selectAll().where('org_uuid', '=', orgUuid);
    return this.selectLong(query.orderBy('created_at_ms', 'desc').orderBy('uuid').limit(limit).compile());
  }

  listExpired(orgUuid: Ruuid, beforeSec: number, limit: number): Promise<Share[]> {
    const query = this.database.build.selectFrom('shares').selectAll().where('org_uuid', '=', orgUuid);
    const expired = query.where('expires_at_sec', 'is not', null).where('expires_at_sec', '<', beforeSec);
    return this.select(expired.orderBy('expires_at_sec').orderBy('uuid').limit(limit).compile());
  }

  async listByCamera(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<Share[]> {
    const query = this.database.build.selectFrom('shares').selectAll().where('org_uuid', '=', orgUuid);
    const ofCamera = query.where('camera_uuid', '=', cameraUuid);
    return this.select(ofCamera.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  async listBySchedule(orgUuid: Ruuid, scheduleUuid: Ruuid): Promise<Share[]> {
    const query = this.database.build.selectFrom('shares').selectAll().where('org_uuid', '=', orgUuid);
    const ofSchedule = query.where('schedule_uuid', '=', scheduleUuid);
    return this.select(ofSchedule.orderBy('created_at_ms').orderBy('uuid').compile());
  }

  async scheduled(orgUuid: Ruuid): Promise<{ readonly scheduleUuid: Ruuid; readonly cameraUuid: Ruuid }[]> {
    const query = this.database.build
      .selectFrom('shares')
      .select(['schedule_uuid', 'camera_uuid'])
      .distinct()
      .where('org_uuid', '=', orgUuid)
      .where('schedule_uuid', 'is not', null);
    const [{ rows }] = await this.database.executor.run(query.compile());
    return rows.map((row) => ({
      scheduleUuid: ruuidOf(row.schedule_uuid!),
      cameraUuid: ruuidOf(row.camera_uuid),
    }));
  }
}
