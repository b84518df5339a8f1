/**
 * What a device says about itself: its firmware, its network, where it stores its media. The gateway cannot see it, so it
 * is reported, and shown in states and records.
 */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';

/** The names and units are the specification's (docs/spec/types.md#fulldevicestate). */
export interface DeviceReport {
  readonly defaultInterface?: string;
  readonly defaultInterfaceMac?: string;
  readonly externalIPAddress?: string;
  readonly lanAddresses?: readonly string[];
  readonly secondaryLanAddresses?: readonly string[];
  readonly firmwareVersion?: string;
  readonly firmwareUpdateInProgress?: boolean;
  readonly hwVariation?: string;
  readonly mediaRegion?: string;
  readonly region?: string;
  readonly mediaStorageDeviceUuid?: string;
  readonly ssid?: string;
  readonly wifiApMac?: string;
  readonly wifiBars?: number;
  /** dBm. */
  readonly wifiSignalStrength?: number;
  readonly afSupport?: boolean;
  readonly baseVideoOperationUri?: string;
  readonly latestFirmwareVersion?: string;
  readonly maxZoomPercent?: number;
  readonly versionsBehind?: number;
  readonly archiveRegion?: string;
  readonly cameraFramerate?: number;
  readonly numThirdPartyCamerasSupported?: number;
  readonly primaryLinkSpeedMbps?: number;
  readonly secondaryLinkSpeedMbps?: number;
  readonly totalStreamingPixels?: number;
  /** Used if the gateway itself does not know it. */
  readonly serialNumber?: string;
  /** The same. */
  readonly supportedFacets?: readonly string[];
}

export interface DeviceReportBody {
  /** When this was observed. */
  readonly atMs: number;
  readonly report: DeviceReport;
}

/** What a device reported at a given time. Fields that are left out keep their earlier values. */
export interface ReportedDevice {
  readonly deviceUuid: Ruuid;
  readonly timestampMs: number;
  readonly report: DeviceReport;
}

/** One per device, whose parent is the device. */
export const DEVICE_REPORTS: ResourceKind<DeviceReportBody> = resourceKind('deviceReport');

/** The uuid of a device's report. */
export function deviceReportUuid(deviceUuid: Ruuid): Ruuid {
  return deriveRuuid('device report', deviceUuid);
}

/** Reports by device. */
export function reportsByDevice(
  resources: readonly Resource<DeviceReportBody>[],
): ReadonlyMap<Ruuid, DeviceReport> {
  const byDevice = new Map<Ruuid, DeviceReport>();
  for (const { parentUuid, body } of resources) {
    if (parentUuid !== null) byDevice.set(parentUuid, body.report);
  }
  return byDevice;
}

/** A report that is not newer than its device's last one changes nothing. Resolves with how many changed something. */
export async function keepDeviceReports(
  store: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  nowMs: number,
  reported: readonly ReportedDevice[],
): Promise<number> {
  const repository = store.resources.of(DEVICE_REPORTS);
  const reportedByUuid = Map.groupBy(reported, ({ deviceUuid }) => deviceReportUuid(deviceUuid));
  const acceptedByUuid = new Map<Ruuid, number>();
  await repository.changeAll(orgUuid, [...reportedByUuid.keys()], (known, uuid) => {
    let newest: Resource<DeviceReportBody> | null = known;
    let accepted = 0;
    for (const { deviceUuid, timestampMs, report } of reportedByUuid.get(uuid)!) {
      if (newest !== null && timestampMs <= newest.body.atMs) continue;
      newest = {
        ...{ uuid, orgUuid, name: '', parentUuid: deviceUuid, secret: null },
        body: { atMs: timestampMs, report: { ...newest?.body.report, ...report } },
        createdAtMs: newest?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
      accepted += 1;
    }
    acceptedByUuid.set(uuid, accepted);
    return accepted === 0 || newest === null ? 'unchanged' : newest;
  });
  return acceptedByUuid.values().reduce((sum, accepted) => sum + accepted, 0);
}
