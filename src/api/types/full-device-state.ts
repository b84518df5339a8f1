/** FullDeviceState: all known facts about a camera or an NVR, for the endpoints that read one device. */

import { type Static, type TSchema, Type } from 'typebox';
import type { DeviceReport } from '../../devices/device-report.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import {
  double,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
} from '../../http/fields/field-types.ts';
import { CLOCK_VERDICTS } from '../../rtp/camera-clock.ts';
import { RECORDING_REASONS } from '../../stream/media/recording-state.ts';
import { CAMERA_SIGNING_SCHEMA } from './camera-signing.ts';
import { CAMERA_TALK_SCHEMA } from './camera-talk.ts';
import { REPORTED_FULL_STATE_FIELDS } from './device-report-fields.ts';
import { DEVICE_STATE_PROPERTIES, type DeviceState } from './device-state.ts';

const CLOCK_SOURCES = ['arrival', 'camera'] as const;
const ANY_VALUE: TSchema = Type.Unsafe<unknown>({});

const ON_CAMERA_STATE = namedType('OnCameraState', {
  streamState: nullable(plainText('`idle`, `starting`, `live` or `offline`.')),
  sound: nullable(plainText('Whether viewers can hear the camera.')),
  soundEncoding: nullable(plainText('The encoding of its audio.')),
  soundOnly: nullable(flag('Whether it is open and sends sound and no video.')),
  recording: nullable(plainText('`off`, `standby`, `starting`, `recording` or `failed`.')),
  recordingReasons: nullable(
    listOf(
      oneOf(RECORDING_REASONS, 'Reason.'),
      'Why it is recorded, or on standby.',
      RECORDING_REASONS.length,
    ),
  ),
  recordingCode: nullable(plainText('Why recording failed: a code.')),
  clock: nullable(
    oneOf(CLOCK_VERDICTS, "Whether the camera's wall clock could date its frames, and if not, why not."),
  ),
  clockSource: nullable(oneOf(CLOCK_SOURCES, 'What dates the frames.')),
  clockOffsetMs: nullable(int64("The camera's wall clock minus the gateway's, milliseconds.")),
  clockDriftPpm: nullable(double("By how much the frames' clock is fast, parts per million.")),
  clockUncertaintyMs: nullable(double('How far arrival strays from a steady clock, milliseconds.')),
  clockJumps: nullable(int32("Jumps of the camera's clocks since it was opened.")),
  onvifClockOffsetMs: nullable(
    int64("The camera's clock by ONVIF minus the gateway's, milliseconds. A field of Sluice."),
  ),
  signing: nullable(CAMERA_SIGNING_SCHEMA),
  talk: nullable(CAMERA_TALK_SCHEMA),
  hasPublishKey: nullable(flag('Whether its device can push its video; absent if the gateway opens it.')),
  rtspUrlStatus: nullable(plainText('How its URL responded.')),
  codec: nullable(plainText('The codec of its video.')),
  width: nullable(int32('Pixels.')),
  height: nullable(int32('Pixels.')),
  frameRate: nullable(double('Frames per second.')),
});
/** Absent: not known, or not requested. */
export type OnCameraState = Partial<Static<typeof ON_CAMERA_STATE>>;

export const FULL_DEVICE_STATE_SCHEMA = namedType('FullDeviceState', {
  ...DEVICE_STATE_PROPERTIES,
  audioSupported: nullable(flag('Whether it offers audio; absent if not known.')),
  connectionTimestampMs: nullable(
    int64('When the gateway last noticed that the connection was lost or established, epoch milliseconds.'),
  ),
  stateUpdatedTimestampMs: int64('When this state was assembled, epoch milliseconds.'),
  onCameraState: mapOf(ON_CAMERA_STATE, 'By facet: what the device is doing, as the gateway sees it.'),
  onCloudState: mapOf(ANY_VALUE, 'By facet: its stored configuration.'),
  ...nullableFields(REPORTED_FULL_STATE_FIELDS),
});

/** Fields of a full state in addition to the minimal one. */
export interface FurtherState {
  readonly audioSupported: boolean | null;
  readonly connectionTimestampMs: number | null;
  readonly nowMs: number;
  readonly onCameraState: Readonly<Record<string, OnCameraState>>;
  readonly onCloudState: Readonly<Record<string, unknown>>;
  /** The device's report about itself; absent: none. */
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
    onCameraState: mapped(further.onCameraState),
    onCloudState: { ...further.onCloudState },
    ...responseFields(REPORTED_FULL_STATE_FIELDS, further.report ?? {}),
  };
}

const UNKNOWN_STATE: Static<typeof ON_CAMERA_STATE> = {
  streamState: null,
  sound: null,
  soundEncoding: null,
  soundOnly: null,
  rtspUrlStatus: null,
  talk: null,
  hasPublishKey: null,
  clock: null,
  clockSource: null,
  clockOffsetMs: null,
  clockDriftPpm: null,
  clockUncertaintyMs: null,
  clockJumps: null,
  onvifClockOffsetMs: null,
  signing: null,
  recording: null,
  recordingReasons: null,
  recordingCode: null,
  codec: null,
  width: null,
  height: null,
  frameRate: null,
};

function mapped(
  states: Readonly<Record<string, OnCameraState>>,
): Record<string, Static<typeof ON_CAMERA_STATE>> {
  return Object.fromEntries(
    Object.entries(states).map(([facet, state]) => [facet, { ...UNKNOWN_STATE, ...state }]),
  );
}
