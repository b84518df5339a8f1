/** Shared live streams. */

import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Share, StreamType } from '../entities.ts';
import type { ShareRow } from '../entity-tables.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { ShareRepository } from '../store.ts';
import { bitOf, optionalRuuidOf, ruuidOf } from './columns.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

const MAPPING: OrgMapping<Share, ShareRow> = {
  table: 'shares',
  entity: 'share',
  toRow: shareToRow,
  fromRow: shareFromRow,
  detailsOf: ({ cameraUuid, name, streamType, expiresAtSec, scheduleUuid, passwordHash }) => ({
    deviceUuid: cameraUuid,
    fields: {
      ...{ name, streamType, scheduleUuid },
      expirationTimeSecs: expiresAtSec,
      passwordProtected: passwordHash !== null,
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
}

function shareToRow(share: Share): ShareRow {
  return {
    uuid: share.uuid,
    org_uuid: share.orgUuid,
    camera_uuid: share.cameraUuid,
    camera_facet: share.cameraFacet,
    name: share.name,
    stream_type: share.streamType,
    vod_enabled: bitOf(share.vodEnabled),
    include_audio: bitOf(share.includeAudio),
    audio_gateway_uuid: share.audioGatewayUuid,
    sso_protected: bitOf(share.ssoProtected),
    cdn: share.cdn === null ? null : bitOf(share.cdn),
    expires_at_sec: share.expiresAtSec,
    schedule_uuid: share.scheduleUuid,
    invert_schedule: bitOf(share.invertSchedule),
    password_hash: share.passwordHash,
    access_epoch: share.accessEpoch,
    created_at_ms: share.createdAtMs,
    updated_at_ms: share.updatedAtMs,
  };
}

/** A row of `shares` as the entity. */
export function shareFromRow(row: ShareRow): Share {
  return {
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    cameraUuid: ruuidOf(row.camera_uuid),
    cameraFacet: row.camera_facet,
    name: row.name,
    streamType: row.stream_type as StreamType,
    vodEnabled: row.vod_enabled === 1,
    includeAudio: row.include_audio === 1,
    audioGatewayUuid: row.audio_gateway_uuid,
    ssoProtected: row.sso_protected === 1,
    cdn: row.cdn === null ? null : row.cdn === 1,
    expiresAtSec: row.expires_at_sec,
    scheduleUuid: optionalRuuidOf(row.schedule_uuid),
    invertSchedule: row.invert_schedule === 1,
    passwordHash: row.password_hash,
    accessEpoch: row.access_epoch,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
