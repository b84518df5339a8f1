/** Discovered cameras and their RTSP endpoints, before they are assigned. Passwords are never returned. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { hostOf, type RtspEndpoint, rtspEndpointUuid } from '../../devices/rtsp-endpoint.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { RtspUrlStatus } from '../../sources/probe.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_RTSP_URL_LENGTH = 2_048;
const MAC_ADDRESS_LENGTH = 17;

const RTSP_URL_STATUSES = ['UNKNOWN', 'NOT_REACHABLE', 'NOT_AUTHENTICATED', 'NOT_SUPPORTED', 'GOOD'] as const;

const STATUS_MEANING =
  'GOOD: it streams; NOT_SUPPORTED: it responds, but the direct engine supports none of its streams; ' +
  'NOT_AUTHENTICATED: it requires another login; NOT_REACHABLE: nothing responds at the address; UNKNOWN: it failed ' +
  'in another way.';

export const RTSP_URL_STATUS_SCHEMA = oneOf<RtspUrlStatus>(RTSP_URL_STATUSES, STATUS_MEANING);

export const RTSP_URL_INPUT = text(
  'The URL: `rtsp` or `rtsps`, or `rtsp+http` or `rtsp+https` for RTSP over HTTP.',
  MAX_RTSP_URL_LENGTH,
);

export const MAC_ADDRESS_INPUT = text(
  'The camera’s MAC address, as returned by the discovery.',
  MAC_ADDRESS_LENGTH,
);

/** The login. */
export const LOGIN_INPUT_PROPERTIES = {
  username: Type.Optional(text('User name. Without a user name and a password, the URL’s own are used.')),
  password: Type.Optional(text('Password. Stored encrypted if the camera accepts it; never returned.')),
  trySavedCredentials: Type.Optional(
    flag(
      'Whether to try the saved credentials too if the camera requires another login, at most ten logins in all. ' +
        'Default false.',
    ),
  ),
};

const MAC_ADDRESS_MEANING =
  'What serves as its MAC address: RTSP does not reveal the real one, so this is a locally administered one made ' +
  'from host and port.';

export const TOLD_OVER_ONVIF =
  'As reported by the camera over ONVIF; otherwise absent, because RTSP does not reveal it.';
const SECRET = 'Always absent: passwords are never returned.';

const ENDPOINT_PROPERTIES = {
  uuid: ruuid('The endpoint.'),
  rtspUrl: plainText('Its URL, without a login.'),
  lastRtspUrlStatus: RTSP_URL_STATUS_SCHEMA,
  source: oneOf(['USER', 'ONVIF'], 'Who gave the URL: a caller, or the camera over ONVIF.'),
};

const RTSP_ENDPOINT_SCHEMA = namedType('RtspEndpoint', {
  ...ENDPOINT_PROPERTIES,
  audioSupported: nullable(flag('Whether it offers audio; absent if not known.')),
  onvifProfileToken: nullable(plainText(TOLD_OVER_ONVIF)),
});

const EXTERNAL_RTSP_ENDPOINT_SCHEMA = namedType('ExternalRtspEndpoint', {
  ...ENDPOINT_PROPERTIES,
  username: nullable(plainText('The user name that it last accepted.')),
  password: nullable(plainText(SECRET)),
});

const DISCOVERED_CAMERA_SCHEMA = namedType('DiscoveredThirdPartyCamera', {
  macAddress: plainText(MAC_ADDRESS_MEANING),
  ipAddress: plainText('Its host.'),
  name: plainText('Its host.'),
  orgUuid: ruuid('The organization.'),
  codec: nullable(plainText('The codec of its video; absent if not known.')),
  createdOn: plainText('When it was discovered, ISO 8601.'),
  updatedOn: plainText('When it was last tried, ISO 8601.'),
  lastVisibleMs: mapOf(int64('Epoch milliseconds.'), 'When it last responded, by location.'),
  username: nullable(plainText('The user name that it last accepted.')),
  password: nullable(plainText(SECRET)),
  onvifUsername: nullable(plainText('The same, for a camera that was found over ONVIF.')),
  onvifPassword: nullable(plainText(SECRET)),
  onvifProfileToken: nullable(plainText(TOLD_OVER_ONVIF)),
  manufacturer: nullable(plainText(TOLD_OVER_ONVIF)),
  model: nullable(plainText(TOLD_OVER_ONVIF)),
  rtspEndpoints: listOf(RTSP_ENDPOINT_SCHEMA, 'Its endpoint.'),
});

