/** The organization, its sessions for web pages, its camera networks, and the clients of a partner. */

import { type Static, Type } from 'typebox';
import type { PartnerClient } from '../../accounts/organizations.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { CameraOutside } from '../../devices/camera-networks.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid as deviceUuidField,
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const ORG_SCHEMA = namedType('OrgV2', {
  uuid: ruuid('The organization.'),
  name: plainText('Its name.'),
  createdAtMillis: int64('When it was created, epoch milliseconds.'),
});

const NO_FIELDS = Type.Object({});

const getOrgV2 = defineEndpoint({
  path: '/api/org/getOrgV2',
  summary: 'Reads the organization that the API key acts for.',
  description:
    'With a partner key and `x-auth-org` this is the client organization. The maps are empty: Sluice takes video as ' +
    'cameras send it and has no defaults of its own.',
  request: Type.Object({}),
  response: {
    org: ORG_SCHEMA,
    featureFlags: mapOf(plainText('Value.'), 'Feature flags; empty.'),
    cameraConfigDefaults: mapOf(NO_FIELDS, 'Video settings by camera model; empty.'),
    cameraConfigOptions: mapOf(Type.Array(NO_FIELDS), 'Possible video settings by camera model; empty.'),
  },
  example: {
    request: {},
    response: {
      org: { uuid: EXAMPLE_ORG_UUID, name: 'Main street stores', createdAtMillis: EXAMPLE_TIME_MS },
      featureFlags: {},
      cameraConfigDefaults: {},
      cameraConfigOptions: {},
    },
  },
  async handler({ orgUuid, services }) {
    const org = await services.organizations.find(orgUuid);
    return {
      org: { uuid: org.uuid, name: org.name, createdAtMillis: org.createdAtMs },
      featureFlags: {},
      cameraConfigDefaults: {},
      cameraConfigOptions: {},
    };
  },
});

const RULE_WORDS = { organization: 'ORGANIZATION', operator: 'OPERATOR' } as const;

const CAMERA_OUTSIDE_SCHEMA = namedType('CameraOutsideNetworks', {
  cameraUuid: ruuid('The camera.'),
  name: plainText('Its name.'),
  host: plainText('The first of its hosts that is outside.'),
  rule: oneOf(
    ['ORGANIZATION', 'OPERATOR'],
    'ORGANIZATION: outside `networks`. OPERATOR: outside `operatorNetworks`.',
  ),
});

