/**
 * The tables as the query builder sees them: what SQLite and PostgreSQL can both hold. Booleans are 0 or 1, lists
 * are JSON text, encrypted columns are base64 text (field-encryption.ts), times are integers.
 */

/** What every table of an organisation's entities has. */
export interface OrgRow {
  uuid: string;
  org_uuid: string;
  created_at_ms: number;
}

export interface OrganisationRow {
  uuid: string;
  name: string;
  partner_uuid: string | null;
  created_at_ms: number;
}

export interface ApiKeyRow extends OrgRow {
  name: string;
  scheme: string;
  key_hash: string;
  revoked_at_ms: number | null;
}

export interface LocationRow extends OrgRow {
  name: string;
  tz: string;
  latitude: number | null;
  longitude: number | null;
  address1: string | null;
  address2: string | null;
  postal_code: string | null;
  country_code: string | null;
}

export interface NvrRow extends OrgRow {
  location_uuid: string | null;
  name: string;
  serial_number: string | null;
  mummified: number;
}

export interface CameraRow extends OrgRow {
  location_uuid: string | null;
  nvr_uuid: string | null;
  kind: string;
  name: string;
  rtsp_url_encrypted: string;
  substream_url_encrypted: string | null;
  engine: string;
  transport: string;
  mummified: number;
  from_config: number;
}

export interface ShareRow extends OrgRow {
  camera_uuid: string;
  camera_facet: string;
  name: string;
  stream_type: string;
  vod_enabled: number;
  include_audio: number;
  audio_gateway_uuid: string | null;
  sso_protected: number;
  expires_at_sec: number | null;
  schedule_uuid: string | null;
  invert_schedule: number;
  password_hash: string | null;
  access_epoch: number;
  updated_at_ms: number;
}

export interface ScheduleRow extends OrgRow {
  name: string;
  mutable: number;
  one_time_use: number;
  strategy: string;
  intervals_json: string;
  updated_at_ms: number;
}

export interface ResourceRow extends OrgRow {
  kind: string;
  name: string;
  parent_uuid: string | null;
  body_json: string;
  secret_encrypted: string | null;
  updated_at_ms: number;
}

export interface EventRow {
  org_uuid: string;
  kind: string;
  event_id: string;
  device_uuid: string;
  at_ms: number;
  body_json: string;
}

export interface StreamLedgerRow {
  camera_uuid: string;
  rendition: string;
  next_media_sequence_number: number;
  next_discontinuity_sequence: number;
  init_fingerprint: string | null;
}

export interface StoreMetaRow {
  name: string;
  value: string;
}

/** Tables whose rows belong to one organisation each. */
export interface OrgTables {
  api_keys: ApiKeyRow;
  locations: LocationRow;
  nvrs: NvrRow;
  cameras: CameraRow;
  shares: ShareRow;
  schedules: ScheduleRow;
}

export interface Tables extends OrgTables {
  organisations: OrganisationRow;
  resources: ResourceRow;
  events: EventRow;
  stream_ledger: StreamLedgerRow;
  store_meta: StoreMetaRow;
}
