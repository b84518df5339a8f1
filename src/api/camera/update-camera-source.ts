/** POST /api/camera/updateCameraSource: changes how a camera is opened. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { MAIN_URL_INPUT, SOURCE_INPUT_PROPERTIES, sourceFieldsOf } from './camera-source-type.ts';

export const updateCameraSource = defineEndpoint({
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
