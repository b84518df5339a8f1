/** Counts of objects at a camera, a location or all of the organization, for two reports. */

import { type Static, Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { deviceFacetUuid, oneOf } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { REPORT_ERRORS } from '../../reports/errors.ts';
import { type CountedType, type ObjectCounts, objectCounts } from '../../reports/object-counts.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import type { ReportingDevice } from '../../store/crossing.ts';
import { camerasAt } from '../platform/counting-cameras.ts';
import { type DATED_RANGE_PROPERTIES, datedRange } from './dated-range.ts';
import { SIZE_BY_INTERVAL } from './object-count-report.ts';

export const SCOPE_PROPERTIES = {
  scope: Type.Optional(oneOf(['DEVICE', 'LOCATION', 'ORG'], 'Where. Default ORG.')),
  uuid: Type.Optional(deviceFacetUuid('With DEVICE the camera, with LOCATION the location.')),
};

type Scope = Static<ReturnType<typeof Type.Object<typeof SCOPE_PROPERTIES>>>;
type Range = Static<ReturnType<typeof Type.Object<typeof DATED_RANGE_PROPERTIES>>>;

/** Fails INVALID_FIELD, and like objectCounts. */
export async function scopedCounts(
  context: CallContext,
  body: Scope & Range,
  wanted: { readonly interval: keyof typeof SIZE_BY_INTERVAL; readonly types: readonly CountedType[] },
): Promise<ObjectCounts[]> {
  const { orgUuid, services } = context;
  const devices = await devicesOf(context, body);
  const { timeZone } = body;
  const query = {
    ...{ ...datedRange(body), bucketSize: SIZE_BY_INTERVAL[wanted.interval], types: wanted.types },
    ...(timeZone === undefined ? {} : { timeZone }),
  };
  return objectCounts(services.crossingReports, orgUuid, devices, query).catch((thrown: unknown) => {
    const isUnknown =
      thrown instanceof GatewayError && thrown.code === REPORT_ERRORS.REPORT_DEVICE_NOT_FOUND.code;
    throw isUnknown ? invalidField('uuid: there is no device with this UUID.') : thrown;
  });
}

/** null: all of the organization. */
async function devicesOf(
  context: CallContext,
  { scope = 'ORG', uuid }: Scope,
): Promise<ReportingDevice[] | null> {
  if (scope === 'ORG') return null;
  if (uuid === undefined) throw invalidField(`uuid is required with scope ${scope}.`);
  if (scope === 'DEVICE') return [reportingDevice(uuid)];
  return (await camerasAt(context, uuid, 'uuid')).map((camera) => reportingDevice(camera));
}
