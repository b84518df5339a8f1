/**
 * The tables, as the query builder sees them: what both SQLite and PostgreSQL can store. Booleans are 0 or 1, lists are
 * JSON text, encrypted columns are base64 text (field-encryption.ts), times are integers.
 */

/** The columns that every table of an organization's entities has. */
export interface OrgRow {
  uuid: string;
  org_uuid: string;
  created_at_ms: number;
}

export interface OrganizationRow {
  uuid: string;
  name: string;
  partner_uuid: string | null;
  created_at_ms: number;
  camera_networks: string;
}

export interface ApiKeyRow extends OrgRow {
  name: string;
  scheme: string;
  key_hash: string;
  revoked_at_ms: number | null;
  /** 1: a key of scheme `device`, whose `scheme` column says `api`. */
  devices_only: number;
  role: string;
}

export interface PersonRow extends OrgRow {
  name: string;
  email: string | null;
  /** The address in the form in which addresses are compared (person.ts). */
  email_key: string | null;
  role: string;
  password_hash: string | null;
  disabled: number;
  last_sign_in_at_ms: number | null;
}

export interface ConsoleSessionRow extends OrgRow {
  person_uuid: string;
  token_hash: string;
  method: string;
  address: string;
  user_agent: string | null;
  confirmed_at_ms: number;
  last_seen_at_ms: number;
  provider_subject_uuid: string | null;
  provider_session_uuid: string | null;
  provider_issued_at_sec: number | null;
}

export interface EndedViewRow {
  org_uuid: string;
  link_uuid: string;
  kind: string;
  subject: string;
  until_ms: number;
}

export interface PasskeyRow extends OrgRow {
  person_uuid: string;
  name: string;
  rp_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  transports_json: string;
  synced: number;
  backed_up: number;
  last_used_at_ms: number | null;
}

export interface PasskeyChallengeRow {
  challenge_hash: string;
  browser_hash: string;
  address: string;
  purpose: string;
  subject_uuid: string | null;
  expires_at_ms: number;
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
  from_config: number;
  parent_uuid: string | null;
  policy_uuid: string | null;
  labels_json: string;
}

export interface NvrRow extends OrgRow {
  location_uuid: string | null;
  name: string;
  serial_number: string | null;
  mummified: number;
  from_config: number;
}

export interface CameraRow extends OrgRow {
  location_uuid: string | null;
  nvr_uuid: string | null;
  kind: string;
  name: string;
  rtsp_url_encrypted: string;
  substream_url_encrypted: string | null;
  onvif_url_encrypted: string | null;
  engine: string;
  transport: string;
  audio: string;
  tls: string;
  clock: string;
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
  cdn: number | null;
  expires_at_sec: number | null;
  schedule_uuid: string | null;
  invert_schedule: number;
  password_hash: string | null;
  access_epoch: number;
  updated_at_ms: number;
}

export interface VideoWallRow extends OrgRow {
  name: string;
  cameras_json: string;
  owner_user_uuid: string | null;
  others_can_edit: number;
  is_shared: number;
  settings_json: string;
  updated_at_ms: number;
}

export interface WallShareRow extends OrgRow {
  wall_uuid: string;
  vod_enabled: number;
  expires_at_sec: number | null;
  schedule_uuid: string | null;
  invert_schedule: number;
  unscheduled_message: string | null;
  device_schedules_json: string;
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
  /** Fields that body_json lacks. */
  sealed_encrypted: string | null;
}

export interface EventRow {
  org_uuid: string;
  kind: string;
  event_id: string;
  device_uuid: string;
  at_ms: number;
  body_json: string;
  location_uuid: string | null;
  /** 1: it has not taken effect yet. */
  is_unfinished: number;
  acknowledgement_json: string | null;
  /** Who makes it take effect, of several gateways; null: no one. */
  claimed_by: string | null;
  claimed_until_ms: number | null;
  /** The credential that reported it; '': not known. */
  reported_by: string;
}

export interface StoredUseRow {
  org_uuid: string;
  kind: string;
  /** Who makes room: a credential, or a device of the report tables; '': all rows of the kind. */
  holder: string;
  /** Sums of several rows count. */
  shard: number;
  row_count: number;
  byte_count: number;
}

export interface LeaseRow {
  name: string;
  owner: string;
  /** Of this taking. */
  fence: number;
  until_ms: number;
}

export interface GatewayRunRow {
  uuid: string;
  started_at_ms: number;
  last_seen_at_ms: number;
}

export interface ReportingDeviceRow {
  device_key: number;
  org_uuid: string;
  device_uuid: string;
  facet: string;
}

