/** FullDeviceState: what is known of a camera or an NVR, for the endpoints that read one device. */

import { type Static, type TSchema, Type } from 'typebox';
import type { DeviceReport } from '../../devices/device-report.ts';
import { answeredFields, nullableFields } from '../fields/field-groups.ts';
import { flag, int64, mapOf, namedType, nullable } from '../fields/field-types.ts';
import { REPORTED_FULL_STATE_FIELDS } from './device-report-fields.ts';
import { DEVICE_STATE_PROPERTIES, type DeviceState } from './device-state.ts';

const ANY_VALUE: TSchema = Type.Unsafe<unknown>({});

export const FULL_DEVICE_STATE_SCHEMA = namedType('FullDeviceState', {
  ...DEVICE_STATE_PROPERTIES,
  audioSupported: nullable(flag('Whether it offers sound; null when it never said.')),
  connectionTimestampMs: nullable(
    int64('When the gateway last learned that it lost or got the connection, epoch milliseconds.'),
  ),
  stateUpdatedTimestampMs: int64('When this state was put together, epoch milliseconds.'),
  onCameraState: mapOf(ANY_VALUE, 'By facet: what the device does, as the gateway sees it.'),
  onCloudState: mapOf(ANY_VALUE, 'By facet: the configuration that was stored for it.'),
  ...nullableFields(REPORTED_FULL_STATE_FIELDS),
});

/** What a full state has beyond the minimal one. */
export interface FurtherState {
  readonly audioSupported: boolean | null;
  readonly connectionTimestampMs: number | null;
  readonly nowMs: number;
  readonly onCameraState: Readonly<Record<string, unknown>>;
  readonly onCloudState: Readonly<Record<string, unknown>>;
  /** What the device reported of itself; absent: nothing. */
  readonly report?: DeviceReport | undefined;
}

export function fullDeviceState(
  state: DeviceState,
  further: FurtherState,
): Static<typeof FULL_DEVICE_STATE_SCHEMA> {
  return {
    ...state,
    audioSupported: further.audioSupported,
    connectionTimestampMs: further.connectionTimestampMs,
    stateUpdatedTimestampMs: further.nowMs,
    onCameraState: { ...further.onCameraState },
    onCloudState: { ...further.onCloudState },
    ...answeredFields(REPORTED_FULL_STATE_FIELDS, further.report ?? {}),
  };
}
