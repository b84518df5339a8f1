/**
 * Which column holds which field of an entity. Booleans are 0 or 1, lists are JSON text, encrypted columns are base64 text
 * (field-encryption.ts), times are integers. What a field or a column alone cannot say, the entity's repository does.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { AuditEvent, AuditPrincipal } from './audit.ts';
import type { RelyingRun } from './cluster-lease.ts';
import type { EndedViewRecord } from './ended-view.ts';
import type {
  ApiKey,
  ApiKeyScheme,
  CameraRecord,
  Location,
  Nvr,
  Organization,
  Schedule,
  Share,
  StreamLedgerEntry,
  VideoWall,
  WallShare,
  WeeklySchedule,
} from './entities.ts';
import type { Acknowledgement, StoredEvent, Taking } from './event.ts';
import type { GatewayRun } from './gateway-run.ts';
import type { OAuthApplication, OAuthGrant, OAuthToken } from './oauth.ts';
import type { Passkey, PasskeyChallenge } from './passkey.ts';
import type { ConsoleSession, Person, SessionAtProvider } from './person.ts';
import type { Recording, RecordingHead } from './recording.ts';
import type { RecordingBlock } from './recording-block.ts';
import type { HeldTime } from './recording-hold.ts';
import type { Resource } from './resource.ts';
import {
  boolean,
  type ColumnsOf,
  column,
  json,
  nullable,
  number,
  type RowOf,
  rowMapping,
  text,
} from './row-mapping.ts';
import type { SigningCertificate } from './signing-certificate.ts';
import type { StoredUpload } from './upload.ts';

/** In every table of an organization's entities. */
const ORG_COLUMNS = {
  uuid: text('uuid'),
  orgUuid: text('org_uuid'),
  createdAtMs: number('created_at_ms'),
} satisfies ColumnsOf<Pick<Share, 'uuid' | 'orgUuid' | 'createdAtMs'>>;

export const ORGANIZATIONS = rowMapping('organisations', {
  uuid: text('uuid'),
  name: text('name'),
  partnerUuid: nullable(text('partner_uuid')),
  createdAtMs: number('created_at_ms'),
  cameraNetworks: json('camera_networks'),
} satisfies ColumnsOf<Organization>);
export type OrganizationRow = RowOf<typeof ORGANIZATIONS>;

/** A key of scheme `device` is stored as `api`, of devices only. */
type StoredApiKey = Omit<ApiKey, 'scheme'> & {
  readonly scheme: Exclude<ApiKeyScheme, 'device'>;
  readonly devicesOnly: boolean;
};

export const API_KEYS = rowMapping('api_keys', {
  ...ORG_COLUMNS,
  name: text('name'),
  scheme: text('scheme'),
  devicesOnly: boolean('devices_only'),
  keyHash: text('key_hash'),
  createdByUuid: nullable(text('created_by_uuid')),
  revokedAtMs: nullable(number('revoked_at_ms')),
  expiresAtMs: nullable(number('expires_at_ms')),
  role: text('role'),
  scope: nullable(json('scope_json')),
} satisfies ColumnsOf<StoredApiKey>);
export type ApiKeyRow = RowOf<typeof API_KEYS>;

interface StoredPerson extends Person {
  /** The address in the form in which addresses are compared (person.ts). */
  readonly emailKey: string | null;
}

export const PEOPLE = rowMapping('people', {
  ...ORG_COLUMNS,
  name: text('name'),
  email: nullable(text('email')),
  emailKey: nullable(text('email_key')),
  role: text('role'),
  scope: nullable(json('scope_json')),
  passwordHash: nullable(text('password_hash')),
  disabled: boolean('disabled'),
  lastSignInAtMs: nullable(number('last_sign_in_at_ms')),
} satisfies ColumnsOf<StoredPerson>);
export type PersonRow = RowOf<typeof PEOPLE>;

/** The last three are null unless it began at the OIDC provider. */
type StoredConsoleSession = Omit<ConsoleSession, 'provider'> & {
  readonly [Field in keyof SessionAtProvider]: SessionAtProvider[Field] | null;
};