function sourceOf({ onvif }: RtspEndpoint['body']): 'USER' | 'ONVIF' {
  return onvif === undefined ? 'USER' : 'ONVIF';
}

function endpointResponse({ uuid, body }: RtspEndpoint) {
  return { uuid, rtspUrl: body.rtspUrl, lastRtspUrlStatus: body.lastStatus, source: sourceOf(body) };
}

function externalEndpointResponse(endpoint: RtspEndpoint): Static<typeof EXTERNAL_RTSP_ENDPOINT_SCHEMA> {
  return { ...endpointResponse(endpoint), username: endpoint.body.username, password: null };
}

function discoveredCameraResponse(endpoint: RtspEndpoint): Static<typeof DISCOVERED_CAMERA_SCHEMA> {
  const { body } = endpoint;
  const host = hostOf(endpoint);
  const onvifProfileToken = body.onvif?.profileToken ?? null;
  return {
    macAddress: body.macAddress,
    ipAddress: host,
    name: host,
    orgUuid: endpoint.orgUuid,
    codec: body.codec,
    createdOn: new Date(endpoint.createdAtMs).toISOString(),
    updatedOn: new Date(endpoint.updatedAtMs).toISOString(),
    lastVisibleMs: lastVisibleByLocation(endpoint),
    username: body.username,
    password: null,
    onvifUsername: body.onvif === undefined ? null : body.username,
    onvifPassword: null,
    onvifProfileToken,
    manufacturer: body.onvif?.manufacturer ?? null,
    model: body.onvif?.model ?? null,
    rtspEndpoints: [
      { ...endpointResponse(endpoint), audioSupported: body.audioSupported, onvifProfileToken },
    ],
  };
}

/** Empty if it never responded or its location is not known. */
export function lastVisibleByLocation({ body }: RtspEndpoint): Record<string, number> {
  const { locationUuid, lastVisibleMs } = body;
  return locationUuid === null || lastVisibleMs === null ? {} : { [locationUuid]: lastVisibleMs };
}

const EXAMPLE_RTSP_URL = 'rtsp://192.0.2.10/stream1';

