/** POST /api/console/getCounters: an hour of counters, of the gateway or of a camera stream. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int32, int64, listOf, oneOf } from '../../http/fields/field-types.ts';
import { STREAM_COUNTERS, SYSTEM_COUNTERS } from '../../system/counter-history.ts';
import { jsonColumns } from '../../system/support-bundle.ts';
import { COUNTER_COLUMNS } from '../types/counter-columns.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

export const getCounters = defineEndpoint({
  path: '/api/console/getCounters',
  summary: 'Reads the counters of the last hour, every ten seconds.',
  description:
    `${OPERATORS_ONLY} Without \`cameraUuid\`, those of the gateway: ${named(SYSTEM_COUNTERS)}. With it, those of one stream ` +
    `of a camera of the organization: ${named(STREAM_COUNTERS)}. All arrays are as long as \`timesMs\`; null means that ` +
    'the value was not known at that time, because the stream was closed or the gateway was too busy to look. Values per second ' +
    'are means of the ten seconds before; `droppedFrames` counts those of the ten seconds. `framesPerSec` counts frames of video ' +
    'and audio, `videoFramesPerSec` those of the video alone; both include dropped ones. `bytesInPerSec` is the media of ' +
    'open cameras as it is packaged. `cpuPercent` is of one core, so that several cores can make more than 100. ' +
    '`viewers` of a stream are those of its camera, whichever of its streams they play. The history begins with the start of ' +
    'the gateway. If its clock is set, the times of all samples follow.',
  isExtension: true,
  request: Type.Object({
    cameraUuid: Type.Optional(deviceUuid('A camera; absent: the gateway.')),
    profile: Type.Optional(
      oneOf(
        ['main', 'sub', 'h264'],
        'A stream of the camera; `h264` is the main stream, transcoded. Default `main`.',
      ),
    ),
    sinceMs: Type.Optional(
      int64('Only samples after this time, in milliseconds since 1970. Default: all.', 0),
    ),
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
  async handler({ caller, services }, { cameraUuid, profile = 'main', sinceMs = null }) {
    const stream = cameraUuid === undefined ? null : { cameraUuid, profile };
    const history = await services.system.counters(caller, { stream, sinceEpochMs: sinceMs });
    const { firstEpochMs, intervalMs, samples } = history;
    return {
      intervalMs,
      timesMs: Array.from({ length: samples }, (_each, i) => firstEpochMs + i * intervalMs),
      counters: jsonColumns(history),
    };
  },
});
