/** POST /api/camera/getFootageSeekpointsV2: moments of a camera's footage that are worth seeking to. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { SEEK_POINT_COLORS } from '../../devices/custom-seek-points.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  flagOrWord,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { epochMsOf } from '../types/footage-times.ts';

/** 31 days. */
const MAX_RANGE_SEC = 31 * 86_400;

const SEEKPOINT_SCHEMA = namedType('FootageSeekPointV2', {
  ts: int64('When it happened, epoch milliseconds.'),
  a: nullable(plainText('What happened, such as `MOTION_HUMAN`; `CUSTOM`: someone named the moment.')),
  al: flag('Whether it raised a policy alert.'),
  cd: nullable(plainText('Description of the alert, or of the moment.')),
  cdn: nullable(plainText('Name of the moment, if someone named it.')),
  cc: nullable(oneOf(SEEK_POINT_COLORS, 'The color that was chosen for it.')),
  dcao: flag('Whether players should show it over the video.'),
});

export const getFootageSeekpointsV2 = defineEndpoint({
  path: '/api/camera/getFootageSeekpointsV2',
  summary: "Lists moments of a camera's footage that are worth seeking to.",
  description:
    'One for each trigger of each policy alert of the camera, and one for each moment that `createCustomFootageSeekpoints` named, in the ' +
    'order of their times. Sluice itself detects nothing. ' +
    'Send `startTime` in epoch seconds; milliseconds are recognized. More than 20,000 alerts are refused: choose a shorter range.',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    startTime: int64('Start of the range, epoch seconds.', 0, MAX_TIME_MS),
    duration: int32('How long the range is, in seconds.', 1, MAX_RANGE_SEC),
    includeAnyMotion: Type.Optional(flagOrWord('Also those of plain motion (`MOTION`). Default false.')),
  }),
  response: { footageSeekPoints: listOf(SEEKPOINT_SCHEMA, 'In the order of their times.') },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, startTime: EXAMPLE_TIME_MS / 1_000, duration: 3_600 },
    response: {
      footageSeekPoints: [
        {
          ...{ ts: EXAMPLE_TIME_MS + 60_000, a: 'MOTION_HUMAN', al: true, cd: 'Person at the gate' },
          ...{ cdn: null, cc: null, dcao: false },
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, startTime, duration, includeAnyMotion = false }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const fromMs = epochMsOf(startTime);
    const toMs = fromMs + duration * 1_000;
    const moments = await services.policyAlerts.moments(orgUuid, camera.uuid, fromMs, toMs);
    const custom = await services.customSeekPoints.ofCamera(orgUuid, camera.uuid, { fromMs, toMs });
    const points = [
      ...moments
        .filter(({ activity }) => includeAnyMotion || activity !== 'MOTION')
        .map((moment) => ({ atMs: moment.atMs, moment, point: null })),
      ...custom.map((point) => ({ atMs: point.timestampMs, moment: null, point })),
    ].sort((one, other) => one.atMs - other.atMs);
    return {
      footageSeekPoints: LongList.of(points).map(({ atMs, moment, point }) => ({
        ts: atMs,
        a: point === null ? moment.activity : 'CUSTOM',
        al: point === null,
        cd: point === null ? moment.description : point.description,
        cdn: point?.name ?? null,
        cc: point?.color ?? null,
        dcao: point?.displayOverlay ?? false,
      })),
    };
  },
});
