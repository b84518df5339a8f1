/** States of cameras and of their streams. */

import { type Static, Type } from 'typebox';
import type { CredentialUrl } from '../../core/secret.ts';
import type { CameraStreamState } from '../../devices/camera-stream-states.ts';
import type { SeenVideo } from '../../devices/full-device-states.ts';
import type { StreamSample } from '../../devices/stream-samples.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import { isPushed, publishDigestOf } from '../../store/pushed-address.ts';
import { CONNECTION_STATES, NOT_CHECKED, type StreamConnection } from '../../stream/camera-connection.ts';
import type { RecordingReason, RecordingState } from '../../stream/media/recording-state.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import { CAMERA_FAULT_REASONS } from '../../stream/source/camera-fault.ts';
import { adviceFor } from '../../stream/source/camera-fault-advice.ts';
import { maySeeAddresses } from '../types/caller-rights.ts';
import { CAMERA_SIGNING_SCHEMA, cameraSigning, EXAMPLE_SIGNING } from '../types/camera-signing.ts';
import {
  CAMERA_STATE_SCHEMA,
  cameraStateResponse,
  EXAMPLE_CAMERA_STATE,
  knownCamera,
} from '../types/camera-state.ts';
import { cameraTalk } from '../types/camera-talk.ts';
import {
  cameraHealth,
  DEVICE_STATE_PROPERTIES,
  type DeviceState,
  deviceStateFor,
  deviceStateResponse,
} from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_DOORBELL_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { FULL_DEVICE_STATE_SCHEMA, fullDeviceState, type OnCameraState } from '../types/full-device-state.ts';

const getMinimalCameraStateList = defineEndpoint({
  path: '/api/camera/getMinimalCameraStateList',
  summary: 'Lists the cameras with their state.',
  description:
    'Includes doorbell cameras. `connectionStatus` is GREEN while the camera is streaming, or if it is closed ' +
    'because no one is watching and its last contact succeeded; YELLOW while it is being opened; ORANGE if no one ' +
    'has contacted it since the gateway started or its URL changed; RED if the last contact failed. ' +
    '`connectionDetail` says why.',
  request: Type.Object({
    includeMummified: Type.Optional(flag('Whether to include removed cameras. Default false.')),
  }),
  response: { cameraStates: listOf(CAMERA_STATE_SCHEMA, 'The cameras, sorted by name.') },
  example: {
    request: {},
    response: {
      cameraStates: [EXAMPLE_CAMERA_STATE],
    },
  },
  async handler(context, { includeMummified = false }) {
    const { orgUuid, services } = context;
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameraStates: states.map((state) => cameraStateResponse(context, state)) };
  },
});

/** This older type has neither YELLOW nor the newer health details. */
const STATUSES = ['RED', 'ORANGE', 'GREEN'] as const;
const HEALTH_DETAILS = ['DISCONNECTED', 'FIRMWARE_BEHIND', 'NONE'] as const;

/** In the order of the type. */
const FIELDS = [
  'uuid',
  'name',
  'serialNumber',
  'locationUuid',
  'policyUuid',
  'mummified',
  'liveStreamShared',
  'connectionStatus',
  'healthStatus',
  'healthStatusDetails',
  'floorNumber',
  'latitude',
  'longitude',
  'defaultInterface',
  'defaultInterfaceMac',
  'lanAddresses',
  'mediaRegion',
  'region',
  'ssid',
  'wifiApMac',
  'wifiBars',
  'wifiSignalStrength',
] as const;

const MINIMAL_CAMERA_SCHEMA = namedType('MinimalCamera', {
  ...pick(DEVICE_STATE_PROPERTIES, FIELDS),
  connectionStatus: nullable(
    oneOf(
      STATUSES,
      'GREEN: the gateway can reach it. ORANGE: it is being opened, or no one has checked yet. RED: it is offline.',
    ),
  ),
  healthStatus: nullable(oneOf(STATUSES, 'Whether it works as it should.')),
  healthStatusDetails: nullable(oneOf(HEALTH_DETAILS, 'What is wrong.')),
});

