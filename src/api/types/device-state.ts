/**
 * Fields that MinimalDeviceState and MinimalNVRState share (docs/spec/rules.md#nvrs). Sluice knows a device's streams and
 * the details that the API received about it. Fields about firmware, network and storage contain the device's own report
 * (devices/device-report.ts).
 */

import { type Static, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { cameraColors, DEVICE_STATUSES, nvrColors } from '../../devices/connection-colors.ts';
import { type KnownDetails, NO_DEVICE_DETAILS } from '../../devices/device-details.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import {
  double,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { type CameraReport, NOT_CHECKED } from '../../stream/camera-connection.ts';
import { maySeeAddresses, type WithCaller } from './caller-rights.ts';
import {
  CONNECTION_DETAIL_SCHEMA,
  type ConnectionDetail,
  connectionDetail,
  NO_PLACE,
} from './connection-detail.ts';
import { REPORTED_STATE_FIELDS } from './device-report-fields.ts';
import { EXAMPLE_TIME_MS } from './examples.ts';

const HEALTH_DETAILS = [
  'DISCONNECTED',
  'FIRMWARE_BEHIND',
  'NOT_RECORDING',
  'LINK_SPEED_LOW',
  'MALFUNCTIONING_MODULES',
  'CALIBRATING',
  'DELAYED',
  'NONE',
] as const;

/** The lists of a report are empty, not null, if nothing was reported. */
const { lanAddresses, secondaryLanAddresses, ...REPORTED_VALUES } = REPORTED_STATE_FIELDS;

/** Fields that both types have. */
export const DEVICE_STATE_PROPERTIES = {
  uuid: ruuid('The device.'),
  name: plainText('Its name.'),
  serialNumber: nullable(plainText('Its serial number.')),
  createdAtMillis: int64('When it was registered, epoch milliseconds.'),
  locationUuid: nullable(ruuid('Where it is.')),
  mummified: flag('True if it was removed but its footage is kept.'),
  liveStreamShared: flag('True if at least one of its shared live streams has not expired.'),
  liveStreamsSharedCount: int32('How many of its shared live streams have not expired.'),
  connectionStatus: nullable(
    oneOf(
      DEVICE_STATUSES,
      'Whether the gateway can reach it: GREEN yes, YELLOW it is being opened, ORANGE not checked yet, RED no; ' +
        'absent if the gateway does not run it.',
    ),
  ),
  connectionDetail: nullable(CONNECTION_DETAIL_SCHEMA),
  healthStatus: nullable(oneOf(DEVICE_STATUSES, 'Whether it works as it should.')),
  healthStatusDetails: nullable(oneOf(HEALTH_DETAILS, 'What is wrong.')),
  supportedFacets: listOf(plainText('Facet.'), 'Its facets, such as `v0`.'),
  facetNameMap: mapOf(plainText('Name.'), 'Names of facets.'),
  policyUuid: nullable(ruuid('The alert policy assigned to it.')),
  subLocationsHierarchyKey: nullable(plainText('Its sublocation.')),
  floorNumber: nullable(int32('The floor it is on.')),
  directionRadians: nullable(double('The direction that it faces, clockwise from north.')),
  latitude: nullable(double('Degrees north.')),
  longitude: nullable(double('Degrees east.')),
  ...nullableFields(REPORTED_VALUES),
  lanAddresses,
  secondaryLanAddresses,
};

const DEVICE_STATE_SCHEMA = Type.Object(DEVICE_STATE_PROPERTIES);
export type DeviceState = Static<typeof DEVICE_STATE_SCHEMA>;

/** Known facts about a device. */
export interface KnownDevice {
  readonly uuid: Ruuid;
  readonly name: string;
  readonly serialNumber: string | null;
  readonly createdAtMs: number;
  readonly locationUuid: Ruuid | null;
  readonly mummified: boolean;
  readonly supportedFacets: readonly string[];
  /** Details that the API received about it; absent: none. */
  readonly details?: KnownDetails | undefined;
}

/** The status fields. */
export type DeviceHealth = Pick<
  DeviceState,
  'connectionStatus' | 'connectionDetail' | 'healthStatus' | 'healthStatusDetails'
>;

export const UNKNOWN_HEALTH: DeviceHealth = {
  connectionStatus: null,
  connectionDetail: null,
  healthStatus: null,
  healthStatusDetails: null,
};

/** `sharedCount`: shares that have not expired. */
export function deviceStateResponse(
  device: KnownDevice,
  sharedCount: number,
  health: DeviceHealth,
): DeviceState {
  const details: KnownDetails = device.details ?? NO_DEVICE_DETAILS;
  const { report = {} } = details;
  return {
    uuid: device.uuid,
    name: device.name,
    serialNumber: device.serialNumber ?? report.serialNumber ?? null,
    createdAtMillis: device.createdAtMs,
    locationUuid: device.locationUuid,
    mummified: device.mummified,
    liveStreamShared: sharedCount > 0,
    liveStreamsSharedCount: sharedCount,
    connectionStatus: health.connectionStatus,
    connectionDetail: health.connectionDetail,
    healthStatus: health.healthStatus,
    healthStatusDetails: health.healthStatusDetails,
    supportedFacets: [...(report.supportedFacets ?? device.supportedFacets)],
    facetNameMap: { ...details.facetNameMap },
    policyUuid: details.policyUuid,
    subLocationsHierarchyKey: details.subLocationsHierarchyKey,
    floorNumber: details.floorNumber,
    directionRadians: details.directionRadians,
    latitude: details.latitude,
    longitude: details.longitude,
    ...responseFields(REPORTED_VALUES, report),
    lanAddresses: [...(report.lanAddresses ?? [])],
    secondaryLanAddresses: [...(report.secondaryLanAddresses ?? [])],
  };
}

/** Replaces the fields that reveal where a device is in the network. */
const NO_ADDRESSES = {
  defaultInterface: null,
  defaultInterfaceMac: null,
  externalIPAddress: null,
  lanAddresses: [],
  secondaryLanAddresses: [],
  ssid: null,
  wifiApMac: null,
} satisfies Partial<DeviceState>;

/** The state as the caller may read it. */
export function deviceStateFor<State extends DeviceState>(context: WithCaller, state: State): State {
  if (maySeeAddresses(context)) return state;
  const { connectionDetail: detail } = state;
  return { ...state, ...NO_ADDRESSES, connectionDetail: detail === null ? null : withoutPlace(detail) };
}

function withoutPlace(detail: ConnectionDetail): ConnectionDetail {
  const { substream } = detail;
  return { ...detail, ...NO_PLACE, substream: substream === null ? null : { ...substream, ...NO_PLACE } };
}

/** Example for the documents. */
export const EXAMPLE_CAMERA_REPORT: CameraReport = {
  streamState: 'live',
  main: { ...NOT_CHECKED, state: 'live', sinceEpochMs: EXAMPLE_TIME_MS, checkedAtEpochMs: EXAMPLE_TIME_MS },
  sub: null,
};

/** A camera's health according to its main stream. Undefined: the gateway does not run this camera. */
export function cameraHealth(report: CameraReport | undefined): DeviceHealth {
  if (report === undefined) return UNKNOWN_HEALTH;
  return { ...cameraColors(report), connectionDetail: connectionDetail(report) };
}

/** An NVR's health according to its cameras. Its detail is that of the camera in the best state. */
export function nvrHealth(cameras: readonly (CameraReport | undefined)[]): DeviceHealth {
  const seen = nvrColors(cameras);
  if (seen === null) return UNKNOWN_HEALTH;
  return { ...seen.colors, connectionDetail: connectionDetail({ ...seen.best, sub: null }) };
}
