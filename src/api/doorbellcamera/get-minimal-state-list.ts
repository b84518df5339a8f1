/** POST /api/doorbellcamera/getMinimalStateList: the doorbell cameras with their state. */

import { Type } from 'typebox';
import { listOf, namedType } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { cameraStateAnswer } from '../types/camera-state.ts';
import {
  cameraHealth,
  DEVICE_STATE_PROPERTIES,
  deviceStateAnswer,
  EXAMPLE_CAMERA_REPORT,
} from '../types/device-state.ts';
import { EXAMPLE_DOORBELL_UUID, EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const DOORBELL_STATE_SCHEMA = namedType('MinimalDeviceState', DEVICE_STATE_PROPERTIES);

export const getMinimalDoorbellStateList = defineEndpoint({
  path: '/api/doorbellcamera/getMinimalStateList',
  summary: 'Lists the doorbell cameras with their state.',
  description:
    'Like `/api/camera/getMinimalCameraStateList`, but only for doorbell cameras that were not removed.',
  request: Type.Object({}),
  response: { minimalStates: listOf(DOORBELL_STATE_SCHEMA, 'Sorted by name.') },
  example: {
    request: {},
    response: {
      minimalStates: [
        deviceStateAnswer(
          {
            uuid: EXAMPLE_DOORBELL_UUID,
            name: 'Front door',
            serialNumber: null,
            createdAtMs: EXAMPLE_TIME_MS,
            locationUuid: EXAMPLE_LOCATION_UUID,
            mummified: false,
            supportedFacets: ['v0'],
          },
          1,
          cameraHealth(EXAMPLE_CAMERA_REPORT),
        ),
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const filter = { kind: 'doorbell', includeMummified: false } as const;
    const states = await services.deviceStates.cameras(orgUuid, filter);
    return { minimalStates: states.map(cameraStateAnswer) };
  },
});