const getMinimalList = defineEndpoint({
  path: '/api/camera/getMinimalList',
  summary: 'Lists the cameras, in brief.',
  description:
    'Includes doorbell cameras. `/api/camera/getMinimalCameraStateList` says more about each, such as why it is ' +
    'offline.',
  request: Type.Object({
    includeMummified: Type.Optional(flag('Whether to include removed cameras. Default false.')),
  }),
  response: { cameras: listOf(MINIMAL_CAMERA_SCHEMA, 'The cameras, sorted by name.') },
  example: {
    request: {},
    response: {
      cameras: [minimalCameraResponse(EXAMPLE_CAMERA_STATE)],
    },
  },
  async handler(context, { includeMummified = false }) {
    const { orgUuid, services } = context;
    const states = await services.deviceStates.cameras(orgUuid, { includeMummified });
    return { cameras: states.map((state) => minimalCameraResponse(cameraStateResponse(context, state))) };
  },
});

function minimalCameraResponse(state: DeviceState): Static<typeof MINIMAL_CAMERA_SCHEMA> {
  const { healthStatusDetails: details } = state;
  return {
    ...pick(state, FIELDS),
    connectionStatus: statusResponse(state.connectionStatus),
    healthStatus: statusResponse(state.healthStatus),
    healthStatusDetails:
      details === null ? null : (HEALTH_DETAILS.find((known) => known === details) ?? 'NONE'),
  };
}

function statusResponse(status: DeviceState['connectionStatus']): (typeof STATUSES)[number] | null {
  return status === 'YELLOW' ? 'ORANGE' : status;
}

function pick<T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as unknown as Pick<T, Name>;
}

