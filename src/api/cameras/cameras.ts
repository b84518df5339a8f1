/** Cameras: how the gateway opens them, their details, and their removal. Passwords are taken and never returned. */

import { type Static, Type } from 'typebox';
import type { CameraSourceFields, ShownSource } from '../../devices/camera-source.ts';
import { CAMERA_URL_TEMPLATES, type CameraUrlTemplate } from '../../devices/camera-url-templates.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { keptWithoutEffect } from '../../http/fields/no-effect.ts';
import { RESPONSE_STATUS_SCHEMA } from '../../http/fields/response-status.ts';
import { invalidField } from '../../http/request-body.ts';
import { changes } from '../types/changes.ts';
import { appliedPlace, DEVICE_DETAILS, DEVICE_UPDATE_PROPERTIES, longText } from '../types/device-update.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_DOORBELL_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';

const MAX_URL_LENGTH = 2_048;
/** `sha256:` and 32 bytes with colons in between. */
const MAX_TLS_LENGTH = 102;

const ENGINES = ['auto', 'direct', 'ffmpeg'] as const;
const TRANSPORTS = ['auto', 'tcp', 'udp', 'multicast', 'http'] as const;
const AUDIOS = ['auto', 'aac', 'off'] as const;
const CLOCKS = ['arrival', 'camera'] as const;

const LOGIN_RULE = 'Letters such as `@ : / #` need no escapes.';

/** Settings of `sluice.yaml` for opening a camera; without `mainUrl`, which only new cameras require. */
export const SOURCE_INPUT_PROPERTIES = {
  substreamUrl: Type.Optional(
    text(
      'Where its smaller stream is, in the same form as `mainUrl`. An empty text: it has none.',
      MAX_URL_LENGTH,
    ),
  ),
  onvifUrl: Type.Optional(
    text(
      'Its ONVIF service, `http` or `https`; without a path, the usual one. What it notices becomes policy alerts. An ' +
        'empty text: it has none.',
      MAX_URL_LENGTH,
    ),
  ),
  username: Type.Optional(
    text(`The user name at all its addresses. ${LOGIN_RULE} An empty text and no password: no login.`),
  ),
  password: Type.Optional(text(`The password. ${LOGIN_RULE} Stored encrypted; never returned.`)),
  engine: Type.Optional(
    oneOf(ENGINES, '`auto` uses an ffmpeg worker for media that `direct` cannot carry. Default `auto`.'),
  ),
  transport: Type.Optional(
    oneOf(
      TRANSPORTS,
      'How media comes over RTSP. `auto` tries TCP, then UDP, then multicast. `http`: RTSP over HTTP. Default `auto`.',
    ),
  ),
  audio: Type.Optional(
    oneOf(
      AUDIOS,
      '`auto`: as browsers play it best; `aac`: always AAC, by a worker; `off`: none. Default `auto`.',
    ),
  ),
  clock: Type.Optional(
    oneOf(
      CLOCKS,
      'What dates its frames: their arrival, or its own clock if that is sane. Default `arrival`.',
    ),
  ),
  tls: Type.Optional(
    text(
      'What its certificate must prove: `any` accepts every certificate, `verify` requires one that is valid for the ' +
        'host, `sha256:` with a fingerprint requires exactly that one. Default `any`.',
      MAX_TLS_LENGTH,
    ),
  ),
};

export const MAIN_URL_INPUT = text(
  'Where its main stream is: an `rtsp`, `rtsps`, `rtsp+http`, `rtsp+https`, `http`, `https`, `rtmp`, `rtmps` or `srt` URL.',
  MAX_URL_LENGTH,
);

const CAMERA_SOURCE_SCHEMA = namedType('CameraSourceType', {
  mainUrl: nullable(
    plainText(
      'Where its main stream is, without a login; absent if a device pushes it. `…` stands for a secret.',
    ),
  ),
  substreamUrl: nullable(plainText('Where its smaller stream is; absent if it has none.')),
  onvifUrl: nullable(plainText('Its ONVIF service; absent if none is known.')),
  username: nullable(plainText('The stored user name.')),
  hasPassword: flag('Whether a password is stored. It is never returned.'),
  engine: oneOf(ENGINES, 'As in the request.'),
  transport: oneOf(TRANSPORTS, 'As in the request.'),
  audio: oneOf(AUDIOS, 'As in the request.'),
  clock: oneOf(CLOCKS, 'As in the request.'),
  tls: plainText('As in the request.'),
});

