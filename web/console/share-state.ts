/**
 * Shares of cameras and of video walls: how they are read, and what changes them. The pages know only this file, and not
 * which calls it makes.
 */

import { signal } from '@preact/signals';
import { call } from './api.ts';
import { type CameraItem, listCameras } from './camera-state.ts';
import { onChange, onReconnect } from './changes.ts';
import { DEFAULT_TIME_ZONE, listSchedules, listZones } from './schedule-state.ts';
import type { SeenWorld, ShareItem, SharePart } from './share-seen.ts';

/** What can be shared. */
export interface ShareTarget {
  readonly uuid: string;
  readonly kind: ShareItem['kind'];
  readonly name: string;
}

/** Everything that the page of shares shows, as of one reading. */
export interface SharesRead extends SeenWorld {
  /** Newest first. */
  readonly shares: readonly ShareItem[];
  readonly targets: readonly ShareTarget[];
  readonly cameras: ReadonlyMap<string, CameraItem>;
}

interface StreamAnswer {
  readonly uuid: string;
  readonly name: string;
  readonly cameraUuid: string;
  readonly sharedLiveVideoStreamUrl: string;
  readonly sharedLiveM3U8StreamUrl: string;
  readonly timestampMs: number;
  readonly expirationTime?: number | null;
  readonly passwordProtected: boolean;
  readonly scheduleUuid?: string | null;
  readonly invertSchedule: boolean;
  readonly vodEnabled: boolean;
}

interface DeviceSchedule {
  readonly scheduleUuid?: string | null;
  readonly invertSchedule: boolean;
}

interface WallShareAnswer
  extends Omit<StreamAnswer, 'name' | 'cameraUuid' | 'sharedLiveVideoStreamUrl' | 'sharedLiveM3U8StreamUrl'> {
  readonly videoWallUuid: string;
  readonly sharedVideoWallUrl: string;
  readonly deviceScheduleMap: Readonly<Record<string, DeviceSchedule>>;
}

interface WallAnswer {
  readonly uuid: string;
  readonly displayName: string;
  readonly deviceList: readonly string[];
}

const GONE = 'Removed camera';

export async function readShares(abort: AbortSignal): Promise<SharesRead> {
  const [streams, wallShares, walls, cameras, schedules, locations] = await Promise.all([
    call<{ sharedLiveVideoStreams: readonly StreamAnswer[] }>(
      'camera/findAllSharedLiveVideoStreams',
      {},
      abort,
    ),
    call<{ sharedVideoWalls: readonly WallShareAnswer[] }>('camera/findSharedVideoWalls', {}, abort),
    call<{ videoWalls: readonly WallAnswer[] }>('camera/getVideoWalls', {}, abort),
    listCameras(abort),
    listSchedules(abort),
    listZones(abort),
  ]);
  const viaNvr = cameras.some(({ locationUuid }) => locationUuid === null)
    ? await readNvrLocations(abort)
    : new Map<string, string>();
  const cameraByUuid = new Map(cameras.map((camera) => [camera.uuid, camera]));
  const wallByUuid = new Map(walls.videoWalls.map((wall) => [wall.uuid, wall]));
  const zones = new Map(locations.map(({ uuid, tz }) => [uuid, tz]));
  const shares = [
    ...streams.sharedLiveVideoStreams.map((answer) => streamShare(answer, cameraByUuid)),
    ...wallShares.sharedVideoWalls.map((answer) => wallShare(answer, wallByUuid.get(answer.videoWallUuid))),
  ];
  return {
    shares: shares.sort((a, b) => b.createdAtMs - a.createdAtMs),
    targets: [
      ...cameras.map(({ uuid, name }) => ({ uuid, name, kind: 'camera' as const })),
      ...walls.videoWalls.map(({ uuid, displayName }) => ({
        uuid,
        name: displayName,
        kind: 'wall' as const,
      })),
    ],
    schedules: new Map(schedules.map((schedule) => [schedule.uuid, schedule])),
    cameras: cameraByUuid,
    zoneOf: (cameraUuid) => {
      const locationUuid = cameraByUuid.get(cameraUuid)?.locationUuid ?? viaNvr.get(cameraUuid) ?? '';
      return zones.get(locationUuid) ?? DEFAULT_TIME_ZONE;
    },
  };
}

interface NvrCamera {
  readonly uuid: string;
  readonly assignedNVRUuid?: string | null;
}

interface Nvr {
  readonly uuid: string;
  readonly locationUuid?: string | null;
}

/** The location of each camera's NVR, by the camera's UUID: cameras without a location of their own count as there. */
async function readNvrLocations(abort: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const [cameras, nvrs] = await Promise.all([
    call<{ thirdPartyCameraStateList: readonly NvrCamera[] }>(
      'relay/getMinimalThirdPartyCameraStateList',
      {},
      abort,
    ),
    call<{ nvrstates: readonly Nvr[] }>('relay/getMinimalNVRStateList', {}, abort),
  ]);
  const locations = new Map(nvrs.nvrstates.map(({ uuid, locationUuid }) => [uuid, locationUuid ?? null]));
  const found = new Map<string, string>();
  for (const { uuid, assignedNVRUuid } of cameras.thirdPartyCameraStateList) {
    const locationUuid = locations.get(assignedNVRUuid ?? '');
    if (locationUuid != null) found.set(uuid, locationUuid);
  }
  return found;
}

