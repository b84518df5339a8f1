/** Cameras as the API lists them, and what their state means in words. */

import { call } from './api.ts';

export interface StreamDetail {
  readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
  readonly sinceMs: number | null;
  readonly checkedAtMs: number | null;
  readonly retryAtMs: number | null;
  readonly reason: string | null;
  readonly code: string | null;
  readonly message: string | null;
  /** What to do about it. */
  readonly advice: string | null;
}

export interface CameraItem {
  readonly uuid: string;
  readonly name: string;
  readonly locationUuid: string | null;
  readonly liveStreamsSharedCount: number;
  readonly connectionDetail: (StreamDetail & { readonly substream: StreamDetail | null }) | null;
}

export interface LocationItem {
  readonly uuid: string;
  readonly name: string;
}

export type CameraStateName = StreamDetail['state'];

export const STATE_NAMES: Readonly<Record<CameraStateName, string>> = {
  live: 'Streaming',
  reachable: 'Ready',
  connecting: 'Connecting',
  'not-checked': 'Not checked yet',
  offline: 'Offline',
};

export function stateOf({ connectionDetail }: CameraItem): CameraStateName {
  return connectionDetail?.state ?? 'not-checked';
}

export async function listCameras(signal: AbortSignal): Promise<readonly CameraItem[]> {
  const { cameraStates } = await call<{ cameraStates: readonly CameraItem[] }>(
    'camera/getMinimalCameraStateList',
    {},
    signal,
  );
  return cameraStates;
}

/** Names of locations by UUID. */
export async function listLocations(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { locations } = await call<{ locations: readonly LocationItem[] }>(
    'location/getLocationsV2',
    {},
    signal,
  );
  return new Map(locations.map(({ uuid, name }) => [uuid, name]));
}