const EXAMPLE_SOURCE: Static<typeof CAMERA_SOURCE_SCHEMA> = {
  mainUrl: 'rtsp://192.0.2.10/stream1',
  substreamUrl: 'rtsp://192.0.2.10/stream2',
  onvifUrl: 'http://192.0.2.10/onvif/device_service',
  username: 'viewer',
  hasPassword: true,
  engine: 'auto',
  transport: 'auto',
  audio: 'auto',
  clock: 'arrival',
  tls: 'any',
};

/** Only what belongs to the source. */
export function sourceFieldsOf(body: CameraSourceFields): CameraSourceFields {
  const { mainUrl, substreamUrl, onvifUrl, username, password } = body;
  const { engine, transport, audio, clock, tls } = body;
  return {
    mainUrl,
    substreamUrl,
    onvifUrl,
    username,
    password,
    tls,
    ...(engine === undefined ? {} : { engine }),
    ...(transport === undefined ? {} : { transport }),
    ...(audio === undefined ? {} : { audio }),
    ...(clock === undefined ? {} : { clock }),
  };
}

function sourceResponse(source: ShownSource): Static<typeof CAMERA_SOURCE_SCHEMA> {
  const { mainUrl, substreamUrl, onvifUrl, username, hasPassword } = source;
  const { engine, transport, audio, clock, tls } = source;
  return {
    mainUrl,
    substreamUrl,
    onvifUrl,
    username,
    hasPassword,
    engine,
    transport,
    audio,
    clock,
    tls,
  };
}

const getCameraSource = defineEndpoint({
  path: '/api/camera/getCameraSource',
  summary: 'Reads how a camera is opened, without its secrets.',
  description:
    'Passwords and passphrases are never returned; `hasPassword` says whether a password is stored. Federated ' +
    'sessions cannot call it.',
  isExtension: true,
  request: Type.Object({ cameraUuid: deviceUuid('The camera.') }),
  response: {
    name: plainText('Its name.'),
    locationUuid: nullable(ruuid('Where it is.')),
    nvrUuid: nullable(ruuid('Its NVR; absent if it has none.')),
    declared: flag('Whether the configuration file declares it: then it can only be changed there.'),
    pushed: flag('Whether a device pushes its main stream.'),
    source: CAMERA_SOURCE_SCHEMA,
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      name: 'Lobby',
      locationUuid: EXAMPLE_LOCATION_UUID,
      nvrUuid: null,
      declared: false,
      pushed: false,
      source: EXAMPLE_SOURCE,
    },
  },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { camera, source } = await services.cameraSources.read(orgUuid, cameraUuid);
    const { name, locationUuid, nvrUuid, fromConfig } = camera;
    return {
      name,
      locationUuid,
      nvrUuid,
      declared: fromConfig,
      pushed: source.mainUrl === null,
      source: sourceResponse(source),
    };
  },
});

const TEMPLATE_SCHEMA = namedType('CameraUrlTemplateType', {
  vendor: plainText('The vendor, for programs; `generic` for any other.'),
  name: plainText('The vendor, for people.'),
  scheme: oneOf(['rtsp', 'rtsps'], 'What the URL starts with.'),
  port: int32('The usual port.'),
  mainPath: plainText('Path and query of the main stream.'),
  substreamPath: nullable(plainText('Path and query of the smaller stream; absent if it is not known.')),
  note: nullable(plainText('What to know or to do first.')),
});

const getCameraUrlTemplates = defineEndpoint({
  path: '/api/camera/getCameraUrlTemplates',
  summary: 'Lists where cameras of known vendors have their streams.',
  description:
    'A template is a first guess: `/api/camera/probeCamera` shows whether it is right. Replace what is in braces. ' +
    '`{channel}`: the input of a recorder or the lens of a camera, from 1; 1 for any other camera. `{channel0}`: the ' +
    'same from 0. `{channel2}`: with two digits. `{token}`: a text that the vendor’s app shows.',
  isExtension: true,
  request: Type.Object({}),
  response: { templates: listOf(TEMPLATE_SCHEMA, 'Sorted by name; `generic` last.') },
  example: { request: {}, response: { templates: CAMERA_URL_TEMPLATES.slice(1, 2).map(responseOf) } },
  async handler() {
    return { templates: CAMERA_URL_TEMPLATES.map(responseOf) };
  },
});

