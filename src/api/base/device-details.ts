/**
 * What the API is told about a device and the gateway itself does not need. Kept beside the device and not in it, so
 * that a camera of the configuration file keeps its details when the file is read again.
 */

import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../../store/resource.ts';

export interface DeviceDetails {
  readonly description: string | null;
  readonly customData: string | null;
  readonly directionRadians: number | null;
  readonly floorNumber: number | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly facetNameMap: Readonly<Record<string, string>>;
  readonly policyUuid: Ruuid | null;
  readonly subLocationsHierarchyKey: string | null;
}

export const NO_DEVICE_DETAILS: DeviceDetails = {
  description: null,
  customData: null,
  directionRadians: null,
  floorNumber: null,
  latitude: null,
  longitude: null,
  facetNameMap: {},
  policyUuid: null,
  subLocationsHierarchyKey: null,
};

/** One per device, whose parent is the device. */
export const DEVICE_DETAILS: ResourceKind<DeviceDetails> = resourceKind('deviceDetails');

/** The uuid of a device's details. */
export function deviceDetailsUuid(deviceUuid: Ruuid): Ruuid {
  return deriveRuuid('device details', deviceUuid);
}

/** Details by device. */
export function detailsByDevice(
  resources: readonly Resource<DeviceDetails>[],
): ReadonlyMap<Ruuid, DeviceDetails> {
  const byDevice = new Map<Ruuid, DeviceDetails>();
  for (const { parentUuid, body } of resources) {
    if (parentUuid !== null) byDevice.set(parentUuid, body);
  }
  return byDevice;
}
