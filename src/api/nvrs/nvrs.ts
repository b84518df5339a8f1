/** NVRs: their states, details, and removal. */

import { Type } from 'typebox';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { KnownDetails } from '../../devices/device-details.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { RESPONSE_STATUS_SCHEMA } from '../../http/fields/response-status.ts';
import type { Nvr } from '../../store/entities.ts';
import {
  DEVICE_STATE_PROPERTIES,
  deviceStateFor,
  deviceStateResponse,
  EXAMPLE_CAMERA_REPORT,
  type KnownDevice,
  nvrHealth,
} from '../types/device-state.ts';
import { appliedPlace, DEVICE_DETAILS, DEVICE_UPDATE_PROPERTIES } from '../types/device-update.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_NVR_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { FULL_DEVICE_STATE_SCHEMA, fullDeviceState } from '../types/full-device-state.ts';
import {
  CAMERA_SCHEMA,
  cameraResponse,
  NVR_EXTERNAL_SCHEMA,
  nvrResponse,
} from '../types/registered-device-type.ts';

/** `details`: details that the API received about it, if any. */
function knownNvr(nvr: Nvr, details?: KnownDetails): KnownDevice {
  return {
    uuid: nvr.uuid,
    name: nvr.name,
    serialNumber: nvr.serialNumber,
    createdAtMs: nvr.createdAtMs,
    locationUuid: nvr.locationUuid,
    mummified: nvr.mummified,
    supportedFacets: [],
    details,
  };
}

const EXAMPLE_NVR_STATE = deviceStateResponse(
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
);

const NVR_STATE_SCHEMA = namedType('MinimalNVRState', {
  ...DEVICE_STATE_PROPERTIES,
  numThirdPartyCamerasAssigned: int32('How many cameras are behind it.'),
  numThirdPartyCamerasSupported: nullable(
    int32('How many it supports, as it reported; the gateway itself sets no limit per NVR.'),
  ),
});

