/** A link that shows something to others, as the gateway describes it. Pure. */

export type ShareKind = 'STREAM' | 'WALL' | 'CLIP_GROUP' | 'TIMELAPSE_GROUP';

export type ShareState = 'VISIBLE' | 'HIDDEN' | 'EXPIRED' | 'CAMERA_REMOVED';

/** What time alone changes next. */
export interface VisibilityChange {
  readonly atMs: number;
  readonly isVisible: boolean;
  readonly reason?: string;
}

/** As `camera/findSharedStreams` has it. */
export interface ShareAnswer {
  readonly kind: ShareKind;
  readonly uuid: string;
  readonly name: string;
  readonly cameraUuid?: string;
  readonly cameraName: string;
  readonly cameraCount?: number;
  readonly videoWallUuid?: string;
  readonly timeZones: readonly string[];
  readonly locationName: string;
  readonly state: ShareState;
  readonly nextChange?: VisibilityChange;
  readonly viewerCount: number;
  readonly lastViewedAtMs?: number;
  readonly scheduleUuid?: string;
  readonly scheduleName?: string;
  readonly invertSchedule: boolean;
  readonly expirationTime?: number;
  readonly passwordProtected: boolean;
  readonly ssoProtected: boolean;
  /** Absent: as the gateway is configured. */
  readonly cdn?: boolean;
  readonly createdAtMs: number;
  readonly creatorUuid?: string;
  readonly creatorName?: string;
  /** Empty: this person cannot pass on links. */
  readonly pageUrl: string;
  readonly m3u8Url?: string;
  readonly mpdUrl?: string;
}

export interface ShareItem extends Omit<ShareAnswer, 'expirationTime' | 'scheduleUuid'> {
  /** Null: it never ends. */
  readonly expiresAtMs: number | null;
  readonly scheduleUuid: string | null;
}

const SEC_MS = 1_000;

export function shareItem({ expirationTime, scheduleUuid, ...answer }: ShareAnswer): ShareItem {
  return {
    ...answer,
    scheduleUuid: scheduleUuid ?? null,
    expiresAtMs: expirationTime === undefined ? null : expirationTime * SEC_MS,
  };
}

const KIND_WORDS: Readonly<Record<ShareKind, string>> = {
  STREAM: 'Camera',
  WALL: 'Wall',
  CLIP_GROUP: 'Clips',
  TIMELAPSE_GROUP: 'Timelapses',
};

/** What it shows, below its name. */
export function targetText({ kind, cameraName, cameraCount, locationName }: ShareItem): string {
  if (kind === 'WALL') return cameraCount === 1 ? 'Wall of 1 camera' : `Wall of ${cameraCount ?? 0} cameras`;
  if (kind !== 'STREAM') return KIND_WORDS[kind];
  const camera = cameraName === '' ? 'Removed camera' : cameraName;
  return locationName === '' ? camera : `${camera} · ${locationName}`;
}

/** Whether it can be shown and hidden by a schedule. */
export function hasSchedule({ kind }: ShareItem): boolean {
  return kind === 'STREAM' || kind === 'WALL';
}

/** How many bytes, as in "15.4 MB". */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