export const CONSOLE_SESSIONS = rowMapping('console_sessions', {
  ...ORG_COLUMNS,
  personUuid: text('person_uuid'),
  tokenHash: text('token_hash'),
  method: text('method'),
  address: text('address'),
  userAgent: nullable(text('user_agent')),
  confirmedAtMs: number('confirmed_at_ms'),
  lastSeenAtMs: number('last_seen_at_ms'),
  subject: nullable(text('provider_subject_uuid')),
  session: nullable(text('provider_session_uuid')),
  issuedAtSec: nullable(number('provider_issued_at_sec')),
} satisfies ColumnsOf<StoredConsoleSession>);
export type ConsoleSessionRow = RowOf<typeof CONSOLE_SESSIONS>;

export const ENDED_VIEWS = rowMapping('ended_views', {
  orgUuid: text('org_uuid'),
  linkUuid: text('link_uuid'),
  kind: text('kind'),
  subject: text('subject'),
  untilMs: number('until_ms'),
} satisfies ColumnsOf<EndedViewRecord>);
export type EndedViewRow = RowOf<typeof ENDED_VIEWS>;

export const PASSKEYS = rowMapping('passkeys', {
  ...ORG_COLUMNS,
  personUuid: text('person_uuid'),
  name: text('name'),
  rpId: text('rp_id'),
  credentialId: text('credential_id'),
  publicKey: text('public_key'),
  counter: number('counter'),
  transports: json('transports_json'),
  isSynced: boolean('synced'),
  isBackedUp: boolean('backed_up'),
  lastUsedAtMs: nullable(number('last_used_at_ms')),
} satisfies ColumnsOf<Passkey>);
export type PasskeyRow = RowOf<typeof PASSKEYS>;

export const PASSKEY_CHALLENGES = rowMapping('passkey_challenges', {
  challengeHash: text('challenge_hash'),
  browserHash: text('browser_hash'),
  address: text('address'),
  purpose: text('purpose'),
  subjectUuid: nullable(text('subject_uuid')),
  expiresAtMs: number('expires_at_ms'),
} satisfies ColumnsOf<PasskeyChallenge>);
export type PasskeyChallengeRow = RowOf<typeof PASSKEY_CHALLENGES>;

export const LOCATIONS = rowMapping('locations', {
  ...ORG_COLUMNS,
  name: text('name'),
  tz: text('tz'),
  latitude: nullable(number('latitude')),
  longitude: nullable(number('longitude')),
  address1: nullable(text('address1')),
  address2: nullable(text('address2')),
  postalCode: nullable(text('postal_code')),
  countryCode: nullable(text('country_code')),
  fromConfig: boolean('from_config'),
  parentUuid: nullable(text('parent_uuid')),
  policyUuid: nullable(text('policy_uuid')),
  labels: json('labels_json'),
} satisfies ColumnsOf<Location>);
export type LocationRow = RowOf<typeof LOCATIONS>;

export const NVRS = rowMapping('nvrs', {
  ...ORG_COLUMNS,
  locationUuid: nullable(text('location_uuid')),
  name: text('name'),
  serialNumber: nullable(text('serial_number')),
  mummified: boolean('mummified'),
  fromConfig: boolean('from_config'),
} satisfies ColumnsOf<Nvr>);
export type NvrRow = RowOf<typeof NVRS>;

export const CAMERA_RECORDS = rowMapping('cameras', {
  ...ORG_COLUMNS,
  locationUuid: nullable(text('location_uuid')),
  nvrUuid: nullable(text('nvr_uuid')),
  kind: text('kind'),
  name: text('name'),
  engine: text('engine'),
  transport: text('transport'),
  audio: text('audio'),
  tls: text('tls'),
  clock: text('clock'),
  masks: json('masks_json'),
  masksForViewers: boolean('masks_for_viewers'),
  mummified: boolean('mummified'),
  fromConfig: boolean('from_config'),
} satisfies ColumnsOf<CameraRecord>);
export type CameraRow = RowOf<typeof CAMERA_RECORDS> & {
  rtsp_url_encrypted: string;
  substream_url_encrypted: string | null;
  onvif_url_encrypted: string | null;
};