const getMinimalDoorbellStateList = defineEndpoint({
  path: '/api/doorbellcamera/getMinimalStateList',
  summary: 'Lists the doorbell cameras with their state.',
  description:
    'Like `/api/camera/getMinimalCameraStateList`, but only for doorbell cameras that were not removed.',
  request: Type.Object({}),
  response: { minimalStates: listOf(CAMERA_STATE_SCHEMA, 'Sorted by name.') },
  example: {
    request: {},
    response: {
      minimalStates: [
        {
          ...EXAMPLE_CAMERA_STATE,
          uuid: EXAMPLE_DOORBELL_UUID,
          name: 'Front door',
          liveStreamsSharedCount: 1,
        },
      ],
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const filter = { kind: 'doorbell', includeMummified: false } as const;
    const states = await services.deviceStates.cameras(orgUuid, filter);
    return { minimalStates: states.map((state) => cameraStateResponse(context, state)) };
  },
});

/** The one video facet of a camera. */
const VIDEO_FACET = 'v0';

const getFullCameraState = defineEndpoint({
  path: '/api/camera/getFullCameraState',
  summary: 'Reads everything that is known about a camera.',
  description:
    '`onCloudState.v0` is the configuration that `/api/camera/updateConfig` stored. `onCameraState.v0` is what the ' +
    'gateway sees: `streamState` (`idle`, `starting`, `live`, `offline`); `sound`, whether viewers can hear the ' +
    'camera (`live`; `none`: it has no audio; `silent`: it announces audio but sends none; `waiting`: for an ffmpeg ' +
    'worker; `unsupported`: its encoding, named in `soundEncoding`; `unknown` while the camera is closed); ' +
    '`soundOnly`, whether the camera is open and sends sound and no video; ' +
    '`recording`, if it was recorded since the gateway started (`off`; `standby`: at the next event or scheduled time; ' +
    '`starting`: nothing written yet; `recording`; `failed`, with the error in `recordingCode`: the disk is full or ' +
    'broken, and the gateway keeps trying, or its schedule is missing), with why in `recordingReasons` (`always`, ' +
    '`schedule`, `events`; `shares`: a share has `vodEnabled`; `manual`: a person started it); while a direct connection is open, the clocks of the ' +
    'camera: `clock`, whether its wall clock is fit to date its frames (`sane`, or why not), `clockSource`, what dates ' +
    'them, `clockOffsetMs`, `clockDriftPpm`, `clockUncertaintyMs` and `clockJumps`; ' +
    '`signing`, what the signatures of a camera that the gateway reads directly say about its video (ONVIF Media ' +
    'Signing); ' +
    '`onvifClockOffsetMs`, how many milliseconds the clock of a camera with an ONVIF service is ahead of the gateway’s ' +
    '(GetSystemDateAndTime, read every five minutes and with `force`; accurate to a second); `talk`, whether the caller ' +
    'may talk to it, up the WebSocket of `wanLiveOpusUri`, and why not; `hasPublishKey`, if its ' +
    'device pushes its video; and, with `force`, what the camera reported when it was opened for this call: ' +
    '`rtspUrlStatus`, `codec`, `width`, ' +
    '`height`, `frameRate`. With `force` the call takes up to 10 seconds.',
  request: Type.Object({
    cameraUuid: deviceFacetUuid('The camera.'),
    force: Type.Optional(flag('Whether to open the camera now. Default false.')),
  }),
  response: { fullCameraState: FULL_DEVICE_STATE_SCHEMA },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, force: true },
    response: {
      fullCameraState: fullDeviceState(EXAMPLE_CAMERA_STATE, {
        audioSupported: true,
        connectionTimestampMs: EXAMPLE_TIME_MS,
        nowMs: EXAMPLE_TIME_MS,
        onCameraState: {
          [VIDEO_FACET]: {
            streamState: 'live',
            sound: 'live',
            soundEncoding: null,
            soundOnly: false,
            clock: 'sane',
            clockSource: 'arrival',
            clockOffsetMs: -120,
            clockDriftPpm: 14.5,
            clockUncertaintyMs: 3.2,
            clockJumps: 0,
            signing: EXAMPLE_SIGNING,
            onvifClockOffsetMs: 240,
            talk: cameraTalk({ role: 'operator', hasWay: true, isConnected: true }),
            recording: 'recording',
            recordingReasons: ['always'],
            recordingCode: null,
            rtspUrlStatus: 'GOOD',
            codec: 'h264',
            width: 1920,
            height: 1080,
            frameRate: 25,
          },
        },
        onCloudState: { [VIDEO_FACET]: { rotation: 180, hdr_enabled: true } },
      }),
    },
  },
  async handler(context, { cameraUuid, force = false }) {
    const { orgUuid, caller, services } = context;
    // A page that can read one camera does not see its configuration, nor does anyone who is not an admin.
    const withConfig = caller.role === 'admin' && maySeeAddresses(context);
    const state = await services.fullDeviceStates.camera(orgUuid, cameraUuid, {
      isOpened: force,
      withConfig,
    });
    const { camera, details, sharedCount, report, config } = state;
    return {
      fullCameraState: fullDeviceState(
        deviceStateFor(
          context,
          deviceStateResponse(knownCamera(camera, details), sharedCount, cameraHealth(report)),
        ),
        {
          audioSupported: state.audioSupported,
          connectionTimestampMs: state.lastChangeMs,
          nowMs: state.nowMs,
          onCameraState: {
            [VIDEO_FACET]: {
              streamState: report?.streamState ?? null,
              ...soundFields(state.sound),
              ...clockFields(state.clockReading),
              signing: cameraSigning(state.signing),
              onvifClockOffsetMs: state.onvifClockOffsetMs,
              recording: state.recording?.state ?? null,
              recordingReasons: reasonsOf(state.recording),
              recordingCode: state.recording?.code ?? null,
              talk: cameraTalk({
                role: caller.role,
                hasWay: services.hasWayToSpeakers && isRtsp(camera.rtspUrl),
                isConnected: report?.streamState !== 'offline',
              }),
              ...publishFields(camera.rtspUrl),
              ...seenFields(state.seen),
            },
          },
          onCloudState: Object.keys(config).length === 0 ? {} : { [VIDEO_FACET]: config },
          report: details.report,
        },
      ),
    };
  },
});

/** null: there is none. */
function reasonsOf(recording: RecordingState | undefined): RecordingReason[] | null {
  return recording === undefined || recording.reasons.length === 0 ? null : [...recording.reasons];
}

