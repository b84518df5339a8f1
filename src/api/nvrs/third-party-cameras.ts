/** RTSP and ONVIF cameras behind NVRs, assigned or not. */

import { type Static, Type } from 'typebox';
import type { ThirdPartyCamera } from '../../devices/device-states.ts';
import { hostOf, type RtspEndpoint } from '../../devices/rtsp-endpoint.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  flag,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { countingWith } from '../../http/fields/no-effect.ts';
import { invalidField } from '../../http/request-body.ts';
import { requestSentence } from '../../http/request-sentences.ts';
import type { Camera } from '../../store/entities.ts';
import { isPushed } from '../../store/pushed-address.ts';
import { maySeeAddresses, type WithCaller } from '../types/caller-rights.ts';
import { cameraStateResponse } from '../types/camera-state.ts';
import { DEVICE_STATE_PROPERTIES, deviceStateResponse, UNKNOWN_HEALTH } from '../types/device-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_NVR_UUID } from '../types/examples.ts';
import {
  EXAMPLE_RTSP_ENDPOINT,
  LOGIN_INPUT_PROPERTIES,
  lastVisibleByLocation,
  MAC_ADDRESS_INPUT,
  RTSP_URL_INPUT,
  RTSP_URL_STATUS_SCHEMA,
  TOLD_OVER_ONVIF,
} from './discovered-cameras.ts';

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

const getMinimalThirdPartyCameraStateList = defineEndpoint({
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
    const responses = cameras.map((camera) => thirdPartyCameraState(context, camera));
    return { thirdPartyCameraStateList: responses };
  },
});