export const EXAMPLE_RTSP_ENDPOINT: RtspEndpoint = {
  uuid: rtspEndpointUuid(EXAMPLE_ORG_UUID, EXAMPLE_RTSP_URL),
  orgUuid: EXAMPLE_ORG_UUID,
  name: '',
  parentUuid: null,
  body: {
    macAddress: '02:5e:10:00:53:0a',
    rtspUrl: EXAMPLE_RTSP_URL,
    username: 'viewer',
    lastStatus: 'GOOD',
    lastVisibleMs: EXAMPLE_TIME_MS,
    locationUuid: EXAMPLE_LOCATION_UUID,
    codec: 'h264',
    audioSupported: true,
  },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

const DISCOVERY_SCHEMA = namedType('DiscoveryWithUnassignedRtspEndpoints', {
  macAddress: plainText('The camera.'),
  ipAddress: plainText('Its host.'),
  orgUuid: ruuid('The organization.'),
  codec: nullable(plainText('The codec of its first endpoint’s video; absent if not known.')),
  manufacturer: nullable(plainText(TOLD_OVER_ONVIF)),
  model: nullable(plainText(TOLD_OVER_ONVIF)),
  unassignedRtspEndpoints: listOf(EXTERNAL_RTSP_ENDPOINT_SCHEMA, 'Its endpoints that are not assigned.'),
});

const findDiscoveriesWithUnassignedRtspEndpoints = defineEndpoint({
  path: '/api/relay/findDiscoveriesWithUnassignedRtspEndpoints',
  summary: 'Lists discovered cameras with RTSP endpoints that are not assigned.',
  description: 'In discovery order.',
  request: Type.Object({}),
  response: { discoveries: listOf(DISCOVERY_SCHEMA, 'The cameras.') },
  example: {
    request: {},
    response: {
      discoveries: [
        {
          macAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
          ipAddress: hostOf(EXAMPLE_RTSP_ENDPOINT),
          orgUuid: EXAMPLE_ORG_UUID,
          codec: 'h264',
          manufacturer: null,
          model: null,
          unassignedRtspEndpoints: [externalEndpointResponse(EXAMPLE_RTSP_ENDPOINT)],
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const cameras = await services.deviceStates.unassignedCameras(orgUuid);
    return {
      discoveries: cameras.map(({ macAddress, endpoints }) => ({
        macAddress,
        ipAddress: hostOf(endpoints[0]),
        orgUuid,
        codec: endpoints[0].body.codec,
        manufacturer: endpoints[0].body.onvif?.manufacturer ?? null,
        model: endpoints[0].body.onvif?.model ?? null,
        unassignedRtspEndpoints: endpoints.map(externalEndpointResponse),
      })),
    };
  },
});

const getRtspEndpoints = defineEndpoint({
  path: '/api/relay/getRtspEndpoints',
  summary: 'Lists the RTSP endpoints of a discovered camera.',
  description:
    'Including assigned ones, in discovery order; none for an unknown camera. Passwords are never shown.',
  request: Type.Object({ discoveredCameraMacAddress: MAC_ADDRESS_INPUT }),
  response: { rtspEndpoints: listOf(EXTERNAL_RTSP_ENDPOINT_SCHEMA, 'The endpoints.') },
  example: {
    request: { discoveredCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress },
    response: { rtspEndpoints: [externalEndpointResponse(EXAMPLE_RTSP_ENDPOINT)] },
  },
  async handler({ orgUuid, services }, { discoveredCameraMacAddress }) {
    const endpoints = await services.rtspEndpoints.listOfCamera(orgUuid, discoveredCameraMacAddress);
    return { rtspEndpoints: LongList.of(endpoints).map(externalEndpointResponse) };
  },
});

const MAX_FILTER_LENGTH = 1_000;

const executeThirdPartyCameraDiscovery = defineEndpoint({
  path: '/api/relay/executeThirdPartyCameraDiscovery',
  summary: 'Looks for ONVIF cameras on the gateway’s network.',
  description:
    'Sends a WS-Discovery probe, then asks every camera that responds for its streams, with the saved credentials if ' +
    'it requires a login; at most 64 cameras in 20 seconds. `/api/relay/findDiscoveriesWithUnassignedRtspEndpoints` ' +
    'then lists the streams, with `lastRtspUrlStatus` UNKNOWN until `/api/relay/authenticateThirdPartyCamera` opens ' +
    'them. `warningMsg` names the cameras that require another login. The gateway searches on behalf of the NVRs ' +
    'that match the filters; at least one must match. Cameras of other organizations of this gateway are left out.',
  repetition: 'same-outcome',
  request: Type.Object({
    deviceFilter: Type.Optional(
      listOf(deviceUuid('NVR.'), 'Only on behalf of these NVRs; all if absent or empty.', MAX_FILTER_LENGTH),
    ),
    locationFilter: Type.Optional(
      listOf(
        ruuid('Location.'),
        'Only on behalf of NVRs at these locations; all if absent or empty.',
        MAX_FILTER_LENGTH,
      ),
    ),
  }),
  response: {},
  example: { request: {}, response: {} },
  async handler(context, { deviceFilter = [], locationFilter = [] }) {
    const { orgUuid, services } = context;
    const filter = { deviceUuids: deviceFilter, locationUuids: locationFilter };
    const found = await services.onvifDiscovery.discover(orgUuid, filter);
    if (found.openCount + found.lockedHosts.length === 0) context.warn('No camera responded.');
    if (found.lockedHosts.length > 0) {
      context.warn(`These cameras require another login: ${found.lockedHosts.join(', ')}.`);
    }
    return {};
  },
});

const manualDiscoverCamera = defineEndpoint({
  path: '/api/relay/manualDiscoverCamera',
  summary: 'Tries an RTSP camera and stores it if it responds.',
  description:
    'Opens the camera for a few seconds and reports the result in `rtspUrlStatus`; the call itself does not fail. If ' +
    'the camera responds, it is stored as an RTSP endpoint, which can be authenticated and assigned to an NVR. The ' +
    'call takes up to 20 seconds.',
  repetition: 'once',
  request: Type.Object({
    rtspUrl: RTSP_URL_INPUT,
    ...LOGIN_INPUT_PROPERTIES,
    locationUuid: Type.Optional(ruuid('Where the camera is.')),
  }),
  response: {
    rtspUrlStatus: RTSP_URL_STATUS_SCHEMA,
    result: nullable(DISCOVERED_CAMERA_SCHEMA),
  },
  example: {
    request: {
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
      username: 'viewer',
      password: 'correct horse',
      locationUuid: EXAMPLE_LOCATION_UUID,
    },
    response: { rtspUrlStatus: 'GOOD', result: discoveredCameraResponse(EXAMPLE_RTSP_ENDPOINT) },
  },
  async handler({ orgUuid, services }, { trySavedCredentials = false, ...request }) {
    const found = await services.rtspEndpoints.discover(orgUuid, { ...request, trySavedCredentials });
    const result = found.endpoint === null ? null : discoveredCameraResponse(found.endpoint);
    return { rtspUrlStatus: found.status, result };
  },
});

const authenticateThirdPartyCamera = defineEndpoint({
  path: '/api/relay/authenticateThirdPartyCamera',
  summary: 'Tries a known RTSP endpoint with a login.',
  description:
    'Like `/api/relay/manualDiscoverCamera`, for a discovered endpoint. `rtspUrl` is optional if the camera has only ' +
    'one endpoint. A login that the camera accepts is stored, and a camera that was created from the endpoint uses ' +
    'it from then on. A login that it refuses changes only the status.',
  repetition: 'same-outcome',
  request: Type.Object({
    thirdPartyCameraMacAddress: Type.Optional(MAC_ADDRESS_INPUT),
    rtspUrl: Type.Optional(RTSP_URL_INPUT),
    ...LOGIN_INPUT_PROPERTIES,
    locationUuid: Type.Optional(ruuid('Where the camera is.')),
  }),
  response: {
    rtspUrlStatus: RTSP_URL_STATUS_SCHEMA,
    result: nullable(DISCOVERED_CAMERA_SCHEMA),
  },
  example: {
    request: {
      thirdPartyCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress,
      rtspUrl: EXAMPLE_RTSP_ENDPOINT.body.rtspUrl,
      username: 'viewer',
      password: 'correct horse',
    },
    response: { rtspUrlStatus: 'GOOD', result: discoveredCameraResponse(EXAMPLE_RTSP_ENDPOINT) },
  },
  async handler({ orgUuid, services }, body) {
    const { thirdPartyCameraMacAddress: macAddress, rtspUrl, trySavedCredentials = false, ...login } = body;
    const request = { ...login, trySavedCredentials };
    const found = await services.rtspEndpoints.authenticate(orgUuid, { macAddress, rtspUrl }, request);
    const result = found.endpoint === null ? null : discoveredCameraResponse(found.endpoint);
    return { rtspUrlStatus: found.status, result };
  },
});

const deleteThirdPartyCameraDiscovery = defineEndpoint({
  path: '/api/relay/deleteThirdPartyCameraDiscovery',
  summary: 'Removes a discovered camera with its RTSP endpoints.',
  description: 'Refused while one of the endpoints is assigned to an NVR.',
  repetition: 'same-outcome',
  request: Type.Object({ thirdPartyCameraMacAddress: MAC_ADDRESS_INPUT }),
  response: {},
  example: {
    request: { thirdPartyCameraMacAddress: EXAMPLE_RTSP_ENDPOINT.body.macAddress },
    response: {},
  },
  async handler({ orgUuid, services }, { thirdPartyCameraMacAddress }) {
    await services.rtspEndpoints.forget(orgUuid, thirdPartyCameraMacAddress);
    return {};
  },
});

export const DISCOVERED_CAMERA_ENDPOINTS: readonly Endpoint[] = [
  findDiscoveriesWithUnassignedRtspEndpoints,
  getRtspEndpoints,
  executeThirdPartyCameraDiscovery,
  manualDiscoverCamera,
  authenticateThirdPartyCamera,
  deleteThirdPartyCameraDiscovery,
];
