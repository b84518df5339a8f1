/** POST /api/camera/getUptimeWindows: when a camera was up. */

import { Type } from 'typebox';
import { MAX_TIME_SEC } from '../../core/max-time.ts';
import { uptimeWindows } from '../../events/uptime.ts';
import { int64, listOf, ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { TIME_WINDOW_SCHEMA } from '../types/time-window-type.ts';

const EXAMPLE_TIME_SEC = EXAMPLE_TIME_MS / 1_000;

export const getCameraUptimeWindows = defineEndpoint({
  path: '/api/camera/getUptimeWindows',
  summary: 'Tells when a camera was up.',
  description:
    'From when the gateway found it delivering until it could not be reached any more. A camera that is closed because ' +
    'nobody watches is up. For a camera that the gateway never opened, the reports of `/api/ingest/deviceHealth` count. ' +
    'Before the first of these nothing is known, which is no uptime.',
  request: Type.Object({
    cameraUuid: ruuid('The camera.'),
    // Milliseconds that are sent by mistake are beyond the largest time.
    startTime: int64('Where the range begins, epoch seconds.', 0, MAX_TIME_SEC),
    endTime: Type.Optional(int64('Where it ends, epoch seconds. Default now.', 0, MAX_TIME_SEC)),
  }),
  response: { uptimeWindows: listOf(TIME_WINDOW_SCHEMA, 'In order, and apart from each other.') },
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      startTime: EXAMPLE_TIME_SEC,
      endTime: EXAMPLE_TIME_SEC + 7_200,
    },
    response: { uptimeWindows: [{ startSeconds: EXAMPLE_TIME_SEC, durationSeconds: 5_400 }] },
  },
  async handler(context, { cameraUuid, startTime, endTime }) {
    const { orgUuid, services } = context;
    const { camera } = await context.services.devices.findCamera(context.orgUuid, cameraUuid);
    const nowMs = services.clock.epochMs();
    const range = { startMs: startTime * 1_000, endMs: endTime === undefined ? nowMs : endTime * 1_000 };
    return { uptimeWindows: await uptimeWindows(services.store, orgUuid, [camera.uuid], range, nowMs) };
  },
});
