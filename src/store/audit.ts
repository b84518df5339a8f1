/** The audit trail: who changed or viewed what, written once and read by time. */

import type { Ruuid } from '../core/ruuid.ts';
import type { StoredImportance } from './stored-importance.ts';

/** The kinds of shared things behind a viewer's link. */
export type SharedPrincipalType = 'SHARED_STREAM' | 'SHARED_CLIP' | 'SHARED_TIMELAPSE';

/** The actor. */
export interface AuditPrincipal {
  readonly type:
    | 'API_TOKEN'
    | 'API_OAUTH_TOKEN'
    | 'PARTNER'
    | 'DEVICE'
    | 'USER'
    | SharedPrincipalType
    | 'UNKNOWN';
  readonly uuid: Ruuid | null;
  readonly name: string;
  readonly sourceIp: string | null;
  readonly userAgent: string | null;
}

/** Video of one camera. Epoch milliseconds, half-open. */
export interface AuditFootage {
  readonly deviceUuid: Ruuid;
  /** null: any time, as viewers of a wall see it. */
  readonly time: { readonly fromMs: number; readonly toMs: number } | null;
}

/** Of one row. Beyond them, a row does not say what was shown. */
export const MAX_AUDIT_FOOTAGE = 200;

export interface AuditEvent {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly atMs: number;
  /** `DEVICE_UPDATE`, `VIEW_SHARE_STREAM`… */
  readonly action: string;
  readonly principal: AuditPrincipal;
  readonly targetUuid: Ruuid;
  /** '' if it has none. */
  readonly targetName: string;
  /** The camera that was viewed by the link that is the target. Absent: the target is no link of one camera. */
  readonly deviceUuid?: Ruuid;
  /** What the target showed: a wall, a clip, or a link to one of them. Absent: it is not known, or the target is something else. */
  readonly footage?: readonly AuditFootage[];
  /** Absent: it covers one event. */
  readonly repeated?: AuditRepetition;
}

/** Views that are merged into one row. */
export interface AuditRepetition {
  /** Including the first. */
  readonly occurrences: number;
  readonly lastAtMs: number;
}

/** Actions of viewers, who may move a camera that they see. They can be very frequent, and are removed first when there are too many. */
export const VIEWING_ACTIONS = [
  'VIEW_SHARE_STREAM',
  'VIEW_SHARE_STREAM_END',
  'VIEW_SHARE_VIDEOWALL',
  'VIEW_SHARE_CLIP',
  'VIEW_SHARE_TIMELAPSE',
  'VIEW_CAMERA_LIVE',
  'VIEW_CAMERA_LIVE_END',
  'VIEW_CAMERA_VOD',
  'MOVE_CAMERA_PTZ',
  'STOP_CAMERA_PTZ',
  'GOTO_CAMERA_PTZ_PRESET',
  'TALK_CAMERA',
] as const;

/** Actions of viewers with a link: from the opening of a share to the end of its view. */
export const SHARE_VIEWING_ACTIONS = [
  'VIEW_SHARE_STREAM',
  'VIEW_SHARE_STREAM_END',
  'VIEW_SHARE_VIDEOWALL',
  'VIEW_SHARE_CLIP',
  'VIEW_SHARE_TIMELAPSE',
] as const satisfies readonly (typeof VIEWING_ACTIONS)[number][];

/** Actions that create a link, by the names that rows have. */
export const SHARE_CREATING_ACTIONS = [
  'SHARED_LIVE_VIDEO_STREAM_CREATE',
  'SHARED_LIVE_VIDEO_STREAM_WITH_PASSWORD_CREATE',
  'SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE',
  'SHARED_VIDEOWALL_WITH_PASSWORD_CREATE',
  'SHARED_VIDEOWALL_WITHOUT_PASSWORD_CREATE',
  'SHARED_CLIP_CREATE',
  'SHARED_TIMELAPSE_GROUP_CREATE',
] as const;