export const SHARES = rowMapping('shares', {
  ...ORG_COLUMNS,
  cameraUuid: text('camera_uuid'),
  cameraFacet: text('camera_facet'),
  name: text('name'),
  streamType: text('stream_type'),
  vodEnabled: boolean('vod_enabled'),
  vodPastSec: nullable(number('vod_past_sec')),
  vodExpiresAtSec: nullable(number('vod_expires_at_sec')),
  includeAudio: boolean('include_audio'),
  talk: boolean('talk'),
  showsUnmasked: boolean('shows_unmasked'),
  audioGatewayUuid: nullable(text('audio_gateway_uuid')),
  ssoProtected: boolean('sso_protected'),
  cdn: nullable(boolean('cdn')),
  expiresAtSec: nullable(number('expires_at_sec')),
  scheduleUuid: nullable(text('schedule_uuid')),
  invertSchedule: boolean('invert_schedule'),
  passwordHash: nullable(text('password_hash')),
  accessEpoch: number('access_epoch'),
  updatedAtMs: number('updated_at_ms'),
} satisfies ColumnsOf<Share>);
export type ShareRow = RowOf<typeof SHARES>;

export const VIDEO_WALLS = rowMapping('video_walls', {
  ...ORG_COLUMNS,
  name: text('name'),
  cameras: json('cameras_json'),
  layout: json('layout_json'),
  ownerUserUuid: nullable(text('owner_user_uuid')),
  othersCanEdit: boolean('others_can_edit'),
  isShared: boolean('is_shared'),
  settings: json('settings_json'),
  updatedAtMs: number('updated_at_ms'),
} satisfies ColumnsOf<VideoWall>);
export type VideoWallRow = RowOf<typeof VIDEO_WALLS>;

export const WALL_SHARES = rowMapping('wall_shares', {
  ...ORG_COLUMNS,
  wallUuid: text('wall_uuid'),
  vodEnabled: boolean('vod_enabled'),
  vodPastSec: nullable(number('vod_past_sec')),
  vodExpiresAtSec: nullable(number('vod_expires_at_sec')),
  showsUnmasked: boolean('shows_unmasked'),
  expiresAtSec: nullable(number('expires_at_sec')),
  scheduleUuid: nullable(text('schedule_uuid')),
  invertSchedule: boolean('invert_schedule'),
  unscheduledMessage: nullable(text('unscheduled_message')),
  deviceSchedules: json('device_schedules_json'),
  passwordHash: nullable(text('password_hash')),
  accessEpoch: number('access_epoch'),
  updatedAtMs: number('updated_at_ms'),
} satisfies ColumnsOf<WallShare>);
export type WallShareRow = RowOf<typeof WALL_SHARES>;

interface StoredSchedule extends Omit<WeeklySchedule, 'strategy' | 'intervals'> {
  readonly strategy: Schedule['strategy'];
  /** The contents of a kind of schedule, always as a list. */
  readonly spans: readonly unknown[];
}

export const SCHEDULES = rowMapping('schedules', {
  ...ORG_COLUMNS,
  name: text('name'),
  mutable: boolean('mutable'),
  oneTimeUse: boolean('one_time_use'),
  strategy: text('strategy'),
  spans: json('intervals_json'),
  updatedAtMs: number('updated_at_ms'),
} satisfies ColumnsOf<StoredSchedule>);
export type ScheduleRow = RowOf<typeof SCHEDULES>;

/** The fields of a resource of any kind besides its contents (sealed-fields.ts). */
type ResourceHead = Omit<Resource<object>, 'body' | 'secret'>;

export const RESOURCES = rowMapping('resources', {
  ...ORG_COLUMNS,
  name: text('name'),
  parentUuid: nullable(text('parent_uuid')),
  updatedAtMs: number('updated_at_ms'),
} satisfies ColumnsOf<ResourceHead>);
export type ResourceRow = RowOf<typeof RESOURCES> & {
  kind: string;
  body_json: string;
  /** Fields that body_json lacks. */
  sealed_encrypted: string | null;
  secret_encrypted: string | null;
};

