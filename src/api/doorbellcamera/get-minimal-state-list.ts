/** POST /api/doorbellcamera/getMinimalStateList: the doorbell cameras with their state. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { CAMERA_STATE_SCHEMA, cameraStateAnswer, EXAMPLE_CAMERA_STATE } from '../types/camera-state.ts';
import { EXAMPLE_DOORBELL_UUID } from '../types/examples.ts';

export const getMinimalDoorbellStateList = defineEndpoint({
  path: '/api/doorbellcamera/getMinimalStateList',
  summary: 'Lists the doorbell cameras with their state.',
  description:
    'Like `/api/camera/getMinimalCameraStateList`, but only for doorbell cameras that were not removed.',
  request: Type.Object({}),
  response: { minimalStates: listOf(CAMERA_STATE_SCHEMA, 'Sorted by name.') },
  example: {
    request: {},
    response: {
      minimalStates: [
        {
          ...EXAMPLE_CAMERA_STATE,
          ...{ uuid: EXAMPLE_DOORBELL_UUID, name: 'Front door', liveStreamsSharedCount: 1 },
        },
      ],
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const filter = { kind: 'doorbell', includeMummified: false } as const;
    const states = await services.deviceStates.cameras(orgUuid, filter);
    return { minimalStates: states.map((state) => cameraStateAnswer(context, state)) };
  },
});
