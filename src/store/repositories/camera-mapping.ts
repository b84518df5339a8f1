/** Cameras. Their URLs contain credentials and are encrypted, each bound to its row and column. */

import type { Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type {
  AudioChoice,
  Camera,
  CameraKind,
  CameraRecord,
  ClockChoice,
  EngineChoice,
  TransportChoice,
} from '../entities.ts';
import type { CameraRow } from '../entity-tables.ts';
import type { FieldCipher, FieldPlace } from '../field-encryption.ts';
import { publishDigestOf } from '../pushed-address.ts';
import { bitOf, optionalRuuidOf, ruuidOf } from './columns.ts';
import type { OrgMapping } from './org-table.ts';

/** The columns of a CameraRecord. */
export const RECORD_COLUMNS = [
  ...([
    'uuid',
    'org_uuid',
    'location_uuid',
    'nvr_uuid',
    'kind',
    'name',
    'engine',
    'transport',
    'audio',
    'tls',
    'clock',
  ] as const),
  ...(['created_at_ms', 'mummified', 'from_config'] as const),
] as const;

type UrlColumn = 'rtsp_url_encrypted' | 'substream_url_encrypted' | 'onvif_url_encrypted';

/** Reading fails STORE_FIELD_DAMAGED if a stored URL does not decrypt. */
export function createCameraMapping(cipher: FieldCipher): OrgMapping<Camera, CameraRow> {
  return {
    table: 'cameras',
    entity: 'camera',
    toRow: (camera) => toRow(cipher, camera),
    fromRow: (row) => fromRow(cipher, row),
    detailsOf: (camera, before) => ({
      deviceUuid: camera.uuid,
      fields: {
        ...{ name: camera.name, locationUuid: camera.locationUuid, nvrUuid: camera.nvrUuid },
        ...publishKeyChange(camera, before),
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

function toRow(cipher: FieldCipher, camera: Camera): CameraRow {
  const { uuid, rtspUrl, substreamUrl, onvifUrl } = camera;
  const sealed = (column: UrlColumn, url: CredentialUrl) =>
    cipher.encrypt(placeOf(uuid, column), url.reveal());
  return {
    uuid,
    org_uuid: camera.orgUuid,
    location_uuid: camera.locationUuid,
    nvr_uuid: camera.nvrUuid,
    kind: camera.kind,
    name: camera.name,
    rtsp_url_encrypted: sealed('rtsp_url_encrypted', rtspUrl),
    substream_url_encrypted: substreamUrl === null ? null : sealed('substream_url_encrypted', substreamUrl),
    onvif_url_encrypted: onvifUrl === null ? null : sealed('onvif_url_encrypted', onvifUrl),
    engine: camera.engine,
    transport: camera.transport,
    audio: camera.audio,
    tls: camera.tls,
    clock: camera.clock,
    created_at_ms: camera.createdAtMs,
    mummified: bitOf(camera.mummified),
    from_config: bitOf(camera.fromConfig),
  };
}

function fromRow(cipher: FieldCipher, row: CameraRow): Camera {
  const uuid = ruuidOf(row.uuid);
  const open = (column: UrlColumn, stored: string) =>
    new CredentialUrl(cipher.decrypt(placeOf(uuid, column), stored));
  const { substream_url_encrypted: substream, onvif_url_encrypted: onvif } = row;
  return {
    ...cameraRecordOf(row),
    rtspUrl: open('rtsp_url_encrypted', row.rtsp_url_encrypted),
    substreamUrl: substream === null ? null : open('substream_url_encrypted', substream),
    onvifUrl: onvif === null ? null : open('onvif_url_encrypted', onvif),
  };
}

export function cameraRecordOf(row: Pick<CameraRow, (typeof RECORD_COLUMNS)[number]>): CameraRecord {
  return {
    uuid: ruuidOf(row.uuid),
    orgUuid: ruuidOf(row.org_uuid),
    locationUuid: optionalRuuidOf(row.location_uuid),
    nvrUuid: optionalRuuidOf(row.nvr_uuid),
    kind: row.kind as CameraKind,
    name: row.name,
    engine: row.engine as EngineChoice,
    transport: row.transport as TransportChoice,
    audio: row.audio as AudioChoice,
    tls: row.tls,
    clock: row.clock as ClockChoice,
    createdAtMs: row.created_at_ms,
    mummified: row.mummified === 1,
    fromConfig: row.from_config === 1,
  };
}

function placeOf(uuid: Ruuid, column: UrlColumn): FieldPlace {
  return { table: 'cameras', uuid, column };
}
