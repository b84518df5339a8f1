/** POST /api/camera/probeCamera: opens a camera once and says what it is, before it is stored or afterwards. */

import { type Static, Type } from 'typebox';
import { CAMERA_ADVICE_CODES } from '../../devices/camera-advice.ts';
import type { ExaminedStream } from '../../devices/examined-stream.ts';
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
} from '../../http/fields/field-types.ts';
import { CAMERA_FAULT_REASONS } from '../../stream/source/camera-fault.ts';
import { adviceFor } from '../../stream/source/camera-fault-advice.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { MAIN_URL_INPUT, SOURCE_INPUT_PROPERTIES, sourceFieldsOf } from './camera-source-type.ts';

const STREAM_SCHEMA = namedType('ProbedStreamType', {
  works: flag('Whether it plays.'),
  errorCode: nullable(plainText('Why it does not play.')),
  errorReason: nullable(oneOf(CAMERA_FAULT_REASONS, 'The same as a word.')),
  errorSentence: nullable(plainText('The same as a sentence.')),
  errorAdvice: nullable(plainText('What to do about it.')),
  videoCodec: nullable(
    plainText('The codec of its video as RFC 6381 writes it; as RTP names it if a worker is needed.'),
  ),
  width: nullable(int32('Width in pixels.')),
  height: nullable(int32('Height in pixels.')),
  frameRate: nullable(double('Frames per second, measured.')),
  bitsPerSec: nullable(int64('Bits per second of the video, measured.')),
  keyFrameDistanceSec: nullable(double('Seconds between key frames; absent if no second one came.')),
  audioCodec: nullable(plainText('The codec of its audio, in the same way; absent if it has none.')),
  transport: nullable(
    oneOf(['tcp', 'udp', 'multicast', 'http'], 'How its media came; absent if not over RTSP.'),
  ),
  firstKeyFrameMs: nullable(int32('Milliseconds from the first attempt to connect to the first key frame.')),
  needsWorker: flag('Whether an ffmpeg worker has to convert its video. It was not started for this.'),
});

const ADVICE_SCHEMA = namedType('CameraAdviceType', {
  code: oneOf(CAMERA_ADVICE_CODES, 'The finding, for programs.'),
  profile: oneOf(['main', 'sub'], 'The stream that it is about.'),
  sentence: plainText('The finding and what to do, for people.'),
});

const SNAPSHOT_SCHEMA = namedType('ProbeSnapshotType', {
  imageData: plainText('A JPEG, in Base64.'),
  width: int32('Width in pixels, at most 640.'),
  height: int32('Height in pixels.'),
});

export const probeCamera = defineEndpoint({
  path: '/api/camera/probeCamera',
  summary: 'Opens a camera once and says what it is and what to change in it.',
  description:
    'Without `cameraUuid`, takes the fields of `/api/camera/createCamera` and stores nothing. With it, fields that are ' +
    'absent are those of the camera. The call takes up to 15 seconds; it ends when its caller disconnects. An ' +
    'organization can have two at once, the gateway four, and 60 new addresses can be tried per minute. If the main ' +
    'stream refuses the login, the substream is not tried: cameras lock accounts. A camera that allows one connection ' +
    'may refuse while someone watches it. `snapshot` is absent if no decoder is free.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    cameraUuid: Type.Optional(deviceUuid('A camera of the organization.')),
    mainUrl: Type.Optional(MAIN_URL_INPUT),
    ...SOURCE_INPUT_PROPERTIES,
    withSnapshot: Type.Optional(flag('Whether to return an image. Default true.')),
  }),
  response: {
    main: STREAM_SCHEMA,
    sub: nullable(STREAM_SCHEMA),
    clockOffsetMs: nullable(
      int64('How far the camera’s clock is ahead of the gateway’s, as its streams say.'),
    ),
    advice: listOf(ADVICE_SCHEMA, 'What is worth changing; empty if nothing is.'),
    snapshot: nullable(SNAPSHOT_SCHEMA),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      main: exampleStream(),
      sub: null,
      clockOffsetMs: -120,
      advice: [
        {
          ...{ code: 'KEY_FRAMES_RARE', profile: 'main' },
          sentence:
            'A key frame comes every 10 s: viewers wait up to 10 s for the picture. Set the key frame interval to 2 s.',
        },
      ],
      snapshot: { imageData: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD…', width: 640, height: 360 },
    },
  },
  async handler({ orgUuid, services, signal }, body) {
    const { cameraUuid = null, withSnapshot = true } = body;
    const { main, sub, advice, snapshot } = await services.cameraExaminer.examine(orgUuid, {
      ...{ cameraUuid, source: sourceFieldsOf(body), wantsSnapshot: withSnapshot, signal },
    });
    return {
      main: streamAnswer(main),
      sub: sub === null ? null : streamAnswer(sub),
      clockOffsetMs: main.clockOffsetMs,
      advice: advice.map(({ code, profile, sentence }) => ({ code, profile, sentence })),
      snapshot:
        snapshot === null
          ? null
          : {
              imageData: Buffer.from(snapshot.bytes).toString('base64'),
              ...{ width: snapshot.widthPx, height: snapshot.heightPx },
            },
    };
  },
});

function streamAnswer(stream: ExaminedStream): Static<typeof STREAM_SCHEMA> {
  const { fault, keyFrameDistanceMs } = stream;
  return {
    works: fault === null,
    errorCode: fault?.code ?? null,
    errorReason: fault?.reason ?? null,
    errorSentence: fault?.message ?? null,
    errorAdvice: fault === null ? null : adviceFor(fault),
    videoCodec: stream.videoCodec ?? stream.videoEncoding,
    width: stream.widthPx,
    height: stream.heightPx,
    frameRate: stream.frameRateHz,
    bitsPerSec: stream.bitsPerSec,
    keyFrameDistanceSec: keyFrameDistanceMs === null ? null : keyFrameDistanceMs / 1_000,
    audioCodec: stream.audioCodec ?? stream.audioEncoding,
    transport: stream.transport,
    firstKeyFrameMs: stream.firstKeyFrameMs,
    needsWorker: stream.needsWorker,
  };
}

function exampleStream(): Static<typeof STREAM_SCHEMA> {
  return {
    ...{ works: true, errorCode: null, errorReason: null, errorSentence: null, errorAdvice: null },
    ...{ videoCodec: 'avc1.640028', width: 1920, height: 1080, frameRate: 25, bitsPerSec: 4_000_000 },
    ...{ keyFrameDistanceSec: 10, audioCodec: 'mp4a.40.2', transport: 'tcp', firstKeyFrameMs: 812 },
    needsWorker: false,
  };
}