function soundFields(
  sound: SoundState | undefined,
): Pick<OnCameraState, 'sound' | 'soundEncoding' | 'soundOnly'> {
  const { state = 'unknown', encoding = null, isAlone = false } = sound ?? {};
  return { sound: state, soundEncoding: encoding, soundOnly: state === 'unknown' ? null : isAlone };
}

function clockFields(reading: ClockReading | null): OnCameraState {
  if (reading === null) return {};
  const { verdict, offsetMs, driftPpm, uncertaintyMs, jumps, cameraTime } = reading;
  return {
    clock: verdict,
    clockSource: cameraTime === null ? 'arrival' : 'camera',
    clockOffsetMs: offsetMs === null ? null : Math.round(offsetMs),
    clockDriftPpm: rounded(driftPpm),
    clockUncertaintyMs: rounded(uncertaintyMs),
    clockJumps: jumps,
  };
}

/** To a tenth. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}

/** Pushed video, and video over HTTP, has no way back. */
function isRtsp({ protocol }: CredentialUrl): boolean {
  return protocol === 'rtsp:' || protocol === 'rtsps:';
}

function publishFields(address: CredentialUrl): OnCameraState {
  return isPushed(address) ? { hasPublishKey: publishDigestOf(address) !== null } : {};
}

function seenFields(seen: SeenVideo | null): OnCameraState {
  if (seen === null) return {};
  const { rtspUrlStatus, codec, widthPx: width, heightPx: height, frameRateHz: frameRate } = seen;
  return { rtspUrlStatus, codec, width, height, frameRate };
}

const MAX_CAMERAS = 1_000;

const STREAM_STATE_SCHEMA = namedType('CameraStreamStateType', {
  state: oneOf(CONNECTION_STATES, 'As in `connectionDetail`.'),
  sinceMs: nullable(int64('When this began; absent: when the gateway first saw the camera.')),
  offlineSinceMs: nullable(int64('As in `connectionDetail`.')),
  checkedAtMs: nullable(int64('When it last responded or failed to; absent: never contacted.')),
  errorCode: nullable(plainText('Why it is offline; absent if it is not.')),
  errorReason: nullable(oneOf(CAMERA_FAULT_REASONS, 'The same as a word.')),
  errorSentence: nullable(plainText('The same as a sentence.')),
  errorAdvice: nullable(plainText('What to do about it.')),
  nextRetryMs: nullable(
    int64('When the gateway tries or checks it again; absent: it is not offline, or no try is planned.'),
  ),
  waitingBehind: nullable(
    int32('Streams that get an ffmpeg worker earlier; absent: it does not wait for one.'),
  ),
  codecs: nullable(listOf(plainText('As RFC 6381 writes it.'), 'Its codecs; absent while it is closed.')),
  width: nullable(int32('Width in pixels.')),
  height: nullable(int32('Height in pixels.')),
  frameRate: nullable(double('Frames per second, measured.')),
  bitsPerSec: nullable(int64('Bits per second of what is in the live window.')),
  keyFrameDistanceSec: nullable(double('Seconds between the last two key frames.')),
  droppedFrames: nullable(int64('Frames that were lost, damaged or left out since it was opened.')),
  clockDriftPpm: nullable(double('How much faster the camera’s clock runs, in millionths.')),
  worker: nullable(flag('Whether an ffmpeg worker carries it.')),
});

const CAMERA_STREAM_STATES_SCHEMA = namedType('CameraStreamStatesType', {
  cameraUuid: ruuid('The camera.'),
  name: plainText('Its name.'),
  declared: flag('Whether the configuration file declares it: then it can only be changed there.'),
  viewers: int32('Viewers on this gateway, of all its shares and without one.'),
  signing: nullable(CAMERA_SIGNING_SCHEMA),
  main: STREAM_STATE_SCHEMA,
  sub: nullable(STREAM_STATE_SCHEMA),
});

