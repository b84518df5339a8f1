/** When cameras and NVRs were up, and the counters of streams. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { UNHEALTHY_SYMPTOMS } from '../../events/unhealthy-device.ts';
import type { UnhealthyDevice } from '../../events/unhealthy-devices.ts';
import { UPTIME_STATES } from '../../events/uptime-history.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  deviceUuid as deviceUuidField,
  int32,
  int64,
  int64WithoutFraction,
  listOf,
  namedType,
  oneOf,
  ruuid,
} from '../../http/fields/field-types.ts';
import { STREAM_COUNTERS } from '../../system/counter-history.ts';
import { jsonColumns } from '../../system/support-bundle.ts';
import { COUNTER_COLUMNS } from '../types/counter-columns.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_NVR_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

/** Time windows in responses. */
export const TIME_WINDOW_SCHEMA = namedType('TimeWindowSeconds', {
  startSeconds: int64('When it begins, epoch seconds.'),
  durationSeconds: int64('How long it lasts, seconds.'),
});

/** Numbers between 0 and this are seconds sent by mistake: as milliseconds, they would be before March 1973. */
const FIRST_LIKELY_TIME_MS = 100_000_000_000;

const uptimeStart = int64WithoutFraction(
  'Start of the range, epoch milliseconds. A fraction is dropped.',
  0,
  MAX_TIME_MS,
);
const uptimeEnd = int64WithoutFraction(
  'End of the range, epoch milliseconds; a fraction is dropped. Default now.',
  0,
  MAX_TIME_MS,
);

/** Half-open, epoch milliseconds; without an end: until now. */
interface UptimeRange {
  readonly startMs: number;
  readonly endMs: number | undefined;
}

/**
 * `fields`: the two times, by their names in the request. A time that only makes sense in
 * seconds, as some clients send it, is
 * taken as that; `warn` says so.
 */
function uptimeRange(
  fields: Readonly<Record<string, number | undefined>>,
  { warn }: { readonly warn: (sentence: string) => void },
): UptimeRange {
  const [startMs = 0, endMs] = Object.entries(fields).map(([name, time]) => {
    if (time === undefined || time === 0 || time >= FIRST_LIKELY_TIME_MS) return time;
    warn(`${name} was taken as seconds. Send epoch milliseconds, ${time}000.`);
    return time * 1_000;
  });
  return { startMs, endMs };
}

const getCameraUptimeWindows = defineEndpoint({
  path: '/api/camera/getUptimeWindows',
  summary: 'Lists when a camera was up.',
  description:
    'A window begins when the gateway finds the camera streaming and ends when it can no longer reach it. A camera ' +
    'that is closed because no one is watching counts as up. For a camera that the gateway never opened, the reports ' +
    'of `/api/ingest/deviceHealth` count. Before the first of these, nothing is known, which does not count as ' +
    'uptime. Send the times in milliseconds; times in seconds are recognized and answered with a warning. The response is in seconds.',
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

const getNvrUptimeWindows = defineEndpoint({
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

const getUptimeHistory = defineEndpoint({
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

const getStreamCounters = defineEndpoint({
  path: '/api/camera/getStreamCounters',
  summary: 'Reads the counters of a camera’s stream over the last hour, every ten seconds.',
  description:
    `The same as \`console/getCounters\` for one stream, for every organization: ${STREAM_COUNTERS.map((name) => `\`${name}\``).join(', ')}. ` +
    '`framesPerSec` counts frames of video and audio, `videoFramesPerSec` those of the video alone. ' +
    'null means that the value was not known at that time, because the stream was closed or the gateway was too busy to look.',
  isExtension: true,
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    profile: Type.Optional(oneOf(['main', 'sub'], 'Its stream. Default `main`.')),
    sinceMs: Type.Optional(int64('Only samples after this time, epoch milliseconds. Default: all.', 0)),
  }),
  response: {
    intervalMs: int32('Time between two samples, in milliseconds.'),
    timesMs: listOf(int64('Milliseconds since 1970.'), 'The times of the samples, oldest first.'),
    counters: COUNTER_COLUMNS,
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, profile: 'main', sinceMs: EXAMPLE_TIME_MS },
    response: {
      intervalMs: 10_000,
      timesMs: [EXAMPLE_TIME_MS + 10_000, EXAMPLE_TIME_MS + 20_000],
      counters: { bitsPerSec: [4_012_300, null], videoFramesPerSec: [25, null] },
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, profile = 'main', sinceMs = null }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const history = await services.system.streamCounters({
      stream: { cameraUuid: camera.uuid, profile },
      sinceEpochMs: sinceMs,
    });
    const { firstEpochMs, intervalMs, samples } = history;
    return {
      intervalMs,
      timesMs: Array.from({ length: samples }, (_each, i) => firstEpochMs + i * intervalMs),
      counters: jsonColumns(history),
    };
  },
});

const ALERT_SCHEMA = namedType('UnHealthyDeviceAlert', {
  uuid: ruuid('The alert; the same while it lasts.'),
  deviceUuid: ruuid('The device.'),
  orgUuid: ruuid('The organization.'),
  timestamp: int64('When it was first known, epoch milliseconds.'),
  symptom: oneOf(UNHEALTHY_SYMPTOMS, 'What is wrong.'),
});

/** Devices that are unhealthy now (docs/spec/rules.md#unhealthy-devices). */
const getUnhealthyDeviceAlerts = defineEndpoint({
  path: '/api/event/getUnhealthyDeviceAlerts',
  summary: 'Lists the devices that are unhealthy now.',
  description:
    'DOWN: the gateway cannot reach the camera, or any camera of the NVR. Other symptoms come from the newest report ' +
    'of a device (`/api/ingest/deviceHealth`, not older than 30 days). The newest alert comes first. There is one ' +
    'alert per device and symptom.',
  request: Type.Object({}),
  response: { unhealthyDeviceAlerts: listOf(ALERT_SCHEMA, 'The alerts.') },
  example: {
    request: {},
    response: {
      unhealthyDeviceAlerts: [
        {
          uuid: deriveRuuid('example', 'unhealthy device alert'),
          deviceUuid: EXAMPLE_CAMERA_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          timestamp: EXAMPLE_TIME_MS,
          symptom: 'DOWN',
        },
      ],
    },
  },
  async handler({ orgUuid, services }) {
    const devices = await services.health.unhealthyDevices(orgUuid);
    return { unhealthyDeviceAlerts: devices.map(alertResponse) };
  },
});

function alertResponse(device: UnhealthyDevice): Static<typeof ALERT_SCHEMA> {
  const { uuid, deviceUuid, orgUuid, sinceMs, symptom } = device;
  return { uuid, deviceUuid, orgUuid, timestamp: sinceMs, symptom };
}

export const DEVICE_HISTORY_ENDPOINTS: readonly Endpoint[] = [
  getCameraUptimeWindows,
  getNvrUptimeWindows,
  getUptimeHistory,
  getStreamCounters,
  getUnhealthyDeviceAlerts,
];
