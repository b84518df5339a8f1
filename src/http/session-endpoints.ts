/** Which endpoints pages can call with a federated session (accounts/federated-session.ts). */

import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';

/** What pages that show cameras need to read. */
const VIEWED_CATEGORIES: ReadonlySet<string> = new Set([
  'audiogateway',
  'camera',
  'doorbellcamera',
  'event',
  'location',
  'video',
]);
const READING_OPERATION = /^(?:find|get)[A-Z]/;
/** These read a camera's configuration, which no page needs to show it. */
const CONFIGURATION_PATHS: ReadonlySet<string> = new Set([
  '/api/camera/getConfig',
  '/api/camera/getFacetedConfig',
  '/api/camera/getCameraSource',
  '/api/camera/getCameraStreamStates',
]);
const VALIDATE_PATH = '/api/integrations/validateToken';

/**
 * Everything that a session for one device can call, with the request field that names the device; null: the response is
 * not about a device. What is not listed is denied: lists, shares, events, locations, configuration.
 */
const DEVICE_FIELD_BY_PATH: ReadonlyMap<string, string | null> = new Map([
  ['/api/audiogateway/getMediaUris', 'gatewayUuid'],
  ['/api/camera/getCameraMediaUris', 'cameraUuid'],
  ['/api/camera/getFullCameraState', 'cameraUuid'],
  ['/api/camera/getMediaUris', 'cameraUuid'],
  ['/api/camera/getPresenceWindows', 'cameraUuid'],
  ['/api/camera/getUptimeWindows', 'cameraUuid'],
  ['/api/doorbellcamera/getMediaUris', 'deviceUuid'],
  [VALIDATE_PATH, null],
]);

/** The sessions that an endpoint accepts: `any`, only those for `all-devices`, or `none`. */
export type AdmittedSessions = 'any' | 'all-devices' | 'none';

/** Sessions can call endpoints that read what a page shows, and those that check whether a token works. */
export function admittedSessions(path: string): AdmittedSessions {
  if (DEVICE_FIELD_BY_PATH.has(path)) return 'any';
  if (CONFIGURATION_PATHS.has(path)) return 'none';
  const [, , category = '', operation = '', ...further] = path.split('/');
  const isViewed = VIEWED_CATEGORIES.has(category) && READING_OPERATION.test(operation);
  return isViewed && further.length === 0 ? 'all-devices' : 'none';
}

/** Whether a session for `device` can make this call. `request`: the body, which fits the endpoint's schema. */
export function isAboutDevice(path: string, request: object, device: Ruuid): boolean {
  const field = DEVICE_FIELD_BY_PATH.get(path);
  if (field === undefined) return false;
  return field === null || parseDeviceFacetUuid((request as Record<string, unknown>)[field])?.uuid === device;
}
