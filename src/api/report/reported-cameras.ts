/** Finds the cameras that a report is about. One that was removed keeps its past. */

import { GatewayError } from '../../core/errors.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import type { ReportingDevice } from '../../store/crossing.ts';
import type { CallContext } from '../base/endpoint.ts';
import { REPORT_ERRORS } from './errors.ts';

/** Beyond this many cameras, one query for all of the organisation's is cheaper than one for each. */
const MAX_SINGLE_LOOKUPS = 8;

/** Fails REPORT_DEVICE_NOT_FOUND with a sentence that names the field. */
export async function findReportedCameras(
  { orgUuid, services }: CallContext,
  deviceFacetUuids: readonly string[],
  field: string,
): Promise<ReportingDevice[]> {
  const { cameras } = services.store;
  const devices = deviceFacetUuids.map((text) => {
    const { uuid: deviceUuid, facet } = parseDeviceFacetUuid(text)!;
    return { deviceUuid, facet };
  });
  const known =
    devices.length > MAX_SINGLE_LOOKUPS
      ? await cameras.listRecords(orgUuid)
      : await Promise.all(devices.map(({ deviceUuid }) => cameras.find(orgUuid, deviceUuid)));
  const knownUuids = new Set(known.map((camera) => camera?.uuid));
  for (const [index, { deviceUuid }] of devices.entries()) {
    if (knownUuids.has(deviceUuid)) continue;
    const name = deviceFacetUuids.length === 1 && field === 'deviceUuid' ? field : `${field}[${index}]`;
    throw new GatewayError(REPORT_ERRORS.REPORT_DEVICE_NOT_FOUND, {
      sentence: `${name}: there is no device with this UUID.`,
    });
  }
  return devices;
}
