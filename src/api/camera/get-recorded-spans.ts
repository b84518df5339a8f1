/** POST /api/camera/getRecordedSpans: when many cameras were recorded, as a timeline draws it. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, flag, int64, listOf, namedType, ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import {
  MAX_SPANS,
  MAX_SPANS_CAMERAS,
  MAX_SPANS_RANGE_MS,
  MIN_JOIN_MS,
} from '../../playback/recorded-spans.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const HOUR_MS = 3_600_000;
const MAX_JOIN_MS = 86_400_000;

const SPAN_SCHEMA = namedType('RecordedSpanType', {
  fromMs: int64('When it begins, epoch milliseconds.'),
  toMs: int64('When it ends, exclusive.'),
});

const CAMERA_SPANS_SCHEMA = namedType('CameraRecordedSpansType', {
  cameraUuid: ruuid('The camera.'),
  spans: listOf(SPAN_SCHEMA, `In order, without overlaps, at most ${MAX_SPANS}.`),
  joinedMs: int64('Gaps up to this long are left out: more than `joinMs` if there were too many spans.'),
});

export const getRecordedSpans = defineEndpoint({
  path: '/api/camera/getRecordedSpans',
  summary: 'Lists when cameras were recorded.',
  description:
    `For a timeline of up to ${MAX_SPANS_CAMERAS} cameras, in one call. The range can have up to 32 days. If it has more than 300 ` +
    'hours, counted for each camera, `exact` is false, and gaps of less than an hour may be missing. `nowMs` is the ' +
    'gateway’s clock: nothing is recorded beyond it.',
  isExtension: true,
  request: Type.Object({
    cameraUuids: listOf(deviceUuid('The camera.'), 'The cameras.', MAX_SPANS_CAMERAS),
    fromMs: int64('Start of the range, epoch milliseconds.', 0, MAX_TIME_MS),
    toMs: int64('End of the range, exclusive.', 0, MAX_TIME_MS),
    joinMs: Type.Optional(
      int64(
        `Gaps up to this long are left out, such as those too short to be seen. Default ${MIN_JOIN_MS}, also the least.`,
        0,
        MAX_JOIN_MS,
      ),
    ),
  }),
  response: {
    cameras: listOf(CAMERA_SPANS_SCHEMA, 'In the order of the request; one that is named twice counts once.'),
    exact: flag('Whether each segment was looked at.'),
    nowMs: int64('The time of the gateway, epoch milliseconds.'),
  },
  example: {
    request: {
      cameraUuids: [EXAMPLE_CAMERA_UUID],
      fromMs: EXAMPLE_TIME_MS,
      toMs: EXAMPLE_TIME_MS + 2 * HOUR_MS,
      joinMs: 5_000,
    },
    response: {
      cameras: [
        {
          cameraUuid: EXAMPLE_CAMERA_UUID,
          spans: [{ fromMs: EXAMPLE_TIME_MS, toMs: EXAMPLE_TIME_MS + HOUR_MS }],
          joinedMs: 5_000,
        },
      ],
      exact: true,
      nowMs: EXAMPLE_TIME_MS + 2 * HOUR_MS,
    },
  },
  async handler({ orgUuid, services }, { cameraUuids, fromMs, toMs, joinMs = MIN_JOIN_MS }) {
    if (toMs <= fromMs) throw invalidField('toMs must be after fromMs.');
    if (toMs - fromMs > MAX_SPANS_RANGE_MS) throw invalidField('The range can have at most 32 days.');
    const named = await Promise.all(
      [...new Set(cameraUuids)].map((each) => services.devices.findCamera(orgUuid, each)),
    );
    const uuids = [...new Set(named.map(({ camera }) => camera.uuid))];
    const answer = await services.recordedSpans.of({ cameraUuids: uuids, fromMs, toMs, joinMs });
    return {
      cameras: answer.cameras.map(({ spans, ...camera }) => ({ ...camera, spans: [...spans] })),
      exact: answer.isExact,
      nowMs: answer.nowMs,
    };
  },
});
