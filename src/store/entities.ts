/**
 * The gateway's stored entities. Every entity belongs to an organization. Times are epoch milliseconds (`…Ms`) or epoch seconds
 * (`…Sec`). Objects are plain data and frozen by convention: changes go through repositories.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { RenditionName } from '../stream/media/live-media.ts';
import type { AccessScope } from './access-scope.ts';
import type { Role } from './person.ts';
import type { PrivacyMask } from './privacy-mask.ts';

export interface Organization {
  readonly uuid: Ruuid;
  readonly name: string;
  /** The partner organization that manages this one. */
  readonly partnerUuid: Ruuid | null;
  readonly createdAtMs: number;
  /** In CIDR notation: where cameras of the API may be. Empty: anywhere. */
  readonly cameraNetworks: readonly string[];
}

/**
 * `api`: acts for its organization. `partner-api`: acts for client organizations of its organization. `device`: reports
 * for its organization and cannot read anything.
 */
export type ApiKeyScheme = 'api' | 'partner-api' | 'device';

export interface ApiKey {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly name: string;
  readonly scheme: ApiKeyScheme;
  /** Keys that only report have `admin`, which their scheme limits. */
  readonly role: Role;
  /** null: the whole organization. Never with the role `admin`. */
  readonly scope: AccessScope | null;
  /** SHA-256 of the key, 32 bytes as hex. Keys have 256 random bits, so no slow hash is needed. */
  readonly keyHash: string;
  /** The person who created it in the console; null: anyone else. It ends when the directory says that they have left. */
  readonly createdByUuid: Ruuid | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** First millisecond at which it no longer works; null: none. */
  readonly expiresAtMs: number | null;
}

/** The migration since which uses of keys are noted. */
export const KEY_USES_MIGRATION = 'ends and uses of API keys';

/** A key is noted as used at most this often. */
export const KEY_USE_STEP_MS = 60_000;

/** Noted uses of an organization's keys, epoch milliseconds. */
export interface NotedKeyUses {
  /** Uses before that were not noted. */
  readonly sinceMs: number;
  /** The last one of each key that has been used since. */
  readonly lastMs: ReadonlyMap<Ruuid, number>;
}

/** A use of an API key, by itself or by what rests on it. */
export interface KeyUse {
  readonly keyUuid: Ruuid;
  readonly atMs: number;
}

export interface Location {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly name: string;
  /** IANA time zone. */
  readonly tz: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly address1: string | null;
  readonly address2: string | null;
  readonly postalCode: string | null;
  readonly countryCode: string | null;
  /** The location that contains it. */
  readonly parentUuid: Ruuid | null;
  /** The alert policy assigned to it. */
  readonly policyUuid: Ruuid | null;
  readonly labels: readonly string[];
  readonly createdAtMs: number;
  /** True for locations that the configuration file declares: it overrides what the API would change. */
  readonly fromConfig: boolean;
}

export interface Nvr {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  readonly name: string;
  readonly serialNumber: string | null;
  readonly createdAtMs: number;
  readonly mummified: boolean;
  /** True for NVRs that the configuration file declares: it overrides what the API would change. */
  readonly fromConfig: boolean;
}

export type CameraKind = 'camera' | 'doorbell';
export type EngineChoice = 'auto' | 'direct' | 'ffmpeg';
export type TransportChoice = 'auto' | 'tcp' | 'udp' | 'multicast' | 'http';
/** The source of frame times: `camera` is the camera's own wall clock, if it is sane. */
export type ClockChoice = 'arrival' | 'camera';
/** `auto`: as browsers play it best; `aac`: AAC in any case, by a worker; `off`: none. */
export type AudioChoice = 'auto' | 'aac' | 'off';

