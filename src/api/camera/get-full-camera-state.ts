/** POST /api/camera/getFullCameraState: everything that is known about one camera. */

import { Type } from 'typebox';
import type { SeenVideo } from '../../devices/full-device-states.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, flag } from '../../http/fields/field-types.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import { EXAMPLE_CAMERA_STATE, knownCamera } from '../types/camera-state.ts';
import { cameraHealth, deviceStateAnswer } from '../types/device-state.ts';
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
    'worker; `unsupported`: its encoding, named in `soundEncoding`; `unknown` while the camera is closed); and, with ' +
    '`force`, what the camera reported when it was opened for this call: `rtspUrlStatus`, `codec`, `width`, ' +
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
    // A page that can read one camera does not see its configuration.
    const withConfig = caller.onlyDevice === null;
    const state = await services.fullDeviceStates.camera(orgUuid, cameraUuid, {
      isOpened: force,
      withConfig,
    });
    const { camera, details, sharedCount, report, config } = state;
    return {
      fullCameraState: fullDeviceState(
        deviceStateAnswer(knownCamera(camera, details), sharedCount, cameraHealth(report)),
        {
          audioSupported: state.audioSupported,
          connectionTimestampMs: state.lastChangeMs,
          nowMs: state.nowMs,
          onCameraState: {
            [VIDEO_FACET]: {
              streamState: report?.streamState ?? null,
              ...soundFields(state.sound),
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

function soundFields(sound: SoundState | undefined): { sound: string; soundEncoding: string | null } {
  return { sound: sound?.state ?? 'unknown', soundEncoding: sound?.encoding ?? null };
}

function seenFields(seen: SeenVideo | null): OnCameraState {
  if (seen === null) return {};
  const { rtspUrlStatus, codec, widthPx: width, heightPx: height, frameRateHz: frameRate } = seen;
  return { rtspUrlStatus, codec, width, height, frameRate };
}
