/** POST /api/camera/getFullCameraState: everything that is known about one camera. */

import { Type } from 'typebox';
import { lastSeenChangeMs } from '../../events/device-health.ts';
import type { Camera } from '../../store/entities.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import { deviceFacetUuid, flag } from '../fields/field-types.ts';
import { type CallContext, defineEndpoint } from '../http/endpoint.ts';
import { knownCamera } from '../types/camera-state.ts';
import { cameraHealth, deviceStateAnswer, EXAMPLE_CAMERA_REPORT } from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
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
      fullCameraState: fullDeviceState(
        deviceStateAnswer(
          {
            uuid: EXAMPLE_CAMERA_UUID,
            name: 'Lobby',
            serialNumber: null,
            createdAtMs: EXAMPLE_TIME_MS,
            locationUuid: EXAMPLE_LOCATION_UUID,
            mummified: false,
            supportedFacets: [VIDEO_FACET],
          },
          2,
          cameraHealth(EXAMPLE_CAMERA_REPORT),
        ),
        {
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
        },
      ),
    },
  },
  async handler(context, { cameraUuid, force = false }) {
    const { orgUuid, services } = context;
    const { camera } = await context.services.devices.findCamera(context.orgUuid, cameraUuid);
    const { uuid } = camera;
    // A page that can read one camera does not see its configuration.
    const isForPage = context.caller.onlyDevice !== null;
    const seen = await seenOf(context, camera, force);
    const nowMs = services.clock.epochMs();
    const [sharedCount = 0] = await services.counters.shareCounts([uuid]);
    const details = await services.devices.details(orgUuid, uuid);
    const config = isForPage ? {} : await services.devices.cameraConfig(orgUuid, uuid);
    // Read after the probe, because it includes the probe's result.
    const report = services.cameraStates.get(uuid);
    const sound = services.cameraSounds.get(uuid);
    return {
      fullCameraState: fullDeviceState(
        deviceStateAnswer(knownCamera(camera, details), sharedCount, cameraHealth(report)),
        {
          audioSupported: seen.audioSupported,
          connectionTimestampMs: await lastSeenChangeMs(services.store, orgUuid, nowMs, [uuid]),
          nowMs,
          onCameraState: {
            [VIDEO_FACET]: {
              streamState: report?.streamState ?? null,
              ...soundFields(sound),
              ...seen.onCameraState,
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

interface Seen {
  readonly audioSupported: boolean | null;
  readonly onCameraState: OnCameraState;
}

/** What the camera reports if it is opened for the call, otherwise what its RTSP endpoint last reported. */
async function seenOf(context: CallContext, camera: Camera, force: boolean): Promise<Seen> {
  const { rtspEndpoints } = context.services;
  if (!force) {
    const endpoint = await rtspEndpoints.endpointOf(context.orgUuid, camera.uuid);
    return { audioSupported: endpoint?.body.audioSupported ?? null, onCameraState: {} };
  }
  const { probe } = await rtspEndpoints.probeCamera(camera);
  const offered = (kind: string) => probe.offered.find((media) => media.kind === kind);
  const video = probe.tracks.find((track) => track.kind === 'video');
  return {
    audioSupported: probe.offered.length === 0 ? null : offered('audio') !== undefined,
    onCameraState: {
      rtspUrlStatus: probe.status,
      codec: offered('video')?.encodings[0] ?? null,
      width: video?.widthPx ?? null,
      height: video?.heightPx ?? null,
      frameRate: probe.frameRateHz,
    },
  };
}
