/** Cameras as the API lists them, and what their state means in words. */

import { type Answer, call } from './api.ts';
import { t } from './words.ts';

export { shownState, stateOf } from './shown-state.ts';

export type CameraItem = Answer<'camera/getMinimalCameraStateList'>['cameraStates'][number];

export type CameraStateName = NonNullable<CameraItem['connectionDetail']>['state'];

export const STATE_NAMES: Readonly<Record<CameraStateName, string>> = {
  live: t('Streaming'),
  reachable: t('Ready'),
  connecting: t('Connecting'),
  'not-checked': t('Not checked yet'),
  offline: t('Offline'),
};

/** After a number, as in "184 ready". */
export const COUNTED_STATES: Readonly<Record<CameraStateName, string>> = {
  live: t('streaming'),
  reachable: t('ready'),
  connecting: t('connecting'),
  'not-checked': t('not checked yet'),
  offline: t('offline'),
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
