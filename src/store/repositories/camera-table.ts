/**
 * Cameras, with their URLs or, where those are not needed, without. URLs contain credentials and are encrypted, each bound to
 * its row and column.
 */

import type { LongList } from '../../core/long-list.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Camera, CameraRecord } from '../entities.ts';
import { CAMERA_RECORDS, type CameraRow } from '../entity-tables.ts';
import type { FieldCipher, FieldPlace } from '../field-encryption.ts';
import { publishDigestOf } from '../pushed-address.ts';
import type { SqlDatabase } from '../sql-executor.ts';
import type { CameraRepository } from '../store.ts';
import { type OrgMapping, OrgTable } from './org-table.ts';

type UrlColumn = 'rtsp_url_encrypted' | 'substream_url_encrypted' | 'onvif_url_encrypted';

export class CameraTable extends OrgTable<Camera, CameraRow> implements CameraRepository {
  constructor(database: SqlDatabase, changes: ChangeFeed, cipher: FieldCipher) {
    super(database, changes, createCameraMapping(cipher));
  }

  async listRecords(orgUuid: Ruuid): Promise<CameraRecord[]> {
    return (await this.records(orgUuid)).toArray();
  }

  async records(orgUuid: Ruuid): Promise<LongList<CameraRecord>> {
    const query = this.database.build.selectFrom('cameras').select(CAMERA_RECORDS.columns);
    const ofOrg = query.where('org_uuid', '=', orgUuid).orderBy('created_at_ms').orderBy('uuid');
    const rows = await this.database.executor.readLong(ofOrg.compile());
    return rows.map(CAMERA_RECORDS.fromRow);
  }
}

/** Reading fails STORE_FIELD_DAMAGED if a stored URL does not decrypt. */
function createCameraMapping(cipher: FieldCipher): OrgMapping<Camera, CameraRow> {
  return {
    ...CAMERA_RECORDS,
    entity: 'camera',
    toRow: (camera) => toRow(cipher, camera),
    fromRow: (row) => fromRow(cipher, row),
    detailsOf: (camera, before) => ({
      deviceUuid: camera.uuid,
      fields: {
        name: camera.name,
        locationUuid: camera.locationUuid,
        nvrUuid: camera.nvrUuid,
        ...publishKeyChange(camera, before),
        ...maskChange(camera, before),
      },
    }),
  };
}

function publishKeyChange(camera: Camera, before: Camera | null): { publishKeyChange?: 'CREATE' | 'DELETE' } {
  if (before === null) return {};
  const digest = publishDigestOf(camera.rtspUrl);
  if (digest === publishDigestOf(before.rtspUrl)) return {};
  return { publishKeyChange: digest === null ? 'DELETE' : 'CREATE' };
}

function maskChange(
  { masks, masksForViewers }: Camera,
  before: Camera | null,
): { privacyMasks?: number; masksForViewers?: boolean } {
  const hasSameMasks = JSON.stringify(masks) === JSON.stringify(before?.masks ?? []);
  const isSame = hasSameMasks && masksForViewers === (before?.masksForViewers ?? false);
  return isSame ? {} : { privacyMasks: masks.length, masksForViewers };
}

function toRow(cipher: FieldCipher, camera: Camera): CameraRow {
  const { uuid, rtspUrl, substreamUrl, onvifUrl } = camera;
  const sealed = (column: UrlColumn, url: CredentialUrl) =>
    cipher.encrypt(placeOf(uuid, column), url.reveal());
  return {
    ...CAMERA_RECORDS.toRow(camera),
    rtsp_url_encrypted: sealed('rtsp_url_encrypted', rtspUrl),
    substream_url_encrypted: substreamUrl === null ? null : sealed('substream_url_encrypted', substreamUrl),
    onvif_url_encrypted: onvifUrl === null ? null : sealed('onvif_url_encrypted', onvifUrl),
  };
}

function fromRow(cipher: FieldCipher, row: CameraRow): Camera {
  const record = CAMERA_RECORDS.fromRow(row);
  const open = (column: UrlColumn, stored: string) =>
    new CredentialUrl(cipher.decrypt(placeOf(record.uuid, column), stored));
  const { substream_url_encrypted: substream, onvif_url_encrypted: onvif } = row;
  return {
    ...record,
    rtspUrl: open('rtsp_url_encrypted', row.rtsp_url_encrypted),
    substreamUrl: substream === null ? null : open('substream_url_encrypted', substream),
    onvifUrl: onvif === null ? null : open('onvif_url_encrypted', onvif),
  };
}

function placeOf(uuid: Ruuid, column: UrlColumn): FieldPlace {
  return { table: 'cameras', uuid, column };
}
