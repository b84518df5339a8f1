/** POST /api/camera/getFullCameraState: everything that is known about one camera. */

import { Type } from 'typebox';
import type { CredentialUrl } from '../../core/secret.ts';
import type { SeenVideo } from '../../devices/full-device-states.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, flag } from '../../http/fields/field-types.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import { isPushed, publishDigestOf } from '../../store/pushed-address.ts';
import type { RecordingReason, RecordingState } from '../../stream/media/recording-state.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import { maySeeAddresses } from '../types/caller-rights.ts';
import { EXAMPLE_CAMERA_STATE, knownCamera } from '../types/camera-state.ts';
import { cameraHealth, deviceStateAnswer, deviceStateFor } from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { FULL_DEVICE_STATE_SCHEMA, fullDeviceState, type OnCameraState } from '../types/full-device-state.ts';

/** The one video facet of a camera. */
const VIDEO_FACET = 'v0';

export const getFullCameraState = defineEndpoint({
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
    '`schedule`, `events`; `shares`: a share has `vodEnabled`); while a direct connection is open, the clocks of the ' +
    'camera: `clock`, whether its wall clock is fit to date its frames (`sane`, or why not), `clockSource`, what dates ' +
    'them, `clockOffsetMs`, `clockDriftPpm`, `clockUncertaintyMs` and `clockJumps`; ' +
    '`onvifClockOffsetMs`, how many milliseconds the clock of a camera with an ONVIF service is ahead of the gateway’s ' +
    '(GetSystemDateAndTime, read every five minutes and with `force`; accurate to a second); `hasPublishKey`, if its ' +
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
            ...{
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
              onvifClockOffsetMs: 240,
              recording: 'recording',
              recordingReasons: ['always'],
              recordingCode: null,
              rtspUrlStatus: 'GOOD',
              codec: 'h264',
            },
            ...{ width: 1920, height: 1080, frameRate: 25 },
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
          deviceStateAnswer(knownCamera(camera, details), sharedCount, cameraHealth(report)),
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
              onvifClockOffsetMs: state.onvifClockOffsetMs,
              recording: state.recording?.state ?? null,
              recordingReasons: reasonsOf(state.recording),
              recordingCode: state.recording?.code ?? null,
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

function publishFields(address: CredentialUrl): OnCameraState {
  return isPushed(address) ? { hasPublishKey: publishDigestOf(address) !== null } : {};
}

function seenFields(seen: SeenVideo | null): OnCameraState {
  if (seen === null) return {};
  const { rtspUrlStatus, codec, widthPx: width, heightPx: height, frameRateHz: frameRate } = seen;
  return { rtspUrlStatus, codec, width, height, frameRate };
}