function responseOf({ vendor, name, scheme, port, mainPath, substreamPath, note }: CameraUrlTemplate) {
  return { vendor, name, scheme, port, mainPath, substreamPath, note };
}

const createCamera = defineEndpoint({
  path: '/api/camera/createCamera',
  summary: 'Creates a camera by its addresses.',
  description:
    'Takes what `sluice.yaml` can say about how a camera is opened. The camera is not opened before someone watches ' +
    'it: `/api/camera/probeCamera` tries it first. It can be on this machine or at a link-local address only if ' +
    '`sources.allowLocal` is set.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    name: text('Its name.', MAX_NAME_LENGTH),
    nvrUuid: Type.Optional(ruuid('The NVR to assign it to; default: none.')),
    locationUuid: Type.Optional(ruuid('Where it is; default: the NVR’s location.')),
    mainUrl: MAIN_URL_INPUT,
    ...SOURCE_INPUT_PROPERTIES,
  }),
  response: { cameraUuid: ruuid('The new camera.') },
  example: {
    request: {
      name: 'Lobby',
      locationUuid: EXAMPLE_LOCATION_UUID,
      mainUrl: 'rtsp://192.0.2.10/stream1',
      substreamUrl: 'rtsp://192.0.2.10/stream2',
      username: 'viewer',
      password: 'correct horse: @home',
    },
    response: { cameraUuid: EXAMPLE_CAMERA_UUID },
  },
  async handler({ orgUuid, services }, body) {
    const { name, nvrUuid, locationUuid } = body;
    const source = sourceFieldsOf(body);
    return {
      cameraUuid: await services.cameraSources.create(orgUuid, { name, nvrUuid, locationUuid, source }),
    };
  },
});

const updateCameraSource = defineEndpoint({
  path: '/api/camera/updateCameraSource',
  summary: 'Changes how a camera is opened.',
  description:
    'Absent fields stay as they are. An address as `/api/camera/getCameraSource` returns it stays too, with its ' +
    'secrets. The stored password goes only to the scheme, host and port that it was for: if an address changes ' +
    'that, or `tls` accepts more, send `password` again. If the video that viewers get changes, the gateway reopens ' +
    'the camera. For a camera of the configuration file, change the file.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(ruuid('Where it is.')),
    mainUrl: Type.Optional(MAIN_URL_INPUT),
    ...SOURCE_INPUT_PROPERTIES,
  }),
  response: {},
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, transport: 'tcp', audio: 'off' },
    response: {},
  },
  async handler({ orgUuid, services }, body) {
    const { cameraUuid, name, locationUuid } = body;
    const source = sourceFieldsOf(body);
    await services.cameraSources.update(orgUuid, cameraUuid, { name, locationUuid, source });
    return {};
  },
});

/** DeviceFacet: the camera itself, one of its video facets or one of its audio facets. */
const FACET = /^(?:[va](?:[0-9]|[1-4][0-9]|5[01]))?$/;

const CAMERA_DETAILS = changes({
  customData: Type.Optional(longText('Free text for the integration.')),
  policyUuid: DEVICE_UPDATE_PROPERTIES.policyUuid,
});

/** Unlike other fields of this endpoint, specific to Sluice. */
const CAMERA_NVR = changes({
  nvrUuid: Type.Optional(
    ruuid('The NVR to assign it to. A camera without a site stays at that of the NVR which it leaves.'),
  ),
});

const CAMERA_STATE = changes({
  deleted: Type.Optional(flag('Whether to remove the camera.')),
  facetNameMap: Type.Optional(
    keptWithoutEffect(
      mapOf(text('Name.', MAX_NAME_LENGTH), 'Names of facets, such as `v0`.'),
      'the gateway streams one video per camera',
      ['v0'],
    ),
  ),
  mummified: Type.Optional(flag('Whether to stop the camera and list it as removed.')),
});