/** Someone who created links. */
export interface ShareCreator {
  readonly uuid: Ruuid;
  readonly name: string;
}

/** The creator of a link. */
export interface LinkCreator extends ShareCreator {
  /** Not a key or an application. */
  readonly isPerson: boolean;
}

/** Limit of an organization. */
export const MAX_SHARE_CREATORS = 500;
/** Links of one creator that are looked at, the newest first. */
export const MAX_CREATED_SHARES = 100_000;

/** A row's position in the list. */
export interface AuditMark {
  readonly atMs: number;
  readonly uuid: Ruuid;
}

/** The number of targets whose last view can be read in one call. */
export const MAX_LAST_VIEWED = 500;

/** What a limited caller sees: these devices with their shares and what belongs to them, and these other targets. */
export interface AuditTargets {
  readonly deviceUuids: readonly Ruuid[];
  readonly uuids: readonly Ruuid[];
}

export interface AuditQuery {
  /** Half-open: `fromMs` is inclusive, `toMs` exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** null: every action. */
  readonly includeActions: readonly string[] | null;
  readonly excludeActions: readonly string[];
  /** Absent: of everyone, like the next two. */
  readonly principalUuid?: Ruuid;
  readonly targetUuid?: Ruuid;
  readonly sourceIp?: string;
  readonly targets?: AuditTargets;
  /** What the caller asks for, of what `targets` lets through. Absent: everything. */
  readonly about?: AuditTargets;
  /** Only rows whose target showed one of these cameras. Absent: all. */
  readonly showing?: readonly Ruuid[];
  /** Only what follows this row in the list. Absent: from the start. */
  readonly after?: AuditMark;
  readonly limit: number;
}

export interface AuditRepository {
  /** In one transaction; at most 1,000. `vital`: see StoredImportance. */
  add(events: readonly AuditEvent[], importance?: StoredImportance): Promise<void>;
  /** Updates what earlier rows cover; removed rows are left out. In one transaction; at most 1,000. */
  repeat(rows: readonly (AuditRepetition & { readonly uuid: Ruuid })[]): Promise<void>;
  /** Newest first. */
  list(orgUuid: Ruuid, query: AuditQuery): Promise<AuditEvent[]>;
  /** Removes the oldest rows from before `beforeMs`, at most `limit`. Resolves with how many. */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
  /**
   * Removes rows beyond `maxRows` of the organization, at most `limit`: the oldest views first, then the oldest of what
   * devices reported, then the oldest of the others. Resolves with how many.
   */
  removeExcess(orgUuid: Ruuid, maxRows: number, limit: number): Promise<number>;
  /** What this target showed when that was last recorded; null: never. */
  lastFootageOf(orgUuid: Ruuid, targetUuid: Ruuid): Promise<readonly AuditFootage[] | null>;
  /** The name under which this target was last recorded; null: never. */
  lastNameOf(orgUuid: Ruuid, targetUuid: Ruuid): Promise<string | null>;
  /**
   * When each of these shares, shared walls or shared groups was last opened or left by a viewer, as far as the rows still
   * say; others are missing. At most MAX_LAST_VIEWED.
   */
  lastViewed(orgUuid: Ruuid, targetUuids: readonly Ruuid[]): Promise<ReadonlyMap<Ruuid, number>>;
  /** Creators of these links, as far as the rows still name them; others are missing. At most MAX_LAST_VIEWED. */
  creatorsOf(orgUuid: Ruuid, targetUuids: readonly Ruuid[]): Promise<ReadonlyMap<Ruuid, LinkCreator>>;
  /** Everyone who created links, as far as the rows still say: by name, at most MAX_SHARE_CREATORS. `targets`: only links of these. */
  creators(orgUuid: Ruuid, targets?: AuditTargets): Promise<ShareCreator[]>;
  /** The links that one of them created, also those that have been deleted. At most MAX_CREATED_SHARES. */
  createdBy(orgUuid: Ruuid, principalUuid: Ruuid): Promise<ReadonlySet<Ruuid>>;
}
