/** POST /api/relay/getMinimalThirdPartyCameraStateList: RTSP cameras with their state, assigned or not. */

import { type Static, Type } from 'typebox';
import type { ThirdPartyCamera } from '../../devices/device-states.ts';
import { hostOf, type RtspEndpoint } from '../../devices/rtsp-endpoint.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import type { Camera } from '../../store/entities.ts';
import { isPushed } from '../../store/pushed-address.ts';
import { maySeeAddresses, type WithCaller } from '../types/caller-rights.ts';
import { cameraStateAnswer } from '../types/camera-state.ts';
import { DEVICE_STATE_PROPERTIES, deviceStateAnswer, UNKNOWN_HEALTH } from '../types/device-state.ts';
import {
  EXAMPLE_RTSP_ENDPOINT,
  lastVisibleByLocation,
  RTSP_URL_STATUS_SCHEMA,
  TOLD_OVER_ONVIF,
} from './third-party-camera-types.ts';

const LAST_VISIBLE = int64('Epoch milliseconds.');

const THIRD_PARTY_CAMERA_STATE_SCHEMA = namedType('MinimalThirdPartyCameraState', {
  ...DEVICE_STATE_PROPERTIES,
  assignedNVRUuid: nullable(plainText('Its NVR; absent if it is not assigned.')),
  assignedRelayCameraUuid: nullable(
    ruuid('The camera that was created from it; absent if it is not assigned.'),
  ),
  rtspUrl: nullable(plainText('Its URL, without a login; absent if its device pushes its video.')),
  lastRtspUrlStatus: nullable(RTSP_URL_STATUS_SCHEMA),
  codec: nullable(plainText('The codec of its video; absent if not known.')),
  lastVisibleMs: mapOf(LAST_VISIBLE, 'When it last responded to a discovery, by its NVR.'),
  lastVisibleLocationMs: mapOf(LAST_VISIBLE, 'When it last responded to a discovery, by location.'),
  discoveredByDeviceUuid: nullable(ruuid('Always absent: the gateway itself runs the discovery.')),
  manufacturer: nullable(plainText(TOLD_OVER_ONVIF)),
  model: nullable(plainText(TOLD_OVER_ONVIF)),
});
type ThirdPartyCameraState = Static<typeof THIRD_PARTY_CAMERA_STATE_SCHEMA>;

export const getMinimalThirdPartyCameraStateList = defineEndpoint({
  path: '/api/relay/getMinimalThirdPartyCameraStateList',
  summary: 'Lists the RTSP cameras with their state.',
  description:
    'Cameras behind an NVR, including those of the configuration file, and RTSP endpoints that are not assigned. ' +
    '`uuid` is the camera’s, or the endpoint’s if it is not assigned.',
  request: Type.Object({}),
  response: {
    thirdPartyCameraStateList: listOf(THIRD_PARTY_CAMERA_STATE_SCHEMA, 'Sorted by name.'),
  },
  example: {
    request: {},
    response: { thirdPartyCameraStateList: [unassignedState(EXAMPLE_RTSP_ENDPOINT)] },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const cameras = await services.deviceStates.thirdPartyCameras(orgUuid);
    const answers = cameras.map((camera) => thirdPartyCameraState(context, camera));
    return { thirdPartyCameraStateList: answers };
  },
});

/** Without its address if the caller may not read addresses. An endpoint that is no camera yet has no other name. */
function thirdPartyCameraState(context: WithCaller, known: ThirdPartyCamera): ThirdPartyCameraState {
  const isAssigned = known.kind !== 'unassigned';
  const state = isAssigned
    ? { ...cameraStateAnswer(context, known.state), ...rtspState(known.state.camera, known.endpoint) }
    : unassignedState(known.endpoint);
  if (maySeeAddresses(context)) return state;
  return { ...state, rtspUrl: null, name: isAssigned ? state.name : '' };
}

function unassignedState(endpoint: RtspEndpoint): ThirdPartyCameraState {
  const device = {
    uuid: endpoint.uuid,
    name: hostOf(endpoint),
    serialNumber: null,
    createdAtMs: endpoint.createdAtMs,
    locationUuid: endpoint.body.locationUuid,
    mummified: false,
    supportedFacets: ['v0'],
  };
  return { ...deviceStateAnswer(device, 0, UNKNOWN_HEALTH), ...rtspState(null, endpoint) };
}

/** `camera`: null if the endpoint is not assigned; `endpoint`: undefined for cameras of the configuration file. */
function rtspState(camera: Camera | null, endpoint: RtspEndpoint | undefined) {
  const nvrUuid = camera?.nvrUuid ?? null;
  const lastVisibleMs = endpoint?.body.lastVisibleMs ?? null;
  return {
    assignedNVRUuid: nvrUuid,
    assignedRelayCameraUuid: camera?.uuid ?? null,
    rtspUrl: camera === null ? (endpoint?.body.rtspUrl ?? null) : urlOf(camera),
    lastRtspUrlStatus: endpoint?.body.lastStatus ?? null,
    codec: endpoint?.body.codec ?? null,
    lastVisibleMs: nvrUuid === null || lastVisibleMs === null ? {} : { [nvrUuid]: lastVisibleMs },
    lastVisibleLocationMs: endpoint === undefined ? {} : lastVisibleByLocation(endpoint),
    discoveredByDeviceUuid: null,
    manufacturer: endpoint?.body.onvif?.manufacturer ?? null,
    model: endpoint?.body.onvif?.model ?? null,
  };
}

/** null: the gateway does not open it. */
function urlOf({ rtspUrl }: Camera): string | null {
  return isPushed(rtspUrl) ? null : rtspUrl.redacted();
}
