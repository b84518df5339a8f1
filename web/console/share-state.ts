/**
 * Shares of cameras, walls, clips and timelapses: how they are read, and what changes them. The pages know only this file,
 * and not which calls it makes.
 */

import { type Answer, call } from './api.ts';
import { listCameras, listLocations } from './camera-state.ts';
import type { ListPage } from './paged-list.ts';
import type { PastTerms } from './past-choice.ts';
import type { ScheduleItem } from './schedule-now.ts';
import { listSchedules } from './schedule-state.ts';
import { type ShareItem, shareItem } from './share-item.ts';
import type { ShareQuery } from './share-query.ts';
import { createWallLink, readWalls } from './wall-list.ts';

/** Things that can be shared from here; clips are shared from their own page. */
export interface ShareTarget {
  readonly uuid: string;
  readonly kind: 'camera' | 'wall';
  readonly name: string;
  /** Absent: it is at no site, or a wall. */
  readonly locationUuid?: string;
}

/** Choices in the form for a new share. */
export interface ShareOffer {
  readonly targets: readonly ShareTarget[];
  /** Names of sites by UUID. */
  readonly sites: ReadonlyMap<string, string>;
  readonly schedules: ReadonlyMap<string, ScheduleItem>;
}

export type ShareCounts = NonNullable<Answer<'camera/findSharedStreams'>['stateCounts']>;

export interface SharesPage extends ListPage<ShareItem> {
  /** By all filters except those by state and end; null: they were not requested. */
  readonly counts: ShareCounts | null;
}

/** Most that one call returns. */
export const MAX_ROWS = 500;

/** Fails with a CallError. */
export async function findShares(
  body: ShareQuery,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<SharesPage> {
  const { sharedStreams, totalCount, stateCounts } = await call(
    'camera/findSharedStreams',
    { ...body, offset, limit },
    signal,
  );
  return { items: sharedStreams.map(shareItem), total: totalCount, counts: stateCounts ?? null };
}

/** Null: there is none with this UUID. Fails with a CallError. */
export async function findShare(uuid: string, signal: AbortSignal): Promise<ShareItem | null> {
  const { items } = await findShares({ uuids: [uuid] }, 0, 1, signal);
  return items[0] ?? null;
}

/** The pages of shares, by UUID. Fails with a CallError. */
export async function findPageUrls(
  uuids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let offset = 0; offset < uuids.length; offset += MAX_ROWS) {
    const wanted = uuids.slice(offset, offset + MAX_ROWS);
    const { items } = await findShares({ uuids: wanted }, 0, MAX_ROWS, signal);
    for (const { uuid, pageUrl } of items) found.set(uuid, pageUrl);
  }
  return found;
}

/** People who created links, by UUID. Fails with a CallError. */
export async function listCreators(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { creators } = await call('camera/findSharedStreamCreators', {}, signal);
  return new Map(creators.map(({ creatorUuid, creatorName }) => [creatorUuid, creatorName]));
}

/** Fails with a CallError. */
export async function readOffer(signal: AbortSignal): Promise<ShareOffer> {
  const [cameras, walls, schedules, sites] = await Promise.all([
    listCameras(signal),
    readWalls(signal),
    readSchedules(signal),
    listLocations(signal),
  ]);
  return {
    sites,
    targets: [
      ...cameras.map(({ uuid, name, locationUuid }) => ({
        uuid,
        name,
        kind: 'camera' as const,
        ...(locationUuid === undefined ? {} : { locationUuid }),
      })),
      ...walls.map(({ uuid, displayName }) => ({ uuid, name: displayName, kind: 'wall' as const })),
    ],
    schedules,
  };
}

/** By UUID. Fails with a CallError. */
export async function readSchedules(signal: AbortSignal): Promise<ReadonlyMap<string, ScheduleItem>> {
  return new Map((await listSchedules(signal)).map((schedule) => [schedule.uuid, schedule]));
}

