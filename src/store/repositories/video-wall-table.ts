/** Video walls and their shares. Cameras, settings and schedules by camera are JSON: they are only ever used together. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { VideoWall, WallShare } from '../entities.ts';
import { VIDEO_WALLS, type VideoWallRow, WALL_SHARES, type WallShareRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { WallShareRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

export const VIDEO_WALL_MAPPING: OrgMapping<VideoWall, VideoWallRow> = {
  ...VIDEO_WALLS,
  entity: 'videoWall',
  detailsOf: ({ name, cameras }) => ({ deviceUuid: null, fields: { name, cameras: cameras.length } }),
};

const SHARE_MAPPING: OrgMapping<WallShare, WallShareRow> = {
  ...WALL_SHARES,
  entity: 'wallShare',
  detailsOf: ({ wallUuid, expiresAtSec, scheduleUuid, passwordHash, showsUnmasked }) => ({
    deviceUuid: null,
    fields: {
      videoWallUuid: wallUuid,
      scheduleUuid,
      expirationTimeSecs: expiresAtSec,
      passwordProtected: passwordHash !== null,
      ...(showsUnmasked ? { showsUnmasked } : {}),
    },
  }),
};

export class WallShareTable extends OrgTable<WallShare, WallShareRow> implements WallShareRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed) {
    super(database, changes, SHARE_MAPPING);
  }

  async listByWall(orgUuid: Ruuid, wallUuid: Ruuid): Promise<WallShare[]> {
    const query = this.database.build.selectFrom('wall_shares').selectAll().where('org_uuid', '=', orgUuid);
    const ofWall = query.where('wall_uuid', '=', wallUuid);
    return this.select(ofWall.orderBy('created_at_ms').orderBy('uuid').compile());
  }
}