function streamShare(answer: StreamAnswer, cameras: ReadonlyMap<string, CameraItem>): ShareItem {
  const targetUuid = withoutFacet(answer.cameraUuid);
  return {
    ...commonOf(answer),
    kind: 'camera',
    name: answer.name,
    targetUuid,
    targetName: cameras.get(targetUuid)?.name ?? GONE,
    pageUrl: answer.sharedLiveVideoStreamUrl,
    m3u8Url: answer.sharedLiveM3U8StreamUrl,
    parts: [partOf(targetUuid, answer)],
  };
}

function wallShare(answer: WallShareAnswer, wall: WallAnswer | undefined): ShareItem {
  const name = wall?.displayName ?? 'Removed wall';
  return {
    ...commonOf(answer),
    kind: 'wall',
    name,
    targetUuid: answer.videoWallUuid,
    targetName: name,
    pageUrl: answer.sharedVideoWallUrl,
    m3u8Url: null,
    parts: (wall?.deviceList ?? []).map((device) =>
      partOf(withoutFacet(device), answer.deviceScheduleMap[device] ?? answer),
    ),
  };
}

function commonOf(answer: Omit<StreamAnswer, 'name' | 'cameraUuid' | `sharedLive${string}`>) {
  return {
    uuid: answer.uuid,
    createdAtMs: answer.timestampMs,
    expiresAtMs: answer.expirationTime == null ? null : answer.expirationTime * 1_000,
    hasPassword: answer.passwordProtected,
    scheduleUuid: answer.scheduleUuid ?? null,
    invertSchedule: answer.invertSchedule,
    hasPast: answer.vodEnabled,
  };
}

function partOf(cameraUuid: string, { scheduleUuid = null, invertSchedule }: DeviceSchedule): SharePart {
  return { cameraUuid, scheduleUuid, invertSchedule };
}

function withoutFacet(device: string): string {
  return device.split('.')[0]!;
}

/** Whether a change makes what `readShares` read outdated. */
export function concernsShares({ entity }: { readonly entity: string }): boolean {
  return ['SHARED_STREAMS', 'VIDEO_WALL', 'CAMERA', 'SCHEDULE', 'LOCATION'].includes(entity);
}

/** What a share is created with. */
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
}

/** Its UUID. Fails with a CallError. */
export async function createShare(share: NewShare): Promise<string> {
  const isProtected = share.password !== '';
  const terms = {
    ...(share.expirationTimeSecs === undefined ? {} : { expirationTimeSecs: share.expirationTimeSecs }),
    ...(isProtected ? { password: share.password } : {}),
    ...(share.scheduleUuid === null
      ? {}
      : { scheduleUuid: share.scheduleUuid, invertSchedule: share.invertSchedule }),
  };
  // The protected calls never create a link that is open to all, whatever happened to the password.
  const path = `camera/create${isProtected ? 'Protected' : ''}Shared`;
  const { uuid, name, kind } = share.target;
  const answer =
    kind === 'wall'
      ? await call<Created>(`${path}VideoWall`, { videoWallUuid: uuid, ...terms })
      : await call<Created>(`${path}LiveVideoStream`, {
          cameraUuid: uuid,
          name: share.name.trim() || name,
          includeAudio: share.hasSound,
          ...terms,
        });
  return answer.sharedLiveVideoStreamUuid;
}

interface Created {
  readonly sharedLiveVideoStreamUuid: string;
}

/** Absent: stays. `expirationTimeSecs` null: it never ends; `password` null: none; `scheduleUuid` null: always shown. */
export interface ShareChanges {
  readonly name?: string;
  readonly expirationTimeSecs?: number | null;
  readonly password?: string | null;
  readonly scheduleUuid?: string | null;
  readonly invertSchedule?: boolean;
}

/** Fails with a CallError. */
export async function updateShare({ uuid, kind }: ShareItem, changes: ShareChanges): Promise<void> {
  const flagged = Object.entries(changes).flatMap(([field, value]) => [
    [`${field}Updated`, true],
    ...(value === null ? [] : [[field, value]]),
  ]);
  const path = kind === 'wall' ? 'camera/updateSharedVideoWall' : 'camera/updateSharedLiveVideoStream';
  await call(path, { uuid, ...Object.fromEntries(flagged) });
}

/** Its viewers are cut off. Fails with a CallError. */
export async function endShare({ uuid, kind }: ShareItem): Promise<void> {
  await call(kind === 'wall' ? 'camera/deleteSharedVideoWall' : 'camera/deleteSharedLiveVideoStream', {
    uuid,
  });
}

/** Viewers by share, as the gateway told since the page was opened; those of other shares are not known. */
const viewersByShare = new Map<string, number>();
/** Changes with every change of the map. */
const viewersVersion = signal(0);
/** More shares than anyone looks at in one sitting. */
const MAX_KNOWN = 10_000;

onReconnect(() => {
  viewersByShare.clear();
  viewersVersion.value += 1;
});
onChange(({ entity, update }) => {
  const shareUuid = update?.sharedLiveVideoStreamUuid;
  const viewers = update?.viewers;
  if (entity !== 'VIEWER' || typeof shareUuid !== 'string' || typeof viewers !== 'number') return;
  viewersByShare.delete(shareUuid);
  if (viewersByShare.size >= MAX_KNOWN) viewersByShare.delete(viewersByShare.keys().next().value!);
  viewersByShare.set(shareUuid, viewers);
  viewersVersion.value += 1;
});

/** How many watch it now; null: not known. */
export function viewersOf(share: ShareItem): number | null {
  // Read, so that whoever shows the number hears of the next one.
  void viewersVersion.value;
  return viewersByShare.get(share.uuid) ?? null;
}