export interface Camera {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  readonly nvrUuid: Ruuid | null;
  readonly kind: CameraKind;
  readonly name: string;
  /** Encrypted at rest. */
  readonly rtspUrl: CredentialUrl;
  readonly substreamUrl: CredentialUrl | null;
  /** Its ONVIF device service, `http` or `https`; null: it has none, or it is not known. */
  readonly onvifUrl: CredentialUrl | null;
  readonly engine: EngineChoice;
  readonly transport: TransportChoice;
  readonly audio: AudioChoice;
  /**
   * The required proof of the certificate of an rtsps camera, and of its https ONVIF service: `any`, `verify` or `sha256:` and 64
   * hexadecimal digits.
   */
  readonly tls: string;
  readonly clock: ClockChoice;
  /** What viewers of its links do not see. */
  readonly masks: readonly PrivacyMask[];
  /** People and keys of the organization with the role `viewer` do not see it either. */
  readonly masksForViewers: boolean;
  readonly createdAtMs: number;
  readonly mummified: boolean;
  /** True for cameras that `sluice.yaml` declares: removing them from the file removes them. */
  readonly fromConfig: boolean;
}

/** A camera without its URLs, which take time to decrypt. */
export type CameraRecord = Omit<Camera, 'rtspUrl' | 'substreamUrl' | 'onvifUrl'>;

export type StreamType =
  | 'USER'
  | 'ALARM_MONITORING'
  | 'DICE'
  | 'LUMEO'
  | 'INFORMACAST'
  | 'RAPIDSOS'
  | 'UNKNOWN';

