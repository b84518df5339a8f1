/** POST /api/camera/createCamera: a camera that the gateway opens itself. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { MAIN_URL_INPUT, SOURCE_INPUT_PROPERTIES, sourceFieldsOf } from './camera-source-type.ts';

export const createCamera = defineEndpoint({
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
