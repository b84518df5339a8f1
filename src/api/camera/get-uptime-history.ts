/** POST /api/camera/getUptimeHistory: when a camera was up, when it was down, and when no one was there to see. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { UPTIME_STATES } from '../../events/uptime-history.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int64, listOf, namedType, oneOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const DAY_MS = 86_400_000;

const UPTIME_SPAN_SCHEMA = namedType('UptimeSpan', {
  startMs: int64('Start, epoch milliseconds.'),
  endMs: int64('End, epoch milliseconds: where the next span begins.'),
  state: oneOf(
    UPTIME_STATES,
    '`up`: it was streaming, or it was closed because no one watched and had responded last. `down`: it could not be ' +
      'reached. `not-running`: the gateway was not running. `unknown`: before the gateway had contacted it, or longer ago ' +
      'than the record reaches.',
  ),
});

export const getUptimeHistory = defineEndpoint({
  path: '/api/camera/getUptimeHistory',
  summary: 'Lists when a camera was up, when it was down, and when the gateway was not running.',
  description:
    'The spans follow each other without gaps, up to now. After a crash of the gateway, the end of its run is known to half ' +
    `a minute. The range can be 31 days long.`,
  isExtension: true,
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    startTimeMs: Type.Optional(
      int64(`Start, epoch milliseconds. Default: 7 days before the end.`, 0, MAX_TIME_MS),
    ),
    endTimeMs: Type.Optional(int64('End, epoch milliseconds. Default: now.', 0, MAX_TIME_MS)),
  }),
  response: { spans: listOf(UPTIME_SPAN_SCHEMA, 'In order.') },
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + DAY_MS,
    },
    response: { spans: [{ startMs: EXAMPLE_TIME_MS, endMs: EXAMPLE_TIME_MS + DAY_MS, state: 'up' }] },
  },
  async handler({ orgUuid, services }, { cameraUuid, startTimeMs, endTimeMs }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const range = { startMs: startTimeMs ?? null, endMs: endTimeMs ?? null };
    return { spans: await services.health.uptimeHistory(orgUuid, camera.uuid, range) };
  },
});