/** A shared live stream. */
export interface Share {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  /** `''`, `v0`… as given by the caller. */
  readonly cameraFacet: string;
  readonly name: string;
  readonly streamType: StreamType;
  readonly vodEnabled: boolean;
  /** How far back from now viewers see the past; null: to when the share was created. */
  readonly vodPastSec: number | null;
  /** First second at which viewers no longer see the past; null: as long as the share plays. */
  readonly vodExpiresAtSec: number | null;
  readonly includeAudio: boolean;
  /** Its viewers may talk to the camera. Only if they hear it. */
  readonly talk: boolean;
  /** Its viewers see the camera without its masks. */
  readonly showsUnmasked: boolean;
  /** DeviceFacetUuid. */
  readonly audioGatewayUuid: string | null;
  readonly ssoProtected: boolean;
  /** Whether its viewers get live media under paths that a CDN can cache; null: as the gateway's default says. */
  readonly cdn: boolean | null;
  /** First second at which the share no longer plays; null: it never ends. */
  readonly expiresAtSec: number | null;
  readonly scheduleUuid: Ruuid | null;
  readonly invertSchedule: boolean;
  /** PHC string (scrypt); null: no password. */
  readonly passwordHash: string | null;
  /** Incremented to end all earlier grants (password change). */
  readonly accessEpoch: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A camera of a video wall. */
export interface WallCamera {
  readonly cameraUuid: Ruuid;
  /** `''`, `v0`… as given by the caller. */
  readonly facet: string;
  /** Viewers of the wall must not see video from before this time. */
  readonly addedAtMs: number;
}

/**
 * How its cameras share the screen: `AUTOMATIC` fits all, `ONE_PLUS_FIVE` and the grids have as many cells as they say, and `FREE` has
 * cells of its own. Cameras without a cell are on further pages.
 */
export const WALL_LAYOUT_KINDS = [
  'AUTOMATIC',
  'ONE_PLUS_FIVE',
  'TWO_BY_TWO',
  'THREE_BY_THREE',
  'FOUR_BY_FOUR',
  'FREE',
] as const;
export type WallLayoutKind = (typeof WALL_LAYOUT_KINDS)[number];

/** Where a camera is on a grid of 12 columns and 12 rows. */
export interface WallCell {
  readonly cameraUuid: Ruuid;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface WallLayout {
  readonly kind: WallLayoutKind;
  /** Of the kind `FREE` alone. */
  readonly cells: readonly WallCell[];
  /** Seconds until the next page is shown; 0: pages change only by hand. */
  readonly tourSec: number;
}

/** Of a wall that says nothing about it. */
export const AUTOMATIC_LAYOUT: WallLayout = { kind: 'AUTOMATIC', cells: [], tourSec: 0 };

/** Cameras that are watched together. */
export interface VideoWall {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly name: string;
  /** In the order of their tiles. */
  readonly cameras: readonly WallCamera[];
  readonly layout: WallLayout;
  readonly ownerUserUuid: Ruuid | null;
  readonly othersCanEdit: boolean;
  /** Whether other users of the organization see it. It says nothing about links. */
  readonly isShared: boolean;
  /** Settings that a client stores with it; the gateway does not read them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** When a wall's share shows one of its cameras. */
export interface DeviceSchedule {
  /** null: the share's own schedule counts. */
  readonly scheduleUuid: Ruuid | null;
  readonly invertSchedule: boolean;
  /** The message for viewers while the camera is hidden. */
  readonly unscheduledMessage: string | null;
}

/** A shared video wall: one link for all of its cameras. */
export interface WallShare {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly wallUuid: Ruuid;
  readonly vodEnabled: boolean;
  /** How far back from now viewers see the past, in seconds; null: to when a camera joined, or the share was created. */
  readonly vodPastSec: number | null;
  /** First second at which viewers no longer see the past; null: with the share. */
  readonly vodExpiresAtSec: number | null;
  /** Its viewers see all cameras without their masks. */
  readonly showsUnmasked: boolean;
  /** First second at which the share no longer plays; null: it never ends. */
  readonly expiresAtSec: number | null;
  readonly scheduleUuid: Ruuid | null;
  readonly invertSchedule: boolean;
  readonly unscheduledMessage: string | null;
  /** By camera; the others follow the share's schedule. */
  readonly deviceSchedules: Readonly<Record<Ruuid, DeviceSchedule>>;
  /** PHC string (scrypt); null: no password. */
  readonly passwordHash: string | null;
  /** Incremented to end all earlier grants. */
  readonly accessEpoch: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/**
 * Minutes of the week, 0 = Monday 00:00 local time; half-open; a stop at or before the start wraps around the end of the
 * week.
 */
export interface WeeklyMinuteInterval {
  readonly minuteOfWeekStart: number;
  readonly minuteOfWeekStop: number;
}

/** Epoch seconds, half-open. */
export interface AbsoluteSecondsInterval {
  readonly startSec: number;
  readonly stopSec: number;
}

/** Local dates and times, `2026-03-29T02:30:00`, wherever the schedule is used; half-open. */
export interface LocalDateTimeInterval {
  readonly localStart: string;
  readonly localStop: string;
}

interface ScheduleBase {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly name: string;
  readonly mutable: boolean;
  readonly oneTimeUse: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface WeeklySchedule extends ScheduleBase {
  readonly strategy: 'WEEKLY_REPEATING_MINUTES';
  readonly intervals: readonly WeeklyMinuteInterval[];
}

export interface AbsoluteSchedule extends ScheduleBase {
  readonly strategy: 'ABSOLUTE_SECONDS';
  readonly intervals: readonly AbsoluteSecondsInterval[];
}

/** The most recent period, whenever it is evaluated: now is always part of it. */
export interface RealtimeRelativeSchedule extends ScheduleBase {
  readonly strategy: 'REALTIME_RELATIVE_SECONDS';
  readonly pastSeconds: number;
}

export interface RelativeDateTimeSchedule extends ScheduleBase {
  readonly strategy: 'RELATIVE_DATETIME_INTERVALS';
  readonly intervals: readonly LocalDateTimeInterval[];
}

export type Schedule =
  | WeeklySchedule
  | AbsoluteSchedule
  | RealtimeRelativeSchedule
  | RelativeDateTimeSchedule;

/**
 * The position of a rendition's numbering, so that it never goes back (docs/design/live-path.md#invariants). Written
 * ahead in blocks: a crash skips numbers but never repeats them.
 */
export interface StreamLedgerEntry {
  readonly cameraUuid: Ruuid;
  readonly rendition: RenditionName;
  /** No segment with this number or a higher one has been published. */
  readonly nextMediaSequenceNumber: number;
  readonly nextDiscontinuitySequence: number;
  /** Fingerprint of the init segment with the plain name `seg_init.mp4`; null before the first. */
  readonly initFingerprint: string | null;
}