const OWN_ENTITIES: ReadonlySet<string> = new Set([
  'SHARED_STREAMS',
  'SHARED_CLIPS',
  'TIMELAPSE',
  'VIDEO_WALL',
  'SCHEDULE',
]);

/** Whether a change makes readings about shares outdated. Frequent messages of cameras do not. */
export function concernsShares({
  entity,
  type,
}: {
  readonly entity: string;
  readonly type: string;
}): boolean {
  return OWN_ENTITIES.has(entity) || ((entity === 'CAMERA' || entity === 'LOCATION') && type !== 'UPDATE');
}

/** Fields of a new share. */
export interface NewShare {
  readonly target: ShareTarget;
  /** Empty: the camera's name. Walls have their own. */
  readonly name: string;
  /** As the API takes it; undefined: it never ends. */
  readonly expirationTimeSecs: number | undefined;
  /** Empty: none. */
  readonly password: string;
  readonly scheduleUuid: string | null;
  readonly invertSchedule: boolean;
  readonly hasSound: boolean;
  /** Viewers may talk to the camera; not for walls, and only with sound. */
  readonly canTalk: boolean;
  /** Viewers sign in with the provider; not for walls. */
  readonly needsSignIn: boolean;
  /** Its limits count for cameras alone. */
  readonly past: PastTerms;
}

/** Its UUID. Fails with a CallError. */
export async function createShare(share: NewShare): Promise<string> {
  const terms = {
    ...(share.expirationTimeSecs === undefined ? {} : { expirationTimeSecs: share.expirationTimeSecs }),
    ...(share.scheduleUuid === null
      ? {}
      : { scheduleUuid: share.scheduleUuid, invertSchedule: share.invertSchedule }),
  };
  const { uuid, name, kind } = share.target;
  if (kind === 'wall') {
    const wanted = { videoWallUuid: uuid, ...pastFields(share.past), ...terms };
    const response = await createWallLink(wanted, share.password);
    return response.sharedLiveVideoStreamUuid;
  }
  const body = {
    cameraUuid: uuid,
    name: share.name.trim() || name,
    includeAudio: share.hasSound,
    ...(share.hasSound && share.canTalk ? { talk: true } : {}),
    ...pastFields(share.past),
    ...(share.needsSignIn ? { ssoProtected: true } : {}),
    ...terms,
  };
  // The protected call never creates a link that is open to all, whatever happened to the password.
  const result =
    share.password === ''
      ? await call('camera/createSharedLiveVideoStream', body)
      : await call('camera/createProtectedSharedLiveVideoStream', { ...body, password: share.password });
  return result.sharedLiveVideoStreamUuid;
}

function pastFields({ vodEnabled, vodPastSecs, vodExpirationTimeSecs }: PastTerms) {
  return {
    vodEnabled,
    ...(vodPastSecs === null ? {} : { vodPastSecs }),
    ...(vodExpirationTimeSecs === null ? {} : { vodExpirationTimeSecs }),
  };
}

/** Absent: stays. `expirationTimeSecs` null: it never ends; `password` null: none; `scheduleUuid` null: always shown. */
export interface ShareChanges extends Partial<PastTerms> {
  /** Not of walls, which have their own. */
  readonly name?: string;
  readonly expirationTimeSecs?: number | null;
  readonly password?: string | null;
  readonly scheduleUuid?: string | null;
  readonly invertSchedule?: boolean;
  /** Only of cameras' shares. */
  readonly ssoProtected?: boolean;
  /** Only of cameras' shares with sound. */
  readonly talk?: boolean;
  /** Only of cameras' shares; null: as the gateway is configured. */
  readonly cdn?: boolean | null;
  /** Of cameras' and walls' shares. */
  readonly showsUnmasked?: boolean;
}

type ShareRef = Pick<ShareItem, 'uuid' | 'kind'>;