const updateCameraDetailsV2 = defineEndpoint({
  path: '/api/camera/updateDetailsV2',
  summary: 'Changes the details of a camera.',
  description:
    'Also accepts doorbell cameras. A value counts only if its `…Updated` flag is true; if the value is then absent, ' +
    'it is cleared. For a camera of the configuration file, the file decides its name, its location and whether it ' +
    'exists: changing those is refused, but you can change everything else. `deleted` removes the camera with its ' +
    'shares; `mummified` stops it and keeps it listed.',
  repetition: 'same-outcome',
  request: Type.Object({
    ...DEVICE_UPDATE_PROPERTIES,
    ...CAMERA_DETAILS.properties,
    ...CAMERA_NVR.properties,
    ...CAMERA_STATE.properties,
  }),
  response: {},
  example: {
    request: { uuid: EXAMPLE_CAMERA_UUID, name: 'Lobby east', nameUpdated: true },
    response: {},
  },
  async handler({ orgUuid, services }, body) {
    const { deleted, facetNameMap, mummified } = CAMERA_STATE.applied(body);
    if (deleted === true) {
      await services.devices.removeCamera(orgUuid, body.uuid, false);
      return {};
    }
    await services.devices.updateCamera(orgUuid, body.uuid, {
      ...appliedPlace(body),
      ...CAMERA_NVR.applied(body),
      ...(mummified !== undefined && { mummified: mummified ?? false }),
      details: {
        ...DEVICE_DETAILS.applied(body),
        ...CAMERA_DETAILS.applied(body),
        ...(facetNameMap !== undefined && { facetNameMap: checkedFacetNames(facetNameMap ?? {}) }),
      },
    });
    return {};
  },
});

/** There are few facets, so there are few names. Fails INVALID_FIELD. */
function checkedFacetNames(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const facet of Object.keys(names)) {
    if (!FACET.test(facet)) throw invalidField('facetNameMap must have facets such as v0 or a0 as its keys.');
  }
  return names;
}

const deleteCamera = defineEndpoint({
  path: '/api/camera/delete',
  summary: 'Removes a camera.',
  description:
    'Also accepts doorbell cameras. The gateway stops streaming the camera. Without `mummify`, its shares, details, ' +
    'custom seek points and configuration are removed too, and the RTSP endpoint that it was created from can be assigned again. ' +
    'Cameras of the configuration file are refused: remove them there.',
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    mummify: Type.Optional(flag('Whether to keep it listed as removed. Default false.')),
  }),
  response: { responseStatus: RESPONSE_STATUS_SCHEMA },
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: { responseStatus: 'SUCCESS' } },
  async handler({ orgUuid, services }, { cameraUuid, mummify = false }) {
    await services.devices.removeCamera(orgUuid, cameraUuid, mummify);
    return { responseStatus: 'SUCCESS' as const };
  },
});

const deleteDoorbellCamera = defineEndpoint({
  path: '/api/doorbellcamera/delete',
  summary: 'Removes a doorbell camera.',
  description: 'Like `/api/camera/delete`, but only for doorbell cameras: other cameras are not found.',
  repetition: 'same-outcome',
  request: Type.Object({
    doorbellCameraUuid: deviceUuid('The doorbell camera.'),
    mummify: flag('Whether to keep it listed as removed.'),
  }),
  response: { responseStatus: RESPONSE_STATUS_SCHEMA },
  example: {
    request: { doorbellCameraUuid: EXAMPLE_DOORBELL_UUID, mummify: false },
    response: { responseStatus: 'SUCCESS' },
  },
  async handler({ orgUuid, services }, { doorbellCameraUuid, mummify }) {
    await services.devices.removeCamera(orgUuid, doorbellCameraUuid, mummify, 'doorbell');
    return { responseStatus: 'SUCCESS' as const };
  },
});

export const CAMERA_ENDPOINTS: readonly Endpoint[] = [
  getCameraSource,
  getCameraUrlTemplates,
  createCamera,
  updateCameraSource,
  updateCameraDetailsV2,
  deleteCamera,
  deleteDoorbellCamera,
];
