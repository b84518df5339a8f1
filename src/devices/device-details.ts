/**
 * Details of a device that the API receives and the gateway itself does not need. They are stored next to the device and not in it, so that
 * a camera of the configuration file keeps them when the file is reloaded.
 */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { DeviceReport } from './device-report.ts';

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

/** Details, and the device's report about itself. */
export interface KnownDetails extends DeviceDetails {
  readonly report?: DeviceReport | undefined;
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

/** Details by device, for every device that has details or a report. */
export function detailsByDevice(
  resources: readonly Resource<DeviceDetails>[],
  reports: ReadonlyMap<Ruuid, DeviceReport>,
): ReadonlyMap<Ruuid, KnownDetails> {
  const byDevice = new Map<Ruuid, KnownDetails>();
  for (const [deviceUuid, report] of reports) byDevice.set(deviceUuid, { ...NO_DEVICE_DETAILS, report });
  for (const { parentUuid, body } of resources) {
    if (parentUuid !== null) byDevice.set(parentUuid, { ...body, report: reports.get(parentUuid) });
  }
  return byDevice;
}
