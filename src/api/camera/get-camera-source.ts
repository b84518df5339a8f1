/** POST /api/camera/getCameraSource: how a camera is opened, without its secrets. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, flag, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_LOCATION_UUID } from '../types/examples.ts';
import { CAMERA_SOURCE_SCHEMA, EXAMPLE_SOURCE, sourceAnswer } from './camera-source-type.ts';

export const getCameraSource = defineEndpoint({
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
      ...{ name: 'Lobby', locationUuid: EXAMPLE_LOCATION_UUID, nvrUuid: null },
      ...{ declared: false, pushed: false, source: EXAMPLE_SOURCE },
    },
  },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { camera, source } = await services.cameraSources.read(orgUuid, cameraUuid);
    const { name, locationUuid, nvrUuid, fromConfig } = camera;
    return {
      ...{ name, locationUuid, nvrUuid, declared: fromConfig },
      ...{ pushed: source.mainUrl === null, source: sourceAnswer(source) },
    };
  },
});
