/** POST /api/camera/getUptimeWindows: when a camera was up. */

import { Type } from 'typebox';
import { deviceUuid, listOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { TIME_WINDOW_SCHEMA } from '../types/time-window-type.ts';
import { uptimeEnd, uptimeRange, uptimeStart } from '../types/uptime-range.ts';

export const getCameraUptimeWindows = defineEndpoint({
  path: '/api/camera/getUptimeWindows',
  summary: 'Lists when a camera was up.',
  description:
    'From when the gateway found it delivering until it could not be reached any more. A camera that is closed because ' +
    'no one watches is up. For a camera that the gateway never opened, the reports of `/api/ingest/deviceHealth` count. ' +
    'Before the first of these nothing is known, which is no uptime. Send the times in milliseconds; times in seconds ' +
    'are recognized and answered with a warning. The answer is in seconds.',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    startTime: uptimeStart,
    endTime: Type.Optional(uptimeEnd),
  }),
  response: { uptimeWindows: listOf(TIME_WINDOW_SCHEMA, 'In order, without overlaps.') },
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      startTime: EXAMPLE_TIME_MS,
      endTime: EXAMPLE_TIME_MS + 7_200_000,
    },
    response: { uptimeWindows: [{ startSeconds: EXAMPLE_TIME_MS / 1_000, durationSeconds: 5_400 }] },
  },
  async handler(context, { cameraUuid, startTime, endTime }) {
    const { orgUuid, services } = context;
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const range = uptimeRange({ startTime, endTime }, { warn: (sentence) => context.warn(sentence) });
    return { uptimeWindows: await services.health.uptime(orgUuid, [camera.uuid], range) };
  },
});