/** The NVRs with their state and their share counts (docs/spec/rules.md#nvrs). */
const getMinimalNvrStateList = defineEndpoint({
  path: '/api/relay/getMinimalNVRStateList',
  summary: 'Lists the NVRs with their state.',
  description:
    'The shares of an NVR are the shares of its cameras. `connectionStatus` is RED if none of its cameras can be ' +
    'reached, and ORANGE if none has been contacted. `healthStatus` is YELLOW if some cannot be reached. Both are ' +
    'absent for an NVR without cameras.',
  request: Type.Object({}),
  response: { nvrstates: listOf(NVR_STATE_SCHEMA, 'The NVRs, sorted by name.') },
  example: {
    request: {},
    response: {
      nvrstates: [
        {
          ...EXAMPLE_NVR_STATE,
          numThirdPartyCamerasAssigned: 1,
          numThirdPartyCamerasSupported: null,
        },
      ],
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const states = await services.deviceStates.nvrs(orgUuid);
    return {
      nvrstates: states.map(({ nvr, details, sharedCount, reports }) => ({
        ...deviceStateFor(
          context,
          deviceStateResponse(knownNvr(nvr, details), sharedCount, nvrHealth(reports)),
        ),
        numThirdPartyCamerasAssigned: reports.length,
        numThirdPartyCamerasSupported: details?.report?.numThirdPartyCamerasSupported ?? null,
      })),
    };
  },
});

const getFullNvrState = defineEndpoint({
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
        deviceStateFor(context, deviceStateResponse(knownNvr(nvr, details), sharedCount, health)),
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

const MAX_NVRS_REQUESTED = 1_000;

const getNvrDetails = defineEndpoint({
  path: '/api/relay/getDetails',
  summary: 'Reads NVRs as records.',
  description:
    'In the order of the request; refused if one of them does not exist. Without `nvruuids`: all NVRs, announced ' +
    'ones (`pending`) last.',
  request: Type.Object({
    nvruuids: Type.Optional(listOf(ruuid('NVR.'), 'The NVRs.', MAX_NVRS_REQUESTED)),
  }),
  response: { nvrs: listOf(NVR_EXTERNAL_SCHEMA, 'The NVRs.') },
  example: {
    request: { nvruuids: [EXAMPLE_NVR_UUID] },
    response: {
      nvrs: [
        nvrResponse({
          uuid: EXAMPLE_NVR_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          locationUuid: EXAMPLE_LOCATION_UUID,
          name: 'Core',
          serialNumber: 'NVR-0001',
          createdAtMs: EXAMPLE_TIME_MS,
          mummified: false,
          fromConfig: false,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { nvruuids }) {
    const nvrs = await services.deviceStates.nvrRecords(orgUuid, nvruuids);
    return { nvrs: nvrs.map(({ nvr, details, isAnnounced }) => nvrResponse(nvr, details, isAnnounced)) };
  },
});

const getAssignedThirdPartyCameras = defineEndpoint({
  path: '/api/relay/getAssignedThirdPartyCameras',
  summary: 'Lists the cameras behind an NVR.',
  description: 'Including those of the configuration file, in the order in which they were assigned.',
  request: Type.Object({ nvruuid: ruuid('The NVR.') }),
  response: { assignedCameras: listOf(CAMERA_SCHEMA, 'The cameras.') },
  example: {
    request: { nvruuid: EXAMPLE_NVR_UUID },
    response: {
      assignedCameras: [
        cameraResponse({
          uuid: EXAMPLE_CAMERA_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          locationUuid: EXAMPLE_LOCATION_UUID,
          nvrUuid: EXAMPLE_NVR_UUID,
          kind: 'camera',
          name: 'Lobby',
          rtspUrl: new CredentialUrl('rtsp://192.0.2.10/stream1'),
          substreamUrl: null,
          onvifUrl: null,
          engine: 'auto',
          transport: 'auto',
          audio: 'auto',
          tls: 'any',
          clock: 'arrival',
          masks: [],
          masksForViewers: false,
          createdAtMs: EXAMPLE_TIME_MS,
          mummified: false,
          fromConfig: false,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { nvruuid }) {
    const assigned = await services.deviceStates.assignedCameras(orgUuid, nvruuid);
    return { assignedCameras: assigned.map(({ camera, details }) => cameraResponse(camera, details)) };
  },
});

const createNvr = defineEndpoint({
  path: '/api/relay/createNvr',
  summary: 'Creates an NVR.',
  description:
    'Cameras can then be assigned to it. Without a site of their own, they are where the NVR is. An NVR that reports by ' +
    'its serial number is announced instead: `/api/org/createPendingRegistration`.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    name: text('Its name.', MAX_NAME_LENGTH),
    locationUuid: Type.Optional(ruuid('Where it is. Default: nowhere.')),
  }),
  response: { nvrUuid: ruuid('The new NVR.') },
  example: {
    request: { name: 'Core', locationUuid: EXAMPLE_LOCATION_UUID },
    response: { nvrUuid: EXAMPLE_NVR_UUID },
  },
  async handler({ orgUuid, services }, { name, locationUuid = null }) {
    return { nvrUuid: await services.devices.createNvr(orgUuid, name, locationUuid) };
  },
});

const updateNvrDetailsV2 = defineEndpoint({
  path: '/api/relay/updateDetailsV2',
  summary: 'Changes the details of an NVR.',
  description:
    'A value counts only if its `…Updated` flag is true; if the value is then absent, it is cleared. `policyUuid` ' +
    'has no flag and counts if you send it. For an NVR of the configuration file, the file decides its name and its ' +
    'location: changing those is refused.',
  repetition: 'same-outcome',
  request: Type.Object(DEVICE_UPDATE_PROPERTIES),
  response: {},
  example: {
    request: { uuid: EXAMPLE_NVR_UUID, floorNumber: 2, floorNumberUpdated: true },
    response: {},
  },
  async handler({ orgUuid, services }, body) {
    await services.devices.updateNvr(orgUuid, body.uuid, {
      ...appliedPlace(body),
      details: {
        ...DEVICE_DETAILS.applied(body),
        ...(body.policyUuid !== undefined && { policyUuid: body.policyUuid }),
      },
    });
    return {};
  },
});

const unregisterNvr = defineEndpoint({
  path: '/api/relay/unregister',
  summary: 'Removes an NVR.',
  description:
    'Refused while cameras are assigned to it; the refusal names them. NVRs of the configuration file are refused ' +
    'too: remove them there.',
  repetition: 'same-outcome',
  request: Type.Object({ nvruuid: ruuid('The NVR.') }),
  response: { responseStatus: RESPONSE_STATUS_SCHEMA },
  example: { request: { nvruuid: EXAMPLE_NVR_UUID }, response: { responseStatus: 'SUCCESS' } },
  async handler({ orgUuid, services }, { nvruuid }) {
    await services.devices.removeNvr(orgUuid, nvruuid);
    return { responseStatus: 'SUCCESS' as const };
  },
});

export const NVR_ENDPOINTS: readonly Endpoint[] = [
  getMinimalNvrStateList,
  getFullNvrState,
  getNvrDetails,
  getAssignedThirdPartyCameras,
  createNvr,
  updateNvrDetailsV2,
  unregisterNvr,
];