/** Fails with a CallError. */
export async function updateShare({ uuid, kind }: ShareRef, changes: ShareChanges): Promise<void> {
  switch (kind) {
    case 'STREAM':
      await call('camera/updateSharedLiveVideoStream', {
        uuid,
        ...termChanges(changes),
        ...cameraChanges(changes),
      });
      return;
    case 'WALL':
      await call('camera/updateSharedVideoWall', { uuid, ...termChanges(changes) });
      return;
    case 'CLIP_GROUP':
      await call('event/updateSharedClipGroupV2', { sharedClipUuid: uuid, ...groupChanges(changes) });
      return;
    case 'TIMELAPSE_GROUP':
      await call('video/updateSharedTimelapseGroup', {
        uuid,
        ...groupChanges(changes),
        ...(changes.name === undefined ? {} : { titleUpdate: true }),
        ...(changes.password === undefined ? {} : { passwordUpdate: true }),
        ...(changes.expirationTimeSecs === undefined ? {} : { expirationTimeUpdate: true }),
      });
  }
}

/** A flag says that a field changes; without its value, it becomes none. */
function termChanges(changes: ShareChanges) {
  const { expirationTimeSecs, password, scheduleUuid, invertSchedule, showsUnmasked } = changes;
  const { vodEnabled, vodPastSecs, vodExpirationTimeSecs } = changes;
  return {
    ...(showsUnmasked === undefined ? {} : { showsUnmasked, showsUnmaskedUpdated: true }),
    ...(vodEnabled === undefined ? {} : { vodEnabled, vodEnabledUpdated: true }),
    ...(vodPastSecs === undefined ? {} : { vodPastSecs: vodPastSecs ?? undefined, vodPastSecsUpdated: true }),
    ...(vodExpirationTimeSecs === undefined
      ? {}
      : {
          vodExpirationTimeSecs: vodExpirationTimeSecs ?? undefined,
          vodExpirationTimeSecsUpdated: true,
        }),
    ...(expirationTimeSecs === undefined
      ? {}
      : { expirationTimeSecs: expirationTimeSecs ?? undefined, expirationTimeSecsUpdated: true }),
    ...(password === undefined ? {} : { password: password ?? undefined, passwordUpdated: true }),
    ...(scheduleUuid === undefined
      ? {}
      : { scheduleUuid: scheduleUuid ?? undefined, scheduleUuidUpdated: true }),
    ...(invertSchedule === undefined ? {} : { invertSchedule, invertScheduleUpdated: true }),
  };
}

/** Only of cameras' shares. */
function cameraChanges(changes: ShareChanges) {
  const { name, ssoProtected, cdn, talk } = changes;
  return {
    ...(name === undefined ? {} : { name, nameUpdated: true }),
    ...(ssoProtected === undefined ? {} : { ssoProtected, ssoProtectedUpdated: true }),
    ...(cdn === undefined ? {} : { cdn: cdn ?? undefined, cdnUpdated: true }),
    ...(talk === undefined ? {} : { talk, talkUpdated: true }),
  };
}

/** Groups of files have no schedule; a blank password is none, and so is an end of 0. */
function groupChanges({ name, password, expirationTimeSecs }: ShareChanges) {
  return {
    ...(name === undefined ? {} : { title: name }),
    ...(password === undefined ? {} : { plaintextPassword: password ?? '' }),
    ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs: expirationTimeSecs ?? 0 }),
  };
}

const DELETE_PATHS = {
  STREAM: 'camera/deleteSharedLiveVideoStream',
  WALL: 'camera/deleteSharedVideoWall',
  CLIP_GROUP: 'event/deleteSharedClipGroupV2',
  TIMELAPSE_GROUP: 'video/deleteSharedTimelapseGroup',
} as const;

/** Its viewers are cut off. Fails with a CallError. */
export async function deleteShare({ uuid, kind }: ShareRef): Promise<void> {
  await call(DELETE_PATHS[kind], { uuid });
}
