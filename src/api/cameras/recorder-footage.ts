/** What the video recorders of cameras have on their disks. Specific to Sluice. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { MAX_SPANS_CAMERAS } from '../../playback/recorded-spans.ts';
import { MAX_FOOTAGE_RANGE_MS, RECORDER_STATES } from '../../recorders/recorder-footage.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const HOUR_MS = 3_600_000;

const SPAN_SCHEMA = namedType('RecorderSpanType', {
  fromMs: int64('When it begins, epoch milliseconds. The clock of the recorder is corrected.'),
  toMs: int64('When it ends, exclusive.'),
});

const PROBLEM_SCHEMA = namedType('RecorderProblemType', {
  code: plainText('One of the error codes in docs/reference/errors.md.'),
  message: plainText('What happened, in a sentence.'),
});

const CAMERA_SCHEMA = namedType('CameraRecorderFootageType', {
  cameraUuid: ruuid('The camera.'),
  state: oneOf(
    RECORDER_STATES,
    '`none`: no recordings of an NVR are shown for this camera. `waiting`: viewers wait because the NVR is playing as many recordings as it can. ' +
      '`pulling`: recordings are being pulled for viewers. `failed`: the NVR could not be listed or played just now.',
  ),
  waiting: int32('How many recordings wait for a session of this NVR.'),
  spans: listOf(SPAN_SCHEMA, 'In order, without overlaps, cut to the range.'),
  problem: nullable(PROBLEM_SCHEMA),
});

const getRecorderFootage = defineEndpoint({
  path: '/api/camera/getRecorderFootage',
  summary: 'Lists what the NVRs of cameras have recorded.',
  description:
    'For cameras whose NVR has `playback` in the configuration. The recordings can be played like those of the gateway ' +
    '(`getMediaUris`, the `Vod` templates), which pulls them from the NVR. The range can have up to 8 days. An NVR that does not ' +
    'respond is not a failure of the call: `state` is `failed`, and `problem` has the reason.',
  isExtension: true,
  request: Type.Object({
    cameraUuids: listOf(deviceUuid('The camera.'), 'The cameras.', MAX_SPANS_CAMERAS),
    fromMs: int64('Start of the range, epoch milliseconds.', 0, MAX_TIME_MS),
    toMs: int64('End of the range, exclusive.', 0, MAX_TIME_MS),
  }),
  response: {
    cameras: listOf(CAMERA_SCHEMA, 'In the order of the request; one that is named twice counts once.'),
  },
  example: {
    request: {
      cameraUuids: [EXAMPLE_CAMERA_UUID],
      fromMs: EXAMPLE_TIME_MS,
      toMs: EXAMPLE_TIME_MS + 2 * HOUR_MS,
    },
    response: {
      cameras: [
        {
          cameraUuid: EXAMPLE_CAMERA_UUID,
          state: 'idle',
          waiting: 0,
          spans: [{ fromMs: EXAMPLE_TIME_MS, toMs: EXAMPLE_TIME_MS + HOUR_MS }],
          problem: null,
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { cameraUuids, fromMs, toMs }) {
    if (toMs <= fromMs) throw invalidField('toMs must be after fromMs.');
    if (toMs - fromMs > MAX_FOOTAGE_RANGE_MS) throw invalidField('The range can have at most 8 days.');
    const named = await Promise.all(
      [...new Set(cameraUuids)].map((each) => services.devices.findCamera(orgUuid, each)),
    );
    const uuids = [...new Set(named.map(({ camera }) => camera.uuid))];
    const footage = await services.readRecorderFootage(uuids, fromMs, toMs);
    return {
      cameras: footage.map(({ spans, ...camera }, i) => ({
        cameraUuid: uuids[i]!,
        ...camera,
        spans: [...spans],
      })),
    };
  },
});

export const RECORDER_FOOTAGE_ENDPOINTS: readonly Endpoint[] = [getRecorderFootage];
