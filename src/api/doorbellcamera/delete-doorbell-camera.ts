/** POST /api/doorbellcamera/delete: removes a doorbell camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, flag } from '../../http/fields/field-types.ts';
import { RESPONSE_STATUS_SCHEMA } from '../../http/fields/response-status.ts';
import { EXAMPLE_DOORBELL_UUID } from '../types/examples.ts';

export const deleteDoorbellCamera = defineEndpoint({
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
