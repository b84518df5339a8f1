/** Cameras as the API lists them, and what their state means in words. */

import { type Answer, call } from './api.ts';

export { shownState, stateOf } from './shown-state.ts';

export type CameraItem = Answer<'camera/getMinimalCameraStateList'>['cameraStates'][number];

export type CameraStateName = NonNullable<CameraItem['connectionDetail']>['state'];

export const STATE_NAMES: Readonly<Record<CameraStateName, string>> = {
  live: 'Streaming',
  reachable: 'Ready',
  connecting: 'Connecting',
  'not-checked': 'Not checked yet',
  offline: 'Offline',
};

export async function listCameras(signal: AbortSignal): Promise<readonly CameraItem[]> {
  const { cameraStates } = await call('camera/getMinimalCameraStateList', {}, signal);
  return cameraStates;
}

/** Names of locations by UUID. */
export async function listLocations(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { locations } = await call('location/getLocationsV2', {}, signal);
  return new Map(locations.map(({ uuid, name }) => [uuid, name]));
}
