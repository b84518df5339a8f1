/** The tables, as the query builder sees them: what both SQLite and PostgreSQL can store. */

import type {
  ApiKeyRow,
  AuditEventRow,
  CameraRow,
  ClusterRelianceRow,
  ConsoleSessionRow,
  EndedViewRow,
  EventRow,
  GatewayRunRow,
  LocationRow,
  NvrRow,
  OAuthApplicationRow,
  OAuthGrantRow,
  OAuthTokenRow,
  OrganizationRow,
  PasskeyChallengeRow,
  PasskeyRow,
  PersonRow,
  RecordingBlockRow,
  RecordingHoldRow,
  RecordingRow,
  ResourceRow,
  ScheduleRow,
  ShareRow,
  SigningCertificateRow,
  StreamLedgerRow,
  UploadRow,
  VideoWallRow,
  WallShareRow,
} from './entity-tables.ts';

export interface OrgRow {
  uuid: string;
  org_uuid: string;
  created_at_ms: number;
}

export interface StoredUseRow {
  org_uuid: string;
  kind: string;
  /** The holder of rows, which makes room: a credential, or a device of the report tables; '': all rows of the kind. */
  holder: string;
  /** Sums of several rows count. */
  shard: number;
  row_count: number;
  byte_count: number;
}

export interface LeaseRow {
  name: string;
  owner: string;
  /** The fence of this taking. */
  fence: number;
  until_ms: number;
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

export interface ClusterLeaseRow {
  camera_uuid: string;
  fence: number;
  node_id: string | null;
  run_id: string | null;
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

export interface StoreMetaRow {
  name: string;
  value: string;
}

/** Tables whose rows belong to one organization each. */
export interface OrgTables {
  schema_history: { readonly name: string; readonly applied_at_ms: number };
  api_keys: ApiKeyRow;
  api_key_uses: { readonly key_uuid: string; readonly org_uuid: string; readonly last_used_at_ms: number };
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
  recording_holds: RecordingHoldRow;
  signing_certificates: SigningCertificateRow;
  uploads: UploadRow;
  passkey_challenges: PasskeyChallengeRow;
  store_meta: StoreMetaRow;
}
