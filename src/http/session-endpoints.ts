/** Which endpoints pages can call with a federated session (accounts/federated-session.ts). */

import { parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';

/** Categories that pages with cameras need to read. */
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
  '/api/camera/getLineCrossingEnabledCamerasForLocation',
]);
const VALIDATE_PATH = '/api/integrations/validateToken';

/**
 * Every endpoint that a session for one device can call, with the request fields that name the device; none: the response is not about a
 * device. Other endpoints are denied: lists, shares, events, locations, configuration.
 */
const DEVICE_FIELDS_BY_PATH: ReadonlyMap<string, readonly string[]> = new Map([
  ['/api/audiogateway/getMediaUris', ['gatewayUuid', 'deviceUuid']],
  ['/api/camera/getCameraMediaUris', ['cameraUuid', 'deviceUuid']],
  ['/api/camera/getFullCameraState', ['cameraUuid']],
  ['/api/camera/getMediaUris', ['cameraUuid', 'deviceUuid']],
  ['/api/camera/getPresenceWindows', ['cameraUuid']],
  ['/api/camera/getUptimeWindows', ['cameraUuid']],
  ['/api/doorbellcamera/getMediaUris', ['deviceUuid']],
  [VALIDATE_PATH, []],
]);

/** The sessions that an endpoint accepts: `any`, only those for `all-devices`, or `none`. */
export type AdmittedSessions = 'any' | 'all-devices' | 'none';

/** Sessions can call endpoints that read the data of a page, and those that check whether a token works. */
export function admittedSessions(path: string): AdmittedSessions {
  if (DEVICE_FIELDS_BY_PATH.has(path)) return 'any';
  if (CONFIGURATION_PATHS.has(path)) return 'none';
  const [, , category = '', operation = '', ...further] = path.split('/');
  const isViewed = VIEWED_CATEGORIES.has(category) && READING_OPERATION.test(operation);
  return isViewed && further.length === 0 ? 'all-devices' : 'none';
}

/**
 * Whether a session for `device` can make this call: each field that names a device names this one. `request`: the body,
 * which fits the endpoint's schema.
 */
export function isAboutDevice(path: string, request: object, device: Ruuid): boolean {
  const fields = DEVICE_FIELDS_BY_PATH.get(path);
  if (fields === undefined) return false;
  const given = fields.map((field) => (request as Record<string, unknown>)[field] ?? null);
  const named = given.filter((value) => value !== null);
  const areThis = named.every((value) => parseDeviceFacetUuid(value)?.uuid === device);
  return areThis && (fields.length === 0 || named.length > 0);
}
