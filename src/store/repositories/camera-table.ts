/** Cameras, with their URLs or, where those are not needed, without. */

import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Camera, CameraRecord } from '../entities.ts';
import type { CameraRow } from '../entity-tables.ts';
import type { FieldCipher } from '../field-encryption.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { CameraRepository } from '../store.ts';
import { cameraRecordOf, createCameraMapping, RECORD_COLUMNS } from './camera-mapping.ts';
import { OrgTable } from './org-table.ts';

export class CameraTable extends OrgTable<Camera, CameraRow> implements CameraRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed, cipher: FieldCipher) {
    super(database, changes, createCameraMapping(cipher));
  }

  async listRecords(orgUuid: Ruuid): Promise<CameraRecord[]> {
    return (await this.records(orgUuid)).toArray();
  }

  async records(orgUuid: Ruuid): Promise<LongList<CameraRecord>> {
    const query = this.database.build.selectFrom('cameras').select(RECORD_COLUMNS);
    const ofOrg = query.where('org_uuid', '=', orgUuid).orderBy('created_at_ms').orderBy('uuid');
    const rows = await this.database.executor.readLong(ofOrg.compile());
    return rows.map(cameraRecordOf);
  }
}
