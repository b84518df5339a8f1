/** Devices that are unhealthy now: cameras and NVRs that are down, and problems in the newest reports. */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CameraRecord } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import { cameraPausesOf } from './camera-pauses.ts';
import { type DeviceHealthEvent, newestHealthEvents } from './device-health.ts';
import type { UnhealthySymptom } from './unhealthy-device.ts';

export interface UnhealthyDevice {
  /** The same while it lasts. */
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly deviceUuid: Ruuid;
  readonly symptom: UnhealthySymptom;
  /** When it was first known, epoch milliseconds. */
  readonly sinceMs: number;
}

export interface UnhealthyDevicesOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs' | 'events' | 'resources'>;
  /** The current state of a camera; undefined: the gateway does not run it. */
  readonly cameraStates: { get(cameraUuid: Ruuid): CameraReport | undefined };
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** One per device and symptom, the newest first; none of cameras that are paused. */
export async function unhealthyDevices(
  options: UnhealthyDevicesOptions,
  orgUuid: Ruuid,
): Promise<UnhealthyDevice[]> {
  const nowMs = options.clock.epochMs();
  const events = await newestHealthEvents(options.store, orgUuid, nowMs);
  const isCameraPaused = await cameraPausesOf(options.store, orgUuid);
  const isPaused = (cameraUuid: Ruuid) => isCameraPaused(cameraUuid, nowMs);
  const found = new Map<Ruuid, UnhealthyDevice>();
  const down = await downDevices(options, orgUuid, events, nowMs, isPaused);
  for (const each of [...down, ...reportedDevices(events)]) {
    if (!isPaused(each.deviceUuid) && !found.has(each.uuid)) found.set(each.uuid, each);
  }
  return [...found.values()].toSorted((a, b) => b.sinceMs - a.sinceMs);
}

/** Cameras and NVRs whose state is down now, regardless of recorded events. */
async function downDevices(
  { store, cameraStates }: UnhealthyDevicesOptions,
  orgUuid: Ruuid,
  events: readonly DeviceHealthEvent[],
  nowMs: number,
  isPaused: (cameraUuid: Ruuid) => boolean,
): Promise<UnhealthyDevice[]> {
  const seenMs = new Map<Ruuid, number>();
  for (const { deviceUuid, body, atMs } of events) {
    if (body.seenBy === 'gateway' && body.symptom === 'DOWN') seenMs.set(deviceUuid, atMs);
  }
  /** null: it is not down; undefined: not known. */
  const sinceMsOf = ({ uuid }: CameraRecord): number | null | undefined => {
    const main = cameraStates.get(uuid)?.main;
    if (main === undefined) return undefined;
    // A node of an earlier version does not report since when.
    if (main.state === 'offline') return main.offlineSinceEpochMs ?? seenMs.get(uuid) ?? nowMs;
    return main.offlineSinceEpochMs ?? null;
  };
  const cameras = (await store.cameras.listRecords(orgUuid)).filter(
    (camera) => !camera.mummified && !isPaused(camera.uuid),
  );
  const down: UnhealthyDevice[] = [];
  for (const camera of cameras) {
    const sinceMs = sinceMsOf(camera) ?? null;
    if (sinceMs !== null) down.push(unhealthy(orgUuid, camera.uuid, 'DOWN', sinceMs));
  }
  const camerasByNvr = Map.groupBy(cameras, (camera) => camera.nvrUuid);
  for (const nvr of await store.nvrs.list(orgUuid)) {
    const times = (camerasByNvr.get(nvr.uuid) ?? [])
      .map(sinceMsOf)
      .filter((sinceMs) => sinceMs !== undefined);
    // While one of its cameras can be reached, so can the NVR. It is down since its last camera went offline.
    if (nvr.mummified || times.length === 0 || times.includes(null)) continue;
    down.push(unhealthy(orgUuid, nvr.uuid, 'DOWN', Math.max(...times.filter((sinceMs) => sinceMs !== null))));
  }
  return down;
}

function reportedDevices(events: readonly DeviceHealthEvent[]): UnhealthyDevice[] {
  const reported: UnhealthyDevice[] = [];
  for (const { orgUuid, deviceUuid, body, atMs } of events) {
    if (body.seenBy === 'gateway' || body.symptom === null) continue;
    reported.push(unhealthy(orgUuid, deviceUuid, body.symptom, atMs));
  }
  return reported;
}

function unhealthy(
  orgUuid: Ruuid,
  deviceUuid: Ruuid,
  symptom: UnhealthySymptom,
  sinceMs: number,
): UnhealthyDevice {
  const uuid = deriveRuuid('unhealthy device', `${orgUuid}\0${deviceUuid}\0${symptom}`);
  return { uuid, orgUuid, deviceUuid, symptom, sinceMs };
}