type EventFields = Omit<StoredEvent, 'reporterUuid' | 'locationUuid' | 'acknowledgement' | 'taking'> & {
  readonly locationUuid: Ruuid | null;
  readonly acknowledgement: Acknowledgement | null;
  readonly taking: Taking | null;
};

export const EVENTS = rowMapping('events', {
  orgUuid: text('org_uuid'),
  kind: text('kind'),
  id: text('event_id'),
  deviceUuid: text('device_uuid'),
  atMs: number('at_ms'),
  body: json('body_json'),
  locationUuid: nullable(text('location_uuid')),
  acknowledgement: nullable(json('acknowledgement_json')),
  taking: nullable(json('taken_json')),
} satisfies ColumnsOf<EventFields>);
export type EventRow = RowOf<typeof EVENTS> & {
  /** 1: it has not taken effect yet. */
  is_unfinished: number;
  /** The gateway that makes it take effect, of several; null: none. */
  claimed_by: string | null;
  claimed_until_ms: number | null;
  /** The credential that reported it; '': not known. */
  reported_by: string;
};

export const GATEWAY_RUNS = rowMapping('gateway_runs', {
  uuid: text('uuid'),
  startedAtMs: number('started_at_ms'),
  lastSeenAtMs: number('last_seen_at_ms'),
} satisfies ColumnsOf<GatewayRun>);
export type GatewayRunRow = RowOf<typeof GATEWAY_RUNS>;

export const AUDIT_EVENTS = rowMapping('audit_events', {
  uuid: text('uuid'),
  orgUuid: text('org_uuid'),
  atMs: number('at_ms'),
  action: text('action'),
  targetUuid: text('target_uuid'),
  targetName: text('target_name'),
} satisfies ColumnsOf<Omit<AuditEvent, 'principal' | 'deviceUuid' | 'footage' | 'repeated'>>);
/** In the same table. */
export const AUDIT_PRINCIPALS = rowMapping('audit_events', {
  type: text('principal_type'),
  uuid: nullable(text('principal_uuid')),
  name: text('principal_name'),
  sourceIp: nullable(text('source_ip')),
  userAgent: nullable(text('user_agent')),
} satisfies ColumnsOf<AuditPrincipal>);
export type AuditEventRow = RowOf<typeof AUDIT_EVENTS> &
  RowOf<typeof AUDIT_PRINCIPALS> & {
    /** The camera of a view by a link; null: there is none. */
    device_uuid: string | null;
    /** What the target showed; null: it is not known. */
    footage_json: string | null;
    /** How many views it covers. */
    occurrences: number;
    /** The time of the last one; null: it covers one view. */
    last_at_ms: number | null;
  };

export const OAUTH_APPLICATIONS = rowMapping('oauth_applications', {
  ...ORG_COLUMNS,
  name: text('name'),
  description: nullable(text('description')),
  contactEmail: nullable(text('contact_email')),
  redirectUri: text('redirect_uri'),
  // The column takes no null.
  secretHash: column(
    'secret_hash',
    (hash: string | null) => hash ?? '',
    (cell) => (cell === '' ? null : cell),
  ),
  updatedAtMs: number('updated_at_ms'),
} satisfies ColumnsOf<OAuthApplication>);
export type OAuthApplicationRow = RowOf<typeof OAUTH_APPLICATIONS>;

export const OAUTH_GRANTS = rowMapping('oauth_grants', {
  ...ORG_COLUMNS,
  clientUuid: text('client_uuid'),
  keyUuid: text('key_uuid'),
  keyOrgUuid: text('key_org_uuid'),
  codeChallenge: text('code_challenge'),
  redirectUri: nullable(text('redirect_uri')),
} satisfies ColumnsOf<OAuthGrant>);
export type OAuthGrantRow = RowOf<typeof OAUTH_GRANTS>;