const getCameraNetworks = defineEndpoint({
  path: '/api/org/getCameraNetworks',
  isExtension: true,
  summary: 'Reads in which networks the organization’s cameras may be, and which cameras are outside.',
  description:
    'The gateway opens a camera that was added through the API only at addresses that are in one of `networks` and in one ' +
    'of `operatorNetworks`; an empty list allows any. Cameras of the configuration file can be anywhere. A camera with a ' +
    'host name counts as outside if it was refused when the gateway last opened it.',
  request: Type.Object({}),
  response: {
    networks: listOf(plainText('Network.'), 'What `/api/org/updateCameraNetworks` stored.'),
    operatorNetworks: listOf(plainText('Network.'), '`sources.networks` of the gateway.'),
    camerasOutside: listOf(CAMERA_OUTSIDE_SCHEMA, 'Cameras that the gateway does not open, by name.'),
  },
  example: {
    request: {},
    response: {
      networks: ['192.168.0.0/16'],
      operatorNetworks: [],
      camerasOutside: [
        { cameraUuid: EXAMPLE_CAMERA_UUID, name: 'Lobby', host: '10.9.0.5', rule: 'ORGANIZATION' },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const { operator, organization } = services.cameraNetworks.of(orgUuid);
    const outside = await services.cameraNetworks.outside(orgUuid);
    return {
      networks: [...organization],
      operatorNetworks: [...operator],
      camerasOutside: outside.map(outsideResponse),
    };
  },
});

function outsideResponse({ rule, ...camera }: CameraOutside): Static<typeof CAMERA_OUTSIDE_SCHEMA> {
  return { ...camera, rule: RULE_WORDS[rule] };
}

const CLIENT_SCHEMA = namedType('PartnerClient', {
  clientOrgUuid: ruuid('The client organization; the value for `x-auth-org`.'),
  clientOrgName: plainText('Its name.'),
  authorityUuid: ruuid('The partner.'),
  clientAccessAllowed: flag('Always true: the keys of the partner act for its clients.'),
  createdAtMillis: int64('When the client was created, epoch milliseconds.'),
  totalCameras: int32('How many cameras it has, without removed ones.'),
  totalLocations: int32('How many locations it has.'),
});

const getPartnerClientsV2 = defineEndpoint({
  path: '/api/partner/getClientsV2',
  scheme: 'partner-api',
  summary: 'Lists the client organizations of the partner.',
  description: 'In the order of their creation. With `x-auth-org`, the list is the client’s, which is empty.',
  request: Type.Object({}),
  response: { clients: listOf(CLIENT_SCHEMA, 'The clients.') },
  example: {
    request: {},
    response: {
      clients: [
        clientResponse(deriveRuuid('example', 'partner'), {
          organization: {
            uuid: EXAMPLE_ORG_UUID,
            name: 'Harbour',
            partnerUuid: null,
            cameraNetworks: [],
            createdAtMs: EXAMPLE_TIME_MS,
          },
          cameraCount: 12,
          locationCount: 2,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const clients = await services.organizations.clientsOf(orgUuid);
    return { clients: LongList.of(clients).map((client) => clientResponse(orgUuid, client)) };
  },
});

function clientResponse(
  partnerUuid: Ruuid,
  { organization, cameraCount, locationCount }: PartnerClient,
): Static<typeof CLIENT_SCHEMA> {
  return {
    clientOrgUuid: organization.uuid,
    clientOrgName: organization.name,
    authorityUuid: partnerUuid,
    clientAccessAllowed: true,
    createdAtMillis: organization.createdAtMs,
    totalCameras: cameraCount,
    totalLocations: locationCount,
  };
}

const DEFAULT_DURATION_SEC = 3_600;
const MAX_DURATION_SEC = 86_400;
/** RFC 1035 §2.3.4. */
const MAX_DOMAIN_LENGTH = 253;

const generateFederatedSessionToken = defineEndpoint({
  path: '/api/org/generateFederatedSessionToken',
  summary: 'Creates a short-lived token for web pages.',
  description:
    'A page sends it in `x-auth-ft`, with `x-auth-scheme: federated-token`, and needs no API key. It can read what ' +
    'pages show and cannot change anything: the `get…` and `find…` operations of cameras, doorbell cameras, events, ' +
    'videos and locations, and `/api/integrations/validateToken`. It can also play the media of cameras ' +
    '(`/api/camera/getMediaUris`). A token for one device (`deviceUuid`) can play only that device, and read only ' +
    'what `/api/camera/getFullCameraState`, `/api/camera/getUptimeWindows` and the `getMediaUris` operations say ' +
    'about it, without its configuration; every other call refuses it. It expires on its own, and ends with the key ' +
    'that made it; views that began with it end too. It is shown only once.',
  repetition: 'expires',
  request: Type.Object({
    deviceUuid: Type.Optional(
      deviceUuidField(
        'The one camera or NVR that the token can read; default: everything that the key can read.',
      ),
    ),
    domain: Type.Optional(
      text(
        'The host whose pages, including its subdomains, can use the token; default: all hosts.',
        MAX_DOMAIN_LENGTH,
      ),
    ),
    durationSec: Type.Optional(
      int32(`How long it works, seconds. Default ${DEFAULT_DURATION_SEC}.`, 1, MAX_DURATION_SEC),
    ),
  }),
  response: {
    federatedSessionToken: ruuid('The token.'),
    expiresInSec: int32('How long it works, seconds.', 1, MAX_DURATION_SEC),
  },
  example: {
    request: { domain: 'desk.example.com', durationSec: 900 },
    response: { federatedSessionToken: deriveRuuid('example', 'federated session token'), expiresInSec: 900 },
  },
  async handler(
    { caller, services },
    { deviceUuid = null, domain = null, durationSec = DEFAULT_DURATION_SEC },
  ) {
    const wanted = { deviceUuid, domain, durationSec };
    const token = await services.federatedSessions.create(caller, wanted);
    return { federatedSessionToken: token, expiresInSec: durationSec };
  },
});

const updateOrgDetails = defineEndpoint({
  path: '/api/org/updateDetails',
  isExtension: true,
  summary: 'Changes the details of the organization that the API key acts for.',
  description:
    'With a partner key and `x-auth-org` this is the client organization. Absent fields stay as they are.',
  repetition: 'same-outcome',
  request: Type.Object({ name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)) }),
  response: {},
  example: { request: { name: 'Main street stores' }, response: {} },
  async handler({ orgUuid, services }, { name }) {
    await services.organizations.rename(orgUuid, name);
    return {};
  },
});

const MAX_NETWORKS = 100;
const NAMED_CAMERAS = 10;

const updateCameraNetworks = defineEndpoint({
  path: '/api/org/updateCameraNetworks',
  isExtension: true,
  summary: 'States in which networks the organization’s cameras may be.',
  description:
    'Replaces the list as a whole; an empty list allows any network. The list holds for cameras of the API, with every ' +
    'connection to them: RTSP, HTTP, RTMP and ONVIF, redirects included, and for the addresses that host names resolve to. ' +
    'It never allows what `sources.networks` or `sources.allowLocal` of the gateway forbid. The gateway closes cameras that ' +
    'are outside, shows why in their state, and names them in a warning.',
  repetition: 'same-outcome',
  request: Type.Object({
    networks: listOf(
      text('An address, or a network such as 192.168.0.0/16.'),
      `The networks, at most ${MAX_NETWORKS}.`,
      MAX_NETWORKS,
    ),
  }),
  response: {},
  example: { request: { networks: ['192.168.0.0/16', '2001:db8::/32'] }, response: {} },
  async handler(context, { networks }) {
    const { orgUuid, services } = context;
    await services.cameraNetworks.state(orgUuid, networks);
    const outside = await services.cameraNetworks.outside(orgUuid);
    if (outside.length > 0) {
      const named = outside.slice(0, NAMED_CAMERAS).map(({ name, host }) => `${name} (${host})`);
      const more = outside.length > NAMED_CAMERAS ? `, and ${outside.length - NAMED_CAMERAS} more` : '';
      context.warn(`Cameras are outside these networks and will not be opened: ${named.join(', ')}${more}.`);
    }
    return {};
  },
});

export const ORGANIZATION_ENDPOINTS: readonly Endpoint[] = [
  getOrgV2,
  getCameraNetworks,
  getPartnerClientsV2,
  generateFederatedSessionToken,
  updateOrgDetails,
  updateCameraNetworks,
];
