/** POST /api/relay/getFullNVRState: everything that is known about one NVR. */

import { Type } from 'typebox';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { lastSeenChangeMs } from '../../events/device-health.ts';
import { deviceFacetUuid, flag } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { deviceStateAnswer, EXAMPLE_CAMERA_REPORT, nvrHealth } from '../types/device-state.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_NVR_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { FULL_DEVICE_STATE_SCHEMA, fullDeviceState } from '../types/full-device-state.ts';
import { knownNvr } from '../types/nvr-state.ts';

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
      fullNVRState: fullDeviceState(
        deviceStateAnswer(
          {
            uuid: EXAMPLE_NVR_UUID,
            name: 'Core',
            serialNumber: 'NVR-0001',
            createdAtMs: EXAMPLE_TIME_MS,
            locationUuid: EXAMPLE_LOCATION_UUID,
            mummified: false,
            supportedFacets: [],
          },
          2,
          nvrHealth([EXAMPLE_CAMERA_REPORT]),
        ),
        {
          audioSupported: null,
          connectionTimestampMs: null,
          nowMs: EXAMPLE_TIME_MS,
          onCameraState: { [EXAMPLE_CAMERA_UUID]: { streamState: 'live' } },
          onCloudState: {},
        },
      ),
    },
  },
  async handler({ orgUuid, services }, { nvruuid }) {
    const nvr = await services.devices.findNvr(orgUuid, parseDeviceFacetUuid(nvruuid)!.uuid);
    const cameras = await services.devices.camerasBehind(orgUuid, nvr.uuid);
    const states = cameras.map((camera) => services.cameraStates.get(camera.uuid));
    const [sharedCount = 0] = await services.counters.shareCounts([nvr.uuid]);
    const nowMs = services.clock.epochMs();
    const behind = cameras.map((camera) => camera.uuid);
    const details = await services.devices.details(orgUuid, nvr.uuid);
    return {
      fullNVRState: fullDeviceState(
        deviceStateAnswer(knownNvr(nvr, details), sharedCount, nvrHealth(states)),
        {
          audioSupported: null,
          connectionTimestampMs: await lastSeenChangeMs(services.store, orgUuid, nowMs, behind),
          nowMs,
          onCameraState: Object.fromEntries(
            cameras.map(({ uuid: cameraUuid }, index) => [
              cameraUuid,
              { streamState: states[index]?.streamState ?? null },
            ]),
          ),
          onCloudState: {},
          report: details.report,
        },
      ),
    };
  },
});
