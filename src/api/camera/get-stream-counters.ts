/** POST /api/camera/getStreamCounters: an hour of counters of a camera's stream, for everyone who may watch it. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int32, int64, listOf, oneOf } from '../../http/fields/field-types.ts';
import { STREAM_COUNTERS } from '../../system/counter-history.ts';
import { jsonColumns } from '../../system/support-bundle.ts';
import { COUNTER_COLUMNS } from '../types/counter-columns.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

export const getStreamCounters = defineEndpoint({
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
