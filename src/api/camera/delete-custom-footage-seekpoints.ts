/** POST /api/camera/deleteCustomFootageSeekpoints: deletes named moments of cameras' footage. */

import { Type } from 'typebox';
import { toGatewayError } from '../../core/errors.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { DEVICE_ERRORS } from '../../devices/errors.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  text,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_CAMERAS = 100;

const RESULT_SCHEMA = namedType('DeleteCustomFootageSeekpointsWSResponse_SeekPointDeleteResponse', {
  err: flag('Whether nothing could be deleted.'),
  errMsg: nullable(plainText('Why; null: it was.')),
});

export const deleteCustomFootageSeekpoints = defineEndpoint({
  path: '/api/camera/deleteCustomFootageSeekpoints',
  summary: "Deletes named moments of cameras' footage.",
  description:
    'Those of `createCustomFootageSeekpoints`, from the start to the end, both included. Without `customName`, whatever their names. ' +
    'A camera without such points is no failure.',
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuids: listOf(deviceFacetUuid('Camera.'), `At most ${MAX_CAMERAS}.`, MAX_CAMERAS),
    startTimestampMs: int64('From here on, epoch milliseconds.', 0, MAX_TIME_MS),
    endTimestampMs: int64('Up to here, epoch milliseconds.', 0, MAX_TIME_MS),
    customName: Type.Optional(text('Only those with exactly this name.', MAX_NAME_LENGTH)),
  }),
  response: { deleteSeekpointResponseMap: mapOf(RESULT_SCHEMA, 'What happened, by camera as it was named.') },
  example: {
    request: {
      ...{ cameraUuids: [EXAMPLE_CAMERA_UUID], customName: 'Delivery' },
      ...{ startTimestampMs: EXAMPLE_TIME_MS, endTimestampMs: EXAMPLE_TIME_MS },
    },
    response: { deleteSeekpointResponseMap: { [EXAMPLE_CAMERA_UUID]: { err: false, errMsg: null } } },
  },
  async handler({ orgUuid, services }, { cameraUuids, startTimestampMs, endTimestampMs, customName }) {
    const results: Record<string, { err: boolean; errMsg: string | null }> = {};
    for (const each of cameraUuids) {
      try {
        const { camera } = await services.devices.findCamera(orgUuid, each);
        await services.customSeekPoints.remove(orgUuid, camera.uuid, {
          ...{ fromMs: startTimestampMs, toMs: endTimestampMs + 1 },
          isWanted: ({ name }) => customName === undefined || name === customName,
        });
        results[each] = { err: false, errMsg: null };
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (error.code !== DEVICE_ERRORS.CAMERA_NOT_FOUND.code) throw error;
        results[each] = { err: true, errMsg: DEVICE_ERRORS.CAMERA_NOT_FOUND.message };
      }
    }
    return { deleteSeekpointResponseMap: results };
  },
});