export interface CrossingRow {
  device_key: number;
  event_id: string;
  at_ms: number;
  object_type: number;
  direction: number;
  object_id: number;
  /** When the same object crossed before in the same direction; -1: never. */
  previous_at_ms: number;
}

export interface CrossingQuarterHourRow {
  device_key: number;
  quarter_hour: number;
  object_type: number;
  ingress_count: number;
  egress_count: number;
}

export interface OccupancyCountRow {
  device_key: number;
  event_id: string;
  at_ms: number;
  occupancy: number;
}

export interface AuditEventRow {
  uuid: string;
  org_uuid: string;
  at_ms: number;
  action: string;
  target_uuid: string;
  target_name: string;
  principal_type: string;
  principal_uuid: string | null;
  principal_name: string;
  source_ip: string | null;
  user_agent: string | null;
  /** How many views it covers. */
  occurrences: number;
  /** The time of the last one; null: it covers one view. */
  last_at_ms: number | null;
}

export interface OAuthApplicationRow extends OrgRow {
  name: string;
  description: string | null;
  contact_email: string | null;
  redirect_uri: string;
  secret_hash: string;
  updated_at_ms: number;
}

export interface OAuthGrantRow extends OrgRow {
  client_uuid: string;
  key_uuid: string;
  key_org_uuid: string;
  code_challenge: string;
  redirect_uri: string | null;
}

export interface OAuthTokenRow {
  token_hash: string;
  grant_uuid: string;
  kind: string;
  expires_at_ms: number;
  used_at_ms: number | null;
  /** The first token that it was exchanged for: shows which of several simultaneous exchanges won. */
  successor_hash: string | null;
}

export interface StreamLedgerRow {
  camera_uuid: string;
  rendition: string;
  next_media_sequence_number: number;
  next_discontinuity_sequence: number;
  init_fingerprint: string | null;
}

export interface ClusterLeaseRow {
  camera_uuid: string;
  fence: number;
  node_id: string | null;
  run_id: string | null;
}

export interface ClusterRelianceRow {
  run_id: string;
  node_id: string;
  address: string;
  beat: number;
  alive_ms: number;
}

export interface RecordingRow {
  camera_uuid: string;
  rendition: string;
  number: number;
  start_ms: number;
  end_ms: number;
  byte_length: number;
  segments_json: string;
  purpose: string;
}

export interface UploadRow {
  uuid: string;
  org_uuid: string;
  key_uuid: string;
  camera_uuid: string;
  clip_id: string;
  title: string;
  file_type: string;
  sha256: string | null;
  start_ms: number;
  byte_length: number;
  synced_bytes: number;
  state: string;
  refusal: string | null;
  recording_number: number | null;
  duration_ms: number | null;
  created_at_ms: number;
  updated_at_ms: number;
  node_id: string;
}

export interface CameraOwnerRow {
  camera_uuid: string;
  org_uuid: string;
}

export interface RecordingNumberRow {
  camera_uuid: string;
  rendition: string;
  next_number: number;
}

export interface RecordingBlockRow {
  camera_uuid: string;
  rendition: string;
  end_number: number;
  first_number: number;
  node_id: string;
  run_id: string;
}

export interface StoreMetaRow {
  name: string;
  value: string;
}

/** Tables whose rows belong to one organization each. */
export interface OrgTables {
  api_keys: ApiKeyRow;
  locations: LocationRow;
  nvrs: NvrRow;
  cameras: CameraRow;
  shares: ShareRow;
  schedules: ScheduleRow;
  video_walls: VideoWallRow;
  wall_shares: WallShareRow;
  oauth_applications: OAuthApplicationRow;
  people: PersonRow;
  console_sessions: ConsoleSessionRow;
  ended_views: EndedViewRow;
  passkeys: PasskeyRow;
}

export interface Tables extends OrgTables {
  organisations: OrganizationRow;
  resources: ResourceRow;
  events: EventRow;
  stored_use: StoredUseRow;
  gateway_runs: GatewayRunRow;
  leases: LeaseRow;
  reporting_devices: ReportingDeviceRow;
  crossings: CrossingRow;
  crossing_quarter_hours: CrossingQuarterHourRow;
  occupancy_counts: OccupancyCountRow;
  audit_events: AuditEventRow;
  oauth_grants: OAuthGrantRow;
  oauth_tokens: OAuthTokenRow;
  stream_ledger: StreamLedgerRow;
  cluster_leases: ClusterLeaseRow;
  cluster_reliances: ClusterRelianceRow;
  recordings: RecordingRow;
  camera_owners: CameraOwnerRow;
  recording_numbers: RecordingNumberRow;
  recording_blocks: RecordingBlockRow;
  uploads: UploadRow;
  passkey_challenges: PasskeyChallengeRow;
  store_meta: StoreMetaRow;
}