export const OAUTH_TOKENS = rowMapping('oauth_tokens', {
  tokenHash: text('token_hash'),
  grantUuid: text('grant_uuid'),
  kind: text('kind'),
  expiresAtMs: number('expires_at_ms'),
  usedAtMs: nullable(number('used_at_ms')),
} satisfies ColumnsOf<OAuthToken>);
export type OAuthTokenRow = RowOf<typeof OAUTH_TOKENS> & {
  /** The first token that it was exchanged for: shows which of several simultaneous exchanges won. */
  successor_hash: string | null;
};

export const STREAM_LEDGER = rowMapping('stream_ledger', {
  cameraUuid: text('camera_uuid'),
  rendition: text('rendition'),
  nextMediaSequenceNumber: number('next_media_sequence_number'),
  nextDiscontinuitySequence: number('next_discontinuity_sequence'),
  initFingerprint: nullable(text('init_fingerprint')),
} satisfies ColumnsOf<StreamLedgerEntry>);
export type StreamLedgerRow = RowOf<typeof STREAM_LEDGER>;

export const CLUSTER_RELIANCES = rowMapping('cluster_reliances', {
  runId: text('run_id'),
  nodeId: text('node_id'),
  address: text('address'),
  beat: number('beat'),
  aliveMs: number('alive_ms'),
} satisfies ColumnsOf<RelyingRun>);
export type ClusterRelianceRow = RowOf<typeof CLUSTER_RELIANCES>;

const RECORDING_HEAD_COLUMNS = {
  cameraUuid: text('camera_uuid'),
  rendition: text('rendition'),
  number: number('number'),
  purpose: text('purpose'),
  startMs: number('start_ms'),
  endMs: number('end_ms'),
  byteLength: number('byte_length'),
} satisfies ColumnsOf<Required<RecordingHead>>;

export const RECORDING_HEADS = rowMapping('recordings', RECORDING_HEAD_COLUMNS);
export const RECORDINGS = rowMapping('recordings', {
  ...RECORDING_HEAD_COLUMNS,
  segments: text('segments_json'),
} satisfies ColumnsOf<Required<Recording>>);
export type RecordingRow = RowOf<typeof RECORDINGS>;

export const UPLOADS = rowMapping('uploads', {
  ...ORG_COLUMNS,
  keyUuid: text('key_uuid'),
  cameraUuid: text('camera_uuid'),
  clipId: text('clip_id'),
  title: text('title'),
  fileType: text('file_type'),
  sha256: nullable(text('sha256')),
  startMs: number('start_ms'),
  byteLength: number('byte_length'),
  syncedBytes: number('synced_bytes'),
  state: text('state'),
  refusal: nullable(text('refusal')),
  recordingNumber: nullable(number('recording_number')),
  durationMs: nullable(number('duration_ms')),
  updatedAtMs: number('updated_at_ms'),
  nodeId: text('node_id'),
} satisfies ColumnsOf<StoredUpload>);
export type UploadRow = RowOf<typeof UPLOADS>;

export const RECORDING_BLOCKS = rowMapping('recording_blocks', {
  cameraUuid: text('camera_uuid'),
  rendition: text('rendition'),
  first: number('first_number'),
  end: number('end_number'),
  nodeId: text('node_id'),
  runId: text('run_id'),
} satisfies ColumnsOf<RecordingBlock>);
export type RecordingBlockRow = RowOf<typeof RECORDING_BLOCKS>;

export const SIGNING_CERTIFICATES = rowMapping('signing_certificates', {
  generation: number('generation'),
  keyName: text('key_name'),
  pem: text('pem'),
  createdAtMs: number('created_at_ms'),
} satisfies ColumnsOf<SigningCertificate>);
export const HELD_TIMES = rowMapping('recording_holds', {
  uuid: text('uuid'),
  orgUuid: text('org_uuid'),
  cameraUuid: text('camera_uuid'),
  startMs: number('start_ms'),
  endMs: number('end_ms'),
} satisfies ColumnsOf<HeldTime>);
export type RecordingHoldRow = RowOf<typeof HELD_TIMES>;

export type SigningCertificateRow = RowOf<typeof SIGNING_CERTIFICATES>;
