/** Video walls and their shares. Cameras, settings and schedules by camera are JSON: they are only ever used together. */

import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { VideoWall, WallShare } from '../entities.ts';
import type { VideoWallRow, WallShareRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { WallShareRepository } from '../store.ts';
import { bitOf, optionalRuuidOf, ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

export const VIDEO_WALL_MAPPING: OrgMapping<VideoWall, VideoWallRow> = {
  table: 'video_walls',
  entity: 'videoWall',
  detailsOf: ({ name, cameras }) => ({ deviceUuid: null, fields: { name, cameras: cameras.length } }),
  toRow: (wall) => ({
    uuid: wall.uuid,
    org_uuid: wall.orgUuid,
    name: wall.name,
    cameras_json: JSON.stringify(wall.cameras),
    owner_user_uuid: wall.ownerUserUuid,
    others_can_edit: bitOf(wall.othersCanEdit),
    is_shared: bitOf(wall.isShared),
    settings_json: JSON.stringify(wall.settings),
    created_at_ms: wall.createdAtMs,
    updated_at_ms: wall.updatedAtMs,
  }),
  fromRow: (row) => ({
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    name: row.name,
    cameras: JSON.parse(row.cameras_json),
    ownerUserUuid: optionalRuuidOf(row.owner_user_uuid),
    othersCanEdit: row.others_can_edit === 1,
    isShared: row.is_shared === 1,
    settings: JSON.parse(row.settings_json),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }),
};

const SHARE_MAPPING: OrgMapping<WallShare, WallShareRow> = {
  table: 'wall_shares',
  entity: 'wallShare',
  detailsOf: ({ wallUuid, expiresAtSec, scheduleUuid, passwordHash }) => ({
    deviceUuid: null,
    fields: {
      videoWallUuid: wallUuid,
      scheduleUuid,
      expirationTimeSecs: expiresAtSec,
      passwordProtected: passwordHash !== null,
    },
  }),
  toRow: (share) => ({
    uuid: share.uuid,
    org_uuid: share.orgUuid,
    wall_uuid: share.wallUuid,
    vod_enabled: bitOf(share.vodEnabled),
    expires_at_sec: share.expiresAtSec,
    schedule_uuid: share.scheduleUuid,
    invert_schedule: bitOf(share.invertSchedule),
    unscheduled_message: share.unscheduledMessage,
    device_schedules_json: JSON.stringify(share.deviceSchedules),
    password_hash: share.passwordHash,
    access_epoch: share.accessEpoch,
    created_at_ms: share.createdAtMs,
    updated_at_ms: share.updatedAtMs,
  }),
  fromRow: (row) => ({
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    wallUuid: ruuidOf(row.wall_uuid),
    vodEnabled: row.vod_enabled === 1,
    expiresAtSec: row.expires_at_sec,
    scheduleUuid: optionalRuuidOf(row.schedule_uuid),
    invertSchedule: row.invert_schedule === 1,
    unscheduledMessage: row.unscheduled_message,
    deviceSchedules: JSON.parse(row.device_schedules_json),
    passwordHash: row.password_hash,
    accessEpoch: row.access_epoch,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
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
