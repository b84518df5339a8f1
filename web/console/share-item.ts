/** A link that shows something to others, as the gateway describes it. Pure. */

import { listText } from '../words/formats.ts';
import type { Answer } from './api.ts';
import { t } from './words.ts';

export type ShareKind = ShareResponse['kind'];
export type ShareState = ShareResponse['state'];

/** Next change that happens by time alone. */
export type VisibilityChange = NonNullable<ShareResponse['nextChange']>;

export type ShareResponse = Answer<'camera/findSharedStreams'>['sharedStreams'][number];

export interface ShareItem extends Omit<ShareResponse, 'expirationTime' | 'scheduleUuid'> {
  /** Null: it never ends. */
  readonly expiresAtMs: number | null;
  readonly scheduleUuid: string | null;
}

const SEC_MS = 1_000;

export function shareItem({ expirationTime, scheduleUuid, ...answer }: ShareResponse): ShareItem {
  return {
    ...answer,
    scheduleUuid: scheduleUuid ?? null,
    expiresAtMs: expirationTime === undefined ? null : expirationTime * SEC_MS,
  };
}

const KIND_WORDS: Readonly<Record<ShareKind, string>> = {
  STREAM: t('Camera'),
  WALL: t('Wall'),
  CLIP_GROUP: t('Clips'),
  TIMELAPSE_GROUP: t('Timelapses'),
};

/** What a wall shows to the person who is signed in. */
export interface WallContent {
  readonly wallUuid: string;
  /** In the order of the wall. */
  readonly cameras: readonly { readonly uuid: string; readonly name: string }[];
  /** Cameras that the person may not see. */
  readonly hiddenCameras: number;
}

/** More do not fit a row. */
const MAX_NAMED = 3;

/** The first cameras of a wall, as in "Dock, Gate, Yard, and 2 more". */
function wallText({ cameras, hiddenCameras }: WallContent): string {
  const named = cameras.slice(0, MAX_NAMED).map(({ name }) => name);
  const others = cameras.length - named.length + hiddenCameras;
  return listText(others === 0 ? named : [...named, t('{count} more', { count: others })]);
}

/** Target of the share, below its name. `wall`: null if the share is not of one, or it is not read yet. */
export function targetText(
  { kind, cameraName, cameraCount, locationName }: ShareItem,
  wall: WallContent | null = null,
): string {
  if (wall !== null && wall.cameras.length > 0) return wallText(wall);
  if (kind === 'WALL')
    return t('{count, plural, one {Wall of # camera} other {Wall of # cameras}}', {
      count: cameraCount ?? 0,
    });
  if (kind !== 'STREAM') return KIND_WORDS[kind];
  const camera = cameraName === '' ? t('Removed camera') : cameraName;
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
