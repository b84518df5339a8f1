/** POST /api/relay/getFullNVRState: everything that is known about one NVR. */

import { Type } from 'typebox';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, flag } from '../../http/fields/field-types.ts';
import { deviceStateAnswer, deviceStateFor, nvrHealth } from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { FULL_DEVICE_STATE_SCHEMA, fullDeviceState } from '../types/full-device-state.ts';
import { EXAMPLE_NVR_STATE, knownNvr } from '../types/nvr-state.ts';

export const getFullNvrState = defineEndpoint({
  path: '/api/relay/getFullNVRState',
  summary: 'Reads everything that is known about an NVR.',
  description:
    '`onCameraState` has the stream state (`idle`, `starting`, `live`, `offline`) of each of its cameras, by camera. ' +
    '`onCloudState` is empty: NVRs have no configuration in Sluice.',
  request: Type.Object({
    nvruuid: deviceFacetUuid('The NVR.'),
    force: Type.Optional(flag('Accepted; every call assembles the state again.')),
  }),
  response: { fullNVRState: FULL_DEVICE_STATE_SCHEMA },
  example: {
    request: { nvruuid: EXAMPLE_NVR_UUID },
    response: {
      fullNVRState: fullDeviceState(EXAMPLE_NVR_STATE, {
        audioSupported: null,
        connectionTimestampMs: null,
        nowMs: EXAMPLE_TIME_MS,
        onCameraState: { [EXAMPLE_CAMERA_UUID]: { streamState: 'live' } },
        onCloudState: {},
      }),
    },
  },
  async handler(context, { nvruuid }) {
    const { orgUuid, services } = context;
    const { uuid } = parseDeviceFacetUuid(nvruuid)!;
    const { nvr, details, sharedCount, cameras, ...state } = await services.fullDeviceStates.nvr(
      orgUuid,
      uuid,
    );
    const health = nvrHealth(cameras.map(({ report }) => report));
    return {
      fullNVRState: fullDeviceState(
        deviceStateFor(context, deviceStateAnswer(knownNvr(nvr, details), sharedCount, health)),
        {
          audioSupported: null,
          connectionTimestampMs: state.lastChangeMs,
          nowMs: state.nowMs,
          onCameraState: Object.fromEntries(
            cameras.map(({ uuid: cameraUuid, report }) => [
              cameraUuid,
              { streamState: report?.streamState ?? null },
            ]),
          ),
          onCloudState: {},
          report: details.report,
        },
      ),
    };
  },
});
