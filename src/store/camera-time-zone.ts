/** In which time zone the schedules of a camera count: that of its location, otherwise of its NVR's location. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Camera } from './entities.ts';

/** The time zone of locations for which none was chosen, and of cameras without a location. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** null: it has none. `nvrLocationOf`: of the NVR with this UUID. */
export function locationOfCamera(
  { locationUuid, nvrUuid }: Pick<Camera, 'locationUuid' | 'nvrUuid'>,
  nvrLocationOf: (nvrUuid: Ruuid) => Ruuid | null | undefined,
): Ruuid | null {
  return locationUuid ?? (nvrUuid === null ? null : (nvrLocationOf(nvrUuid) ?? null));
}

/** `camera`: undefined: it does not exist. `zoneOf`: of the location with this UUID. */
export function timeZoneOfCamera(
  camera: Pick<Camera, 'locationUuid' | 'nvrUuid'> | undefined,
  nvrLocationOf: (nvrUuid: Ruuid) => Ruuid | null | undefined,
  zoneOf: (locationUuid: Ruuid) => string | undefined,
): string {
  const locationUuid = camera === undefined ? null : locationOfCamera(camera, nvrLocationOf);
  return (locationUuid === null ? undefined : zoneOf(locationUuid)) ?? DEFAULT_TIME_ZONE;
}
