/** Finds the cameras that a report is about. A removed camera keeps its past. */

import { type ErrorContext, GatewayError } from '../../core/errors.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import type { ReportingDevice } from '../../store/crossing.ts';
import type { Store } from '../../store/store.ts';
import { REPORT_ERRORS } from './errors.ts';

/** With more cameras than this, one query for all of the organization's is cheaper than one for each. */
const MAX_SINGLE_LOOKUPS = 8;

/** The name of the list of devices in a request for a report. */
export type ReportedList = 'deviceUuids' | 'devices';

/** Parses a device, or one facet of it. */
export function reportingDevice(deviceFacetUuid: string): ReportingDevice {
  const { uuid: deviceUuid, facet } = parseDeviceFacetUuid(deviceFacetUuid)!;
  return { deviceUuid, facet };
}

/** Fails REPORT_DEVICE_NOT_FOUND; `list` and `index` in the context say which of several. */
export async function requireCameras(
  { cameras }: Pick<Store, 'cameras'>,
  orgUuid: Ruuid,
  devices: readonly ReportingDevice[],
  list: ReportedList = 'deviceUuids',
): Promise<void> {
  const known =
    devices.length > MAX_SINGLE_LOOKUPS
      ? await cameras.listRecords(orgUuid)
      : await Promise.all(devices.map(({ deviceUuid }) => cameras.find(orgUuid, deviceUuid)));
  const knownUuids = new Set(known.map((camera) => camera?.uuid));
  const index = devices.findIndex(({ deviceUuid }) => !knownUuids.has(deviceUuid));
  if (index >= 0) throw deviceNotFound(devices[index]!.deviceUuid, { list, index });
}

/** The same for one camera. */
export async function requireCamera(
  { cameras }: Pick<Store, 'cameras'>,
  orgUuid: Ruuid,
  { deviceUuid }: ReportingDevice,
): Promise<void> {
  if ((await cameras.find(orgUuid, deviceUuid)) === null) throw deviceNotFound(deviceUuid);
}

export function deviceNotFound(device: Ruuid, context: ErrorContext = {}): GatewayError {
  return new GatewayError(REPORT_ERRORS.REPORT_DEVICE_NOT_FOUND, { device, ...context });
}