const getCameraStreamStates = defineEndpoint({
  path: '/api/camera/getCameraStreamStates',
  summary: 'Reads what the streams of cameras do now.',
  description:
    'For each camera its main stream and, if it has one, its substream: state, why it is offline and what to do, and ' +
    'what an open stream is like. Measurements are at most two seconds old; the gateway takes them once for all ' +
    'callers. No field has an address. Federated sessions cannot call it.',
  isExtension: true,
  request: Type.Object({
    cameraUuids: Type.Optional(listOf(deviceUuid('Camera.'), 'Only these; all if absent.', MAX_CAMERAS)),
  }),
  response: { cameras: listOf(CAMERA_STREAM_STATES_SCHEMA, 'Sorted by name, without removed cameras.') },
  example: {
    request: { cameraUuids: [EXAMPLE_CAMERA_UUID] },
    response: {
      cameras: [
        {
          cameraUuid: EXAMPLE_CAMERA_UUID,
          name: 'Lobby',
          declared: false,
          viewers: 3,
          signing: EXAMPLE_SIGNING,
          sub: null,
          main: streamResponse(
            {
              state: 'live',
              sinceEpochMs: EXAMPLE_TIME_MS,
              checkedAtEpochMs: EXAMPLE_TIME_MS,
              fault: null,
              retryAtEpochMs: null,
            },
            {
              codecs: ['avc1.640028', 'mp4a.40.2'],
              widthPx: 1_920,
              heightPx: 1_080,
              frameRateHz: 25,
              bitsPerSec: 4_000_000,
              keyFrameDistanceMs: 2_000,
              droppedFrames: 0,
              clockDriftPpm: 14.5,
              hasWorker: false,
            },
          ),
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { cameraUuids }) {
    const states = await services.cameraStreamStates.list(orgUuid, cameraUuids ?? null);
    return { cameras: states.map(cameraResponse) };
  },
});

function cameraResponse(state: CameraStreamState): Static<typeof CAMERA_STREAM_STATES_SCHEMA> {
  const { camera, report, sample, signing } = state;
  const sub = report?.sub ?? null;
  return {
    cameraUuid: camera.uuid,
    name: camera.name,
    declared: camera.fromConfig,
    viewers: sample?.viewers ?? 0,
    signing: cameraSigning(signing),
    main: streamResponse(report?.main ?? NOT_CHECKED, sample?.main ?? null),
    sub: sub === null ? null : streamResponse(sub, sample?.sub ?? null),
  };
}

function streamResponse(
  {
    state,
    sinceEpochMs,
    offlineSinceEpochMs,
    checkedAtEpochMs,
    fault,
    retryAtEpochMs,
    waiting,
  }: StreamConnection,
  sample: StreamSample | null,
): Static<typeof STREAM_STATE_SCHEMA> {
  const distanceMs = sample?.keyFrameDistanceMs ?? null;
  return {
    state,
    sinceMs: sinceEpochMs,
    offlineSinceMs: offlineSinceEpochMs ?? null,
    checkedAtMs: checkedAtEpochMs,
    errorCode: fault?.code ?? null,
    errorReason: fault?.reason ?? null,
    errorSentence: fault?.message ?? null,
    errorAdvice: fault === null ? null : adviceFor(fault),
    nextRetryMs: retryAtEpochMs,
    waitingBehind: waiting?.ahead ?? null,
    codecs: sample === null ? null : [...sample.codecs],
    width: sample?.widthPx ?? null,
    height: sample?.heightPx ?? null,
    frameRate: sample?.frameRateHz ?? null,
    bitsPerSec: sample?.bitsPerSec ?? null,
    keyFrameDistanceSec: distanceMs === null ? null : distanceMs / 1_000,
    droppedFrames: sample?.droppedFrames ?? null,
    clockDriftPpm: sample?.clockDriftPpm ?? null,
    worker: sample?.hasWorker ?? null,
  };
}

export const CAMERA_STATE_ENDPOINTS: readonly Endpoint[] = [
  getMinimalCameraStateList,
  getMinimalList,
  getMinimalDoorbellStateList,
  getFullCameraState,
  getCameraStreamStates,
];
