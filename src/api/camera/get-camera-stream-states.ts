/** POST /api/camera/getCameraStreamStates: what the streams of cameras do now. */

import { type Static, Type } from 'typebox';
import type { CameraStreamState } from '../../devices/camera-stream-states.ts';
import type { StreamSample } from '../../devices/stream-samples.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  double,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { CONNECTION_STATES, NOT_CHECKED, type StreamConnection } from '../../stream/camera-connection.ts';
import { CAMERA_FAULT_REASONS } from '../../stream/source/camera-fault.ts';
import { adviceFor } from '../../stream/source/camera-fault-advice.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_CAMERAS = 1_000;

const STREAM_STATE_SCHEMA = namedType('CameraStreamStateType', {
  state: oneOf(CONNECTION_STATES, 'As in `connectionDetail`.'),
  sinceMs: nullable(int64('When this began; absent: when the gateway first saw the camera.')),
  checkedAtMs: nullable(int64('When it last responded or failed to; absent: never contacted.')),
  errorCode: nullable(plainText('Why it is offline; absent if it is not.')),
  errorReason: nullable(oneOf(CAMERA_FAULT_REASONS, 'The same as a word.')),
  errorSentence: nullable(plainText('The same as a sentence.')),
  errorAdvice: nullable(plainText('What to do about it.')),
  nextRetryMs: nullable(
    int64('When the gateway tries again; absent: it is not offline, or no one is watching.'),
  ),
  waitingBehind: nullable(
    int32('Streams that get an ffmpeg worker earlier; absent: it does not wait for one.'),
  ),
  codecs: nullable(listOf(plainText('As RFC 6381 writes it.'), 'Its codecs; absent while it is closed.')),
  width: nullable(int32('Width in pixels.')),
  height: nullable(int32('Height in pixels.')),
  frameRate: nullable(double('Frames per second, measured.')),
  bitsPerSec: nullable(int64('Bits per second of what is in the live window.')),
  keyFrameDistanceSec: nullable(double('Seconds between the last two key frames.')),
  droppedFrames: nullable(int64('Frames that were lost, damaged or left out since it was opened.')),
  clockDriftPpm: nullable(double('How much faster the camera’s clock runs, in millionths.')),
  worker: nullable(flag('Whether an ffmpeg worker carries it.')),
});

const CAMERA_STREAM_STATES_SCHEMA = namedType('CameraStreamStatesType', {
  cameraUuid: ruuid('The camera.'),
  name: plainText('Its name.'),
  viewers: int32('Viewers on this gateway, of all its shares and without one.'),
  main: STREAM_STATE_SCHEMA,
  sub: nullable(STREAM_STATE_SCHEMA),
});

export const getCameraStreamStates = defineEndpoint({
  path: '/api/camera/getCameraStreamStates',
  summary: 'Reads what the streams of cameras do now.',
  description:
    'For each camera its main stream and, if it has one, its substream: state, why it is offline and what to do, and ' +
    'what an open stream is like. Measurements are at most two seconds old; the gateway takes them once for all ' +
    'callers. No field has an address. Federated sessions cannot call it.',
  isExtension: true,
  request: Type.Object({
    cameraUuids: Type.Optional(listOf(deviceUuid('Camera.'), 'Only these; all if absent.', MAX_CAMERAS)),
  }),
  response: { cameras: listOf(CAMERA_STREAM_STATES_SCHEMA, 'Sorted by name, without removed cameras.') },
  example: {
    request: { cameraUuids: [EXAMPLE_CAMERA_UUID] },
    response: {
      cameras: [
        {
          ...{ cameraUuid: EXAMPLE_CAMERA_UUID, name: 'Lobby', viewers: 3, sub: null },
          main: streamAnswer(
            {
              ...{ state: 'live', sinceEpochMs: EXAMPLE_TIME_MS, checkedAtEpochMs: EXAMPLE_TIME_MS },
              ...{ fault: null, retryAtEpochMs: null },
            },
            {
              ...{ codecs: ['avc1.640028', 'mp4a.40.2'], widthPx: 1_920, heightPx: 1_080, frameRateHz: 25 },
              ...{ bitsPerSec: 4_000_000, keyFrameDistanceMs: 2_000, droppedFrames: 0, clockDriftPpm: 14.5 },
              hasWorker: false,
            },
          ),
        },
      ],
    },
  },
  async handler({ orgUuid, services }, { cameraUuids }) {
    const states = await services.cameraStreamStates.list(orgUuid, cameraUuids ?? null);
    return { cameras: states.map(cameraAnswer) };
  },
});

function cameraAnswer(state: CameraStreamState): Static<typeof CAMERA_STREAM_STATES_SCHEMA> {
  const { camera, report, sample } = state;
  const sub = report?.sub ?? null;
  return {
    ...{ cameraUuid: camera.uuid, name: camera.name, viewers: sample?.viewers ?? 0 },
    main: streamAnswer(report?.main ?? NOT_CHECKED, sample?.main ?? null),
    sub: sub === null ? null : streamAnswer(sub, sample?.sub ?? null),
  };
}

function streamAnswer(
  { state, sinceEpochMs, checkedAtEpochMs, fault, retryAtEpochMs, waiting }: StreamConnection,
  sample: StreamSample | null,
): Static<typeof STREAM_STATE_SCHEMA> {
  const distanceMs = sample?.keyFrameDistanceMs ?? null;
  return {
    ...{ state, sinceMs: sinceEpochMs, checkedAtMs: checkedAtEpochMs },
    errorCode: fault?.code ?? null,
    errorReason: fault?.reason ?? null,
    errorSentence: fault?.message ?? null,
    errorAdvice: fault === null ? null : adviceFor(fault),
    nextRetryMs: retryAtEpochMs,
    waitingBehind: waiting?.ahead ?? null,
    codecs: sample === null ? null : [...sample.codecs],
    width: sample?.widthPx ?? null,
    height: sample?.heightPx ?? null,
    frameRate: sample?.frameRateHz ?? null,
    bitsPerSec: sample?.bitsPerSec ?? null,
    keyFrameDistanceSec: distanceMs === null ? null : distanceMs / 1_000,
    droppedFrames: sample?.droppedFrames ?? null,
    clockDriftPpm: sample?.clockDriftPpm ?? null,
    worker: sample?.hasWorker ?? null,
  };
}