/** Without its address if the caller may not read addresses. An endpoint that is not yet a camera has no other name. */
function thirdPartyCameraState(context: WithCaller, known: ThirdPartyCamera): ThirdPartyCameraState {
  const isAssigned = known.kind !== 'unassigned';
  const state = isAssigned
    ? { ...cameraStateResponse(context, known.state), ...rtspState(known.state.camera, known.endpoint) }
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
  return { ...deviceStateResponse(device, 0, UNKNOWN_HEALTH), ...rtspState(null, endpoint) };
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

/** `sha256:` and 32 bytes with colons in between. */
const MAX_TLS_LENGTH = 102;

const addThirdPartyCameraViaOnvif = defineEndpoint({
  path: '/api/relay/addThirdPartyCameraViaOnvif',
  summary: 'Finds a camera’s stream over ONVIF, and adds the camera if requested.',
  description:
    'Asks the camera at `ipAddress` for its streams, stores them as RTSP endpoints, and opens the first. `found` is ' +
    'false if nothing at the address speaks ONVIF or accepts the login. `assignmentMsg` says why, and why the camera ' +
    'was not assigned. In neither case does the call fail. It takes up to 20 seconds.',
  repetition: 'once',
  request: Type.Object({
    ipAddress: text(
      'Its address, followed by a colon and the port unless that is 80, or 443 with `tls`.',
      64,
    ),
    tls: Type.Optional(
      text(
        'Asks over HTTPS, and says what the certificate must prove: `any` accepts every certificate, `verify` requires ' +
          'one that is valid for the address, `sha256:` with a fingerprint requires exactly that one. It counts for the ' +
          'assigned camera from then on, for an rtsps stream too. A field of Sluice. Default: HTTP.',
        MAX_TLS_LENGTH,
      ),
    ),
    ...LOGIN_INPUT_PROPERTIES,
    autoAssign: Type.Optional(flag('Whether to assign it to `nvrUuid`. Default false.')),
    nvrUuid: Type.Optional(countingWith(ruuid('The NVR to assign it to.'), 'autoAssign')),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    name: Type.Optional(countingWith(text('Its name; default: its host.', MAX_NAME_LENGTH), 'autoAssign')),
  }),
  response: {
    found: flag('Whether a camera was found and its streams are now known.'),
    assignedDeviceUuid: nullable(deviceFacetUuid('The new camera; absent if it was not assigned.')),
    assignmentMsg: nullable(plainText('Why it was not found or not assigned.')),
    ipAddress: plainText('Its address.'),
    macAddress: nullable(plainText('What other calls use as its MAC address.')),
    manufacturer: nullable(plainText('Its manufacturer.')),
    model: nullable(plainText('Its model.')),
    name: nullable(plainText('Its name.')),
    codec: nullable(plainText('The codec of its video.')),
    rtspUrl: nullable(plainText('The URL of its main stream, without a login.')),
  },
  example: {
    request: {
      ipAddress: '192.0.2.10',
      username: 'viewer',
      password: 'correct horse',
      autoAssign: true,
      nvrUuid: EXAMPLE_NVR_UUID,
    },
    response: {
      found: true,
      assignedDeviceUuid: EXAMPLE_CAMERA_UUID,
      assignmentMsg: null,
      ipAddress: '192.0.2.10',
      macAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
      manufacturer: 'Example',
      model: 'Dome 4',
      name: '192.0.2.10',
      codec: 'h264',
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
    },
  },
  async handler({ orgUuid, services }, body) {
    const { ipAddress, username, password, trySavedCredentials = false, autoAssign = false } = body;
    const { nvrUuid, locationUuid, name, tls } = body;
    const { device, endpoint, cameraUuid, failure } = await services.onvifCameras.add(orgUuid, {
      address: ipAddress,
      tls,
      username,
      password,
      trySavedCredentials,
      isAssigned: autoAssign,
      nvrUuid,
      locationUuid,
      name,
    });
    return {
      found: endpoint !== null,
      assignedDeviceUuid: cameraUuid,
      assignmentMsg: failure === null ? null : requestSentence(failure),
      ipAddress,
      macAddress: endpoint?.body.macAddress ?? null,
      manufacturer: device?.manufacturer ?? null,
      model: device?.model ?? null,
      name: endpoint === null ? null : (name ?? hostOf(endpoint)),
      codec: endpoint?.body.codec ?? null,
      rtspUrl: endpoint?.body.rtspUrl ?? null,
    };
  },
});

const assignThirdPartyCameraToNvr = defineEndpoint({
  path: '/api/relay/assignThirdPartyCameraToNVR',
  summary: 'Creates a camera from an RTSP endpoint.',
  description:
    'From then on, the gateway streams the new camera. The endpoint must have been GOOD or NOT_SUPPORTED when last ' +
    'tried; the latter streams if ffmpeg can read it. `rtspUrl` is optional if the camera has only one endpoint.',
  repetition: 'once',
  request: Type.Object({
    nvruuid: ruuid('The NVR to assign it to.'),
    discoveredCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
    name: Type.Optional(text('Its name; default: its host.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(
      ruuid('Where it is; default: the location of its discovery, otherwise the NVR’s.'),
    ),
  }),
  response: { deviceUuid: deviceFacetUuid('The new camera.') },
  example: {
    request: {
      nvruuid: EXAMPLE_NVR_UUID,
      discoveredCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
      name: 'Loading dock',
    },
    response: { deviceUuid: EXAMPLE_CAMERA_UUID },
  },
  async handler(context, { nvruuid, discoveredCameraMacAddress, ...assignment }) {
    const { cameraUuid, status } = await context.services.rtspEndpoints.assign(context.orgUuid, {
      ...assignment,
      nvrUuid: nvruuid,
      macAddress: discoveredCameraMacAddress,
    });
    if (status === 'NOT_SUPPORTED') {
      context.warn(
        'The direct engine supports none of the camera’s streams: the gateway tries ffmpeg instead.',
      );
    }
    return { deviceUuid: cameraUuid };
  },
});

const unassignThirdPartyCamera = defineEndpoint({
  path: '/api/relay/unassignThirdPartyCamera',
  summary: 'Removes a camera that was created from an RTSP endpoint.',
  description:
    'The gateway stops streaming the camera; its shares and its configuration are removed too. The endpoint stays ' +
    'and can be assigned again. Name the camera by its UUID, or by MAC address and URL; if you send both, they must ' +
    'match.',
  repetition: 'same-outcome',
  request: Type.Object({
    thirdPartyCameraUuid: Type.Optional(deviceUuid('The camera.')),
    thirdPartyCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
  }),
  response: {},
  example: { request: { thirdPartyCameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, body) {
    const { thirdPartyCameraUuid, thirdPartyCameraMacAddress: macAddress, rtspUrl } = body;
    if (thirdPartyCameraUuid === undefined && macAddress === undefined && rtspUrl === undefined) {
      throw invalidField('thirdPartyCameraUuid is required if you give neither MAC address nor URL.');
    }
    await services.rtspEndpoints.unassign(orgUuid, thirdPartyCameraUuid, { macAddress, rtspUrl });
    return {};
  },
});

export const THIRD_PARTY_CAMERA_ENDPOINTS: readonly Endpoint[] = [
  getMinimalThirdPartyCameraStateList,
  addThirdPartyCameraViaOnvif,
  assignThirdPartyCameraToNvr,
  unassignThirdPartyCamera,
];
