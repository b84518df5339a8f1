/** Which cameras need attention, and how many: the one definition for all pages. */

import { type Answer, call } from './api.ts';
import { type CameraPauses, readPauses } from './camera-pause.ts';
import { type CameraItem, listCameras } from './camera-state.ts';
import { stateOf } from './shown-state.ts';

/** One trouble of a camera or an NVR; none of cameras that are paused. */
export type DeviceTrouble = Answer<'event/getUnhealthyDeviceAlerts'>['unhealthyDeviceAlerts'][number];

export interface CameraHealth {
  readonly cameras: readonly CameraItem[];
  readonly pauses: CameraPauses;
  /** The newest first. */
  readonly troubles: readonly DeviceTrouble[];
  /** Cameras that need attention. */
  readonly attention: ReadonlySet<string>;
}

/** Each camera counts once. */
export interface FleetVerdict {
  readonly count: number;
  readonly attention: number;
  /** Offline, and paused for maintenance. */
  readonly paused: number;
  readonly unchecked: number;
  readonly fine: number;
}

/** Those that the caller may see. Fails with a CallError. */
export async function readCameraHealth(signal: AbortSignal): Promise<CameraHealth> {
  const [cameras, pauses, troubles] = await Promise.all([
    listCameras(signal),
    readPauses(signal),
    readTroubles(signal),
  ]);
  return { cameras, pauses, troubles, attention: cameraAttention(cameras, pauses, troubles) };
}

/** Takes long where devices reported much: a long list of cameras does not wait for it. Fails with a CallError. */
export async function readTroubles(signal: AbortSignal): Promise<readonly DeviceTrouble[]> {
  return (await call('event/getUnhealthyDeviceAlerts', {}, signal)).unhealthyDeviceAlerts;
}

/** Cameras that are offline or have another trouble, and are not paused for maintenance. */
export function cameraAttention(
  cameras: readonly CameraItem[],
  pauses: ReadonlyMap<string, unknown>,
  troubles: readonly Pick<DeviceTrouble, 'deviceUuid'>[],
): ReadonlySet<string> {
  const troubled = new Set(troubles.map(({ deviceUuid }) => deviceUuid));
  return new Set(
    cameras
      .filter((camera) => stateOf(camera) === 'offline' || troubled.has(camera.uuid))
      .map(({ uuid }) => uuid)
      .filter((uuid) => !pauses.has(uuid)),
  );
}

export function verdictOf(cameras: readonly CameraItem[], attention: ReadonlySet<string>): FleetVerdict {
  let [needing, paused, unchecked] = [0, 0, 0];
  for (const camera of cameras) {
    const state = stateOf(camera);
    if (attention.has(camera.uuid)) needing += 1;
    else if (state === 'offline') paused += 1;
    else if (state === 'not-checked') unchecked += 1;
  }
  const count = cameras.length;
  return { count, attention: needing, paused, unchecked, fine: count - needing - paused - unchecked };
}

/** How many are offline, paused or not. */
export function offlineCount(cameras: readonly CameraItem[]): number {
  return cameras.filter((camera) => stateOf(camera) === 'offline').length;
}
