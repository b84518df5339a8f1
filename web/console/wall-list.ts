/** Video walls and their links. */

import { type Answer, call, type Request } from './api.ts';
import { t } from './words.ts';

export type Wall = Answer<'camera/getVideoWalls'>['videoWalls'][number];

export interface WallDraft {
  readonly name: string;
  readonly deviceList: readonly string[];
  /** Absent: as it is, or automatic for a new one. */
  readonly layout?: Request<'camera/createVideoWall'>['videoWall']['layout'];
}

export type WallLink = Answer<'camera/findSharedVideoWalls'>['sharedVideoWalls'][number];

/** As the gateway allows. */
export const MAX_WALL_CAMERAS = 16;

/** Fails with a CallError. */
export async function readWalls(signal?: AbortSignal): Promise<readonly Wall[]> {
  const { videoWalls } = await call('camera/getVideoWalls', {}, signal);
  return videoWalls;
}

/** Creates it if `wall` is null. Resolves with its UUID. Fails with a CallError. */
export async function saveWall(wall: Wall | null, draft: WallDraft): Promise<string> {
  const { layout } = draft;
  const fields = {
    displayName: draft.name,
    deviceList: draft.deviceList,
    ...(layout === undefined ? {} : { layout }),
  };
  if (wall === null) {
    const { uuid } = await call('camera/createVideoWall', { videoWall: fields });
    return uuid;
  }
  await call('camera/updateVideoWalls', { videoWall: { uuid: wall.uuid, ...fields } });
  return wall.uuid;
}

/** Fails with a CallError. */
export async function deleteWall({ uuid }: Wall): Promise<void> {
  await call('camera/deleteVideoWall', { uuid });
}

/** Newest first. Fails with a CallError. */
export async function readWallLinks(
  videoWallUuid: string,
  signal: AbortSignal,
): Promise<readonly WallLink[]> {
  const { sharedVideoWalls } = await call('camera/findSharedVideoWalls', { videoWallUuid }, signal);
  return [...sharedVideoWalls].reverse();
}

/**
 * `expirationTimeSecs`: as in expiry.ts; undefined: it never ends. An empty password: none. Resolves with its address. Fails
 * with a CallError.
 */
export async function shareWall(
  videoWallUuid: string,
  expirationTimeSecs: number | undefined,
  password: string,
): Promise<string> {
  const terms = { videoWallUuid, ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs }) };
  return (await createWallLink(terms, password)).sharedLiveVideoStreamUrl;
}

/**
 * An empty password: none. The protected call never creates a link that is open to all, whatever happened to the password.
 * Fails with a CallError.
 */
export function createWallLink(
  terms: Omit<Request<'camera/createSharedVideoWall'>, 'password'>,
  password: string,
): Promise<Answer<'camera/createSharedVideoWall'>> {
  return password === ''
    ? call('camera/createSharedVideoWall', terms)
    : call('camera/createProtectedSharedVideoWall', { ...terms, password });
}

/** Fails with a CallError. */
export async function deleteWallLink(videoWallUuid: string, { uuid }: WallLink): Promise<void> {
  await call('camera/deleteSharedVideoWall', { uuid, videoWallUuid });
}

/** As many columns as rows, about. */
export function fittingColumns(tiles: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(tiles)));
}

/** By camera, how many links to walls show it. */
export function wallLinksByCamera(walls: readonly Wall[]): ReadonlyMap<string, number> {
  const links = new Map<string, number>();
  for (const { deviceList, numOpenShares } of walls) {
    for (const uuid of new Set(deviceList.map(cameraOf)))
      links.set(uuid, (links.get(uuid) ?? 0) + numOpenShares);
  }
  return links;
}

/** The camera of a tile, without its facet. */
export function cameraOf(deviceFacetUuid: string): string {
  return deviceFacetUuid.split('.')[0]!;
}

export function camerasText(count: number): string {
  if (count === 0) return t('No cameras');
  return t('{count, plural, one {# camera} other {# cameras}}', { count });
}

/** As in "2 more cameras that you may not see". */
export function hiddenText(count: number): string {
  return t(
    '{count, plural, one {# more camera that you may not see} other {# more cameras that you may not see}}',
    { count },
  );
}

export function linksText(count: number): string {
  if (count === 0) return t('Not shared');
  return t('{count, plural, one {# link} other {# links}}', { count });
}
