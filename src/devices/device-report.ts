/**
 * A device's report about itself: its firmware, its network, where it stores its media. The gateway cannot see these. It stores the report
 * and shows it in states and records.
 */

import { firstDifference } from '../core/first-difference.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { type ReportOutcome, reportRecords, type TakenReport } from '../store/report-records.ts';
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

/** A device's report at a given time. Fields that are left out keep their earlier values. */
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

/**
 * A report that is not newer than its device's last one changes nothing. The outcome of an older one is that
 * `timestampMs` was kept; of one with the same time, the first field that differs.
 */
export function keepDeviceReports(
  store: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  nowMs: number,
  reported: readonly ReportedDevice[],
): Promise<ReportOutcome[]> {
  const take = (
    known: Resource<DeviceReportBody> | null,
    { deviceUuid, timestampMs, report }: ReportedDevice,
  ): TakenReport<DeviceReportBody> => {
    if (known !== null && timestampMs <= known.body.atMs) {
      const isOlder = timestampMs < known.body.atMs;
      const kept = isOlder ? 'timestampMs' : firstDifference(report, known.body.report);
      return { record: known, isAccepted: false, kept, changed: null };
    }
    const record = {
      uuid: deviceReportUuid(deviceUuid),
      orgUuid,
      name: '',
      parentUuid: deviceUuid,
      secret: null,
      body: { atMs: timestampMs, report: { ...known?.body.report, ...report } },
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    return { record, isAccepted: true, kept: null, changed: null };
  };
  const uuidOf = ({ deviceUuid }: ReportedDevice) => deviceReportUuid(deviceUuid);
  return reportRecords(store.resources.of(DEVICE_REPORTS), orgUuid, reported, uuidOf, take);
}
