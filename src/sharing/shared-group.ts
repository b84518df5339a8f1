/**
 * Shared groups of files: one link for clips, or for timelapses. The link belongs to a share that is not stored and has the group's rules.
 * So the access decision of shares also decides about groups (docs/design/access.md#shared-files).
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { PrivacyMask } from '../store/privacy-mask.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';

/** The kinds of files in a group. */
export const SHARED_FILE_KINDS = ['clip', 'timelapse'] as const;

export type SharedFileKind = (typeof SHARED_FILE_KINDS)[number];

/** The title is the resource's name. */
export interface SharedGroupBody {
  readonly kind: SharedFileKind;
  /** '' if there is none. */
  readonly description: string;
  /** The files that it shows, in this order. Some may have been deleted since. */
  readonly itemUuids: readonly Ruuid[];
  /** First epoch second at which its link is over; null: never. */
  readonly expiresAtSec: number | null;
  readonly passwordHash: string | null;
  /** Raised by every change of the password. */
  readonly accessEpoch: number;
  /** It exists for one download by the person who made it: lists of links leave it out. */
  readonly isDownload?: true;
  /** It shows what privacy masks of cameras cover. Absent: files are encoded with the masks, or withheld. */
  readonly showsUnmasked?: true;
  /** It shows the archive of a sealed case, and nothing else. */
  readonly caseUuid?: Ruuid;
}

export type SharedGroup = Resource<SharedGroupBody>;

/** One kind of resource each, so that the change feed and the audit trail tell them apart. */
export const SHARED_GROUPS: Readonly<Record<SharedFileKind, ResourceKind<SharedGroupBody>>> = {
  clip: resourceKind<SharedGroupBody>('sharedClipGroup'),
  timelapse: resourceKind<SharedGroupBody>('sharedTimelapseGroup'),
};

/** A file in the storage of the recordings. */
export interface SharedStoredFile {
  readonly name: string;
  readonly byteLength: number;
  readonly sha256Hex: string;
}

/** A file of an item: of a clip of several cameras, each has one. */
export interface SharedFile extends SharedStoredFile {
  /** Its camera's, unique within its item; part of its URL. */
  readonly uuid: Ruuid;
  /** Distinguishes the file from others of its item, such as the camera's name; '' if there are no others. */
  readonly label: string;
  readonly extension: 'mp4' | 'gif';
  /** To be burned in before it is sent; null: none. */
  readonly masks: readonly PrivacyMask[] | null;
  readonly durationMs: number;
  /** JPEG; null: there is none. */
  readonly image: SharedStoredFile | null;
  /** '' if the camera was removed. */
  readonly cameraName: string;
  /** Null: the camera has none. */
  readonly siteName: string | null;
  /** The site's, otherwise UTC. */
  readonly timeZone: string;
  /** The first and the last frame, epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  /** Epoch milliseconds. */
  readonly writtenAtMs: number;
}

/**
 * - `making`: its files are being made.
 * - `ready`: they exist.
 * - `failed`: they do not, and will not unless someone has them made again.
 * - `withheld`: they exist, and the group may not show them, because their cameras had privacy masks when they were removed.
 */
export type SharedItemState = 'making' | 'ready' | 'failed' | 'withheld';

/** A clip or a timelapse, as its viewers see it. */
export interface SharedItem {
  readonly uuid: Ruuid;
  /** '' if it has none. */
  readonly title: string;
  readonly description: string;
  /** The start of its video, wall time in epoch milliseconds. */
  readonly startMs: number;
  readonly durationSec: number | null;
  readonly state: SharedItemState;
  /** Empty unless `ready`. */
  readonly files: readonly SharedFile[];
}

/** Finds the things of one kind, of which groups consist. */
export interface SharedItems {
  /** null: it does not exist. `showsUnmasked`: without the privacy masks of cameras. Rejects like the store. */
  find(orgUuid: Ruuid, uuid: Ruuid, showsUnmasked: boolean): Promise<SharedItem | null>;
}

/** Whether a group shows what privacy masks of cameras cover. A download is for the person who ordered it. */
export function showsUnmasked({ showsUnmasked: isAllowed, isDownload }: SharedGroupBody): boolean {
  return isAllowed === true || isDownload === true;
}

/** How far things that are being made have come, in percent, in the order of `uuids`; null: not known. Never rejects. */
export type ItemProgress = (
  kind: SharedFileKind,
  uuids: readonly Ruuid[],
) => Promise<readonly (number | null)[]>;

/**
 * The share whose link is the group's. It shows no camera: its camera's UUID is its own, which is that of no camera. No
 * grant for it opens a live stream either, because grants for groups are signed apart (Grants.forGroups).
 */
export function shareOfGroup(group: SharedGroup): Share {
  const { uuid, orgUuid, name, createdAtMs, updatedAtMs } = group;
  const { expiresAtSec, passwordHash, accessEpoch } = group.body;
  return {
    uuid,
    orgUuid,
    name,
    createdAtMs,
    updatedAtMs,
    expiresAtSec,
    passwordHash,
    accessEpoch,
    cameraUuid: uuid,
    cameraFacet: '',
    streamType: 'USER',
    vodEnabled: false,
    vodPastSec: null,
    vodExpiresAtSec: null,
    includeAudio: true,
    talk: false,
    showsUnmasked: false,
    audioGatewayUuid: null,
    ssoProtected: false,
    cdn: null,
    scheduleUuid: null,
    invertSchedule: false,
  };
}
