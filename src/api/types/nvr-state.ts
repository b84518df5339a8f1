/** An NVR in device states. */

import type { KnownDetails } from '../../devices/device-details.ts';
import type { Nvr } from '../../store/entities.ts';
import type { KnownDevice } from './device-state.ts';

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
