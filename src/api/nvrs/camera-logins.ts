/** Saved logins for cameras, and publish keys of cameras that push their video. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import type { RtspCredentialBody } from '../../devices/rtsp-endpoint.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { Resource } from '../../store/resource.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_NVR_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

/** Saved credentials in responses. */
const THIRD_PARTY_CAMERA_PASSWORD_SCHEMA = namedType('ThirdPartyCameraPassword', {
  uuid: ruuid('The saved credential.'),
  orgUuid: ruuid('The organization.'),
  username: plainText('User name.'),
  password: nullable(plainText('Always absent: passwords are never returned.')),
  notes: plainText('What it is for.'),
});

function thirdPartyCameraPasswordResponse(
  credential: Resource<RtspCredentialBody>,
): Static<typeof THIRD_PARTY_CAMERA_PASSWORD_SCHEMA> {
  const { username, notes } = credential.body;
  return { uuid: credential.uuid, orgUuid: credential.orgUuid, username, password: null, notes };
}

const EXAMPLE_CREDENTIAL: Resource<RtspCredentialBody> = {
  uuid: deriveRuuid('example', 'saved credential'),
  orgUuid: EXAMPLE_ORG_UUID,
  name: '',
  parentUuid: null,
  body: { username: 'viewer', notes: 'Cameras of the east wing' },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

const getThirdPartyCameraPasswords = defineEndpoint({
  path: '/api/relay/getThirdPartyCameraPasswords',
  summary: 'Lists the saved logins for cameras.',
  description: 'Without their passwords, in the order in which they are tried.',
  request: Type.Object({}),
  response: { passwords: listOf(THIRD_PARTY_CAMERA_PASSWORD_SCHEMA, 'The saved logins.') },
  example: {
    request: {},
    response: { passwords: [thirdPartyCameraPasswordResponse(EXAMPLE_CREDENTIAL)] },
  },
  async handler({ orgUuid, services }) {
    const saved = await services.rtspCredentials.list(orgUuid);
    return { passwords: LongList.of(saved).map(thirdPartyCameraPasswordResponse) };
  },
});

const MAX_NOTES_LENGTH = 4_096;

const createThirdPartyCameraPassword = defineEndpoint({
  path: '/api/relay/createThirdPartyCameraPassword',
  summary: 'Saves a login for cameras.',
  description:
    'The password is stored encrypted and never returned. Discovery and authentication try saved logins if ' +
    '`trySavedCredentials` is true. At most 100 per organization.',
  repetition: 'once',
  request: Type.Object({
    username: text('User name.'),
    password: text('Password.'),
    notes: Type.Optional(text('What it is for.', MAX_NOTES_LENGTH)),
  }),
  response: { passwordUuid: ruuid('The saved login.') },
  example: {
    request: { ...EXAMPLE_CREDENTIAL.body, password: 'correct horse' },
    response: { passwordUuid: EXAMPLE_CREDENTIAL.uuid },
  },
  async handler({ orgUuid, services }, { username, password, notes = '' }) {
    return { passwordUuid: await services.rtspCredentials.create(orgUuid, { username, notes }, password) };
  },
});

const deleteThirdPartyCameraPassword = defineEndpoint({
  path: '/api/relay/deleteThirdPartyCameraPassword',
  summary: 'Deletes a saved login for cameras.',
  description: 'Cameras that were added with it keep it.',
  repetition: 'same-outcome',
  request: Type.Object({ passwordUuid: ruuid('The saved login.') }),
  response: {},
  example: { request: { passwordUuid: EXAMPLE_CREDENTIAL.uuid }, response: {} },
  async handler({ orgUuid, services }, { passwordUuid }) {
    await services.rtspCredentials.remove(orgUuid, passwordUuid);
    return {};
  },
});

const PUBLISH_KEY_SCHEMA = plainText(
  'The key, shown only here: 32 letters, digits, hyphens and underscores. Encoders call it stream key.',
);

const EXAMPLE_PUBLISH_KEY = 'mL3vQx8dT0aWc5YpR2nEu7KfHs_4jZ-B';

const WHERE_DEVICES_PUSH =
  'Set the device to push to `rtmp://`, the host of the gateway, `:1935/live/` (or the port of `rtmp.listen`) and the key.';

const addThirdPartyCameraViaRtmp = defineEndpoint({
  path: '/api/relay/addThirdPartyCameraViaRtmp',
  summary: 'Creates a camera whose device pushes its video by RTMP.',
  description:
    `The camera has a publish key in place of an address. ${WHERE_DEVICES_PUSH} The gateway listens for RTMP while a ` +
    'camera has a publish key. `/api/camera/delete` removes the camera.',
  repetition: 'once',
  request: Type.Object({
    name: text('Its name.', MAX_NAME_LENGTH),
    nvrUuid: Type.Optional(ruuid('The NVR to assign it to; default: none.')),
    locationUuid: Type.Optional(ruuid('Where it is; default: the NVR’s location.')),
  }),
  response: { deviceUuid: deviceFacetUuid('The new camera.'), publishKey: PUBLISH_KEY_SCHEMA },
  isExtension: true,
  example: {
    request: { name: 'Loading dock', nvrUuid: EXAMPLE_NVR_UUID },
    response: { deviceUuid: EXAMPLE_CAMERA_UUID, publishKey: EXAMPLE_PUBLISH_KEY },
  },
  async handler({ orgUuid, services }, body) {
    const { cameraUuid, key } = await services.pushedCameras.add(orgUuid, body);
    return { deviceUuid: cameraUuid, publishKey: key.reveal() };
  },
});

const createThirdPartyCameraPublishKey = defineEndpoint({
  path: '/api/relay/createThirdPartyCameraPublishKey',
  summary: 'Gives a camera a new publish key.',
  description:
    'The earlier key stops working right away, and a device that pushes with it is disconnected. Only for cameras ' +
    `that \`/api/relay/addThirdPartyCameraViaRtmp\` created. ${WHERE_DEVICES_PUSH}`,
  repetition: 'once',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  response: { publishKey: PUBLISH_KEY_SCHEMA },
  isExtension: true,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: { publishKey: EXAMPLE_PUBLISH_KEY } },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const key = await services.pushedCameras.createKey(orgUuid, cameraUuid);
    return { publishKey: key.reveal() };
  },
});

const deleteThirdPartyCameraPublishKey = defineEndpoint({
  path: '/api/relay/deleteThirdPartyCameraPublishKey',
  summary: 'Deletes the publish key of a camera.',
  description:
    'It stops working right away, and a device that pushes with it is disconnected. The camera and its shares stay; ' +
    '`/api/relay/createThirdPartyCameraPublishKey` gives it another key.',
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: deviceFacetUuid('The camera.') }),
  response: {},
  isExtension: true,
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    await services.pushedCameras.deleteKey(orgUuid, cameraUuid);
    return {};
  },
});

export const CAMERA_LOGIN_ENDPOINTS: readonly Endpoint[] = [
  getThirdPartyCameraPasswords,
  createThirdPartyCameraPassword,
  deleteThirdPartyCameraPassword,
  addThirdPartyCameraViaRtmp,
  createThirdPartyCameraPublishKey,
  deleteThirdPartyCameraPublishKey,
];
