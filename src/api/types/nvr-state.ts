/** An NVR in device states. */

import type { KnownDetails } from '../../devices/device-details.ts';
import type { Nvr } from '../../store/entities.ts';
import { deviceStateAnswer, EXAMPLE_CAMERA_REPORT, type KnownDevice, nvrHealth } from './device-state.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_NVR_UUID, EXAMPLE_TIME_MS } from './examples.ts';

/** `details`: what the API received about it, if anything. */
export function knownNvr(nvr: Nvr, details?: KnownDetails): KnownDevice {
  return {
    uuid: nvr.uuid,
    name: nvr.name,
    serialNumber: nvr.serialNumber,
    createdAtMs: nvr.createdAtMs,
    locationUuid: nvr.locationUuid,
    mummified: nvr.mummified,
    supportedFacets: [],
    details,
  };
}

export const EXAMPLE_NVR_STATE = deviceStateAnswer(
  {
    uuid: EXAMPLE_NVR_UUID,
    name: 'Core',
    serialNumber: 'NVR-0001',
    createdAtMs: EXAMPLE_TIME_MS,
    locationUuid: EXAMPLE_LOCATION_UUID,
    mummified: false,
    supportedFacets: [],
  },
  2,
  nvrHealth([EXAMPLE_CAMERA_REPORT]),
);
