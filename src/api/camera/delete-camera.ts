/** POST /api/camera/delete: removes a camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, flag } from '../../http/fields/field-types.ts';
import { RESPONSE_STATUS_SCHEMA } from '../../http/fields/response-status.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

export const deleteCamera = defineEndpoint({
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
