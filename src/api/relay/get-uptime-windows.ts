/** POST /api/relay/getUptimeWindows: when an NVR was up. */

import { Type } from 'typebox';
import { deviceUuid as deviceUuidField, listOf } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_NVR_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { TIME_WINDOW_SCHEMA } from '../types/time-window-type.ts';
import { uptimeEnd, uptimeRange, uptimeStart } from '../types/uptime-range.ts';

export const getNvrUptimeWindows = defineEndpoint({
  path: '/api/relay/getUptimeWindows',
  summary: 'Lists when an NVR was up.',
  description:
    'An NVR is up while at least one of its current cameras is up, according to `/api/camera/getUptimeWindows`, or ' +
    'the NVR itself is, according to `/api/ingest/deviceHealth`.',
  request: Type.Object({
    deviceUuid: deviceUuidField('The NVR.'),
    startTimeMs: uptimeStart,
    endTimeMs: Type.Optional(uptimeEnd),
  }),
  response: { uptimeWindows: listOf(TIME_WINDOW_SCHEMA, 'In order, without overlaps.') },
  example: {
    request: {
      deviceUuid: EXAMPLE_NVR_UUID,
      startTimeMs: EXAMPLE_TIME_MS,
      endTimeMs: EXAMPLE_TIME_MS + 7_200_000,
    },
    response: { uptimeWindows: [{ startSeconds: EXAMPLE_TIME_MS / 1_000, durationSeconds: 7_200 }] },
  },
  async handler(context, { deviceUuid, startTimeMs, endTimeMs }) {
    const { orgUuid, services } = context;
    await services.devices.findNvr(orgUuid, deviceUuid);
    const behind = await services.devices.camerasBehind(orgUuid, deviceUuid);
    const devices = [deviceUuid, ...behind.map(({ uuid }) => uuid)];
    const range = uptimeRange({ startTimeMs, endTimeMs }, { warn: (sentence) => context.warn(sentence) });
    return { uptimeWindows: await services.health.uptime(orgUuid, devices, range) };
  },
});
