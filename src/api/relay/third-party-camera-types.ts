/** Types of the third-party camera endpoints and their conversion from the store. Passwords are never returned. */

import { type Static, Type } from 'typebox';
import { hostOf, type RtspEndpoint, rtspEndpointUuid } from '../../devices/rtsp-endpoint.ts';
import {
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

export const EXTERNAL_RTSP_ENDPOINT_SCHEMA = namedType('ExternalRtspEndpoint', {
  ...ENDPOINT_PROPERTIES,
  username: nullable(plainText('The user name that it last accepted.')),
  password: nullable(plainText(SECRET)),
});

export const DISCOVERED_CAMERA_SCHEMA = namedType('DiscoveredThirdPartyCamera', {
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

export function endpointAnswer({ uuid, body }: RtspEndpoint) {
  return { uuid, rtspUrl: body.rtspUrl, lastRtspUrlStatus: body.lastStatus, source: sourceOf(body) };
}

export function externalEndpointAnswer(endpoint: RtspEndpoint): Static<typeof EXTERNAL_RTSP_ENDPOINT_SCHEMA> {
  return { ...endpointAnswer(endpoint), username: endpoint.body.username, password: null };
}

export function discoveredCameraAnswer(endpoint: RtspEndpoint): Static<typeof DISCOVERED_CAMERA_SCHEMA> {
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
    rtspEndpoints: [{ ...endpointAnswer(endpoint), audioSupported: body.audioSupported, onvifProfileToken }],
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
