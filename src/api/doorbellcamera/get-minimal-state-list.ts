/** POST /api/doorbellcamera/getMinimalStateList: the doorbell cameras with their state. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { listOf, namedType } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { inOrderOfNames } from '../http/name-order.ts';
import { knownCamera } from '../types/camera-state.ts';
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
  description: 'As `/api/camera/getMinimalCameraStateList`, for doorbell cameras that were not removed.',
  request: Type.Object({}),
  response: { minimalStates: listOf(DOORBELL_STATE_SCHEMA, 'In order of their names.') },
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
    const cameras = await services.store.cameras.listRecords(orgUuid);
    const doorbells = await inOrderOfNames(
      cameras.filter((camera) => camera.kind === 'doorbell' && !camera.mummified),
    );
    const details = await services.devices.detailsByDevice(orgUuid);
    const counts = await services.counters.shareCounts(doorbells.map(({ uuid }) => uuid));
    return {
      minimalStates: LongList.of(doorbells).map((camera, index) =>
        deviceStateAnswer(
          knownCamera(camera, details.get(camera.uuid)),
          counts[index] ?? 0,
          cameraHealth(services.cameraStates.get(camera.uuid)),
        ),
      ),
    };
  },
});
