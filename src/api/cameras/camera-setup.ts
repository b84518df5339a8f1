/** Calls that help to add a camera: probes, ONVIF, and a preview without a share. */

import { type Static, Type } from 'typebox';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import { CAMERA_ADVICE_CODES } from '../../devices/camera-advice.ts';
import type { ExaminedStream } from '../../devices/examined-stream.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
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
  text,
} from '../../http/fields/field-types.ts';
import { requestSentence } from '../../http/request-sentences.ts';
import { DEVICE_GRANT_CHARS } from '../../sharing/device-grant.ts';
import { CAMERA_FAULT_REASONS } from '../../stream/source/camera-fault.ts';
import { adviceFor } from '../../stream/source/camera-fault-advice.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { MAIN_URL_INPUT, SOURCE_INPUT_PROPERTIES, sourceFieldsOf } from './cameras.ts';

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

const probeCamera = defineEndpoint({
  path: '/api/camera/probeCamera',
  summary: 'Opens a camera once and says what it is and what to change in it.',
  description:
    'Without `cameraUuid`, takes the fields of `/api/camera/createCamera` and stores nothing. With it, fields that are ' +
    'absent are those of the camera. The call takes up to 15 seconds; it ends when its caller disconnects. An ' +
    'organization can have two at the same time, the gateway four, and 60 new addresses can be tried per minute. If the main ' +
    'stream refuses the login, the substream is not tried: cameras lock accounts. A camera that allows one connection ' +
    'may refuse while someone watches it. `snapshot` is absent if no decoder is free.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    cameraUuid: Type.Optional(deviceUuid('A camera of the organization.')),
    mainUrl: Type.Optional(MAIN_URL_INPUT),
    ...SOURCE_INPUT_PROPERTIES,
    withSnapshot: Type.Optional(flag('Whether to return an image. Default true.')),
    isBrief: Type.Optional(
      flag(
        'Whether the first frame of each stream is enough: for a picture of many cameras. What takes longer to measure ' +
          'is then absent, and `advice` is empty. Default false.',
      ),
    ),
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
          code: 'KEY_FRAMES_RARE',
          profile: 'main',
          sentence:
            'A key frame comes every 10 s: viewers wait up to 10 s for the picture. Set the key frame interval to 2 s.',
        },
      ],
      snapshot: { imageData: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD…', width: 640, height: 360 },
    },
  },
  async handler({ orgUuid, services, signal }, body) {
    const { cameraUuid = null, withSnapshot = true, isBrief = false } = body;
    const { main, sub, advice, snapshot } = await services.cameraExaminer.examine(orgUuid, {
      cameraUuid,
      source: sourceFieldsOf(body),
      wantsSnapshot: withSnapshot,
      isBrief,
      signal,
    });
    return {
      main: streamResponse(main),
      sub: sub === null ? null : streamResponse(sub),
      clockOffsetMs: main.clockOffsetMs,
      advice: advice.map(({ code, profile, sentence }) => ({ code, profile, sentence })),
      snapshot:
        snapshot === null
          ? null
          : {
              imageData: Buffer.from(snapshot.bytes).toString('base64'),
              width: snapshot.widthPx,
              height: snapshot.heightPx,
            },
    };
  },
});

function streamResponse(stream: ExaminedStream): Static<typeof STREAM_SCHEMA> {
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
    works: true,
    errorCode: null,
    errorReason: null,
    errorSentence: null,
    errorAdvice: null,
    videoCodec: 'avc1.640028',
    width: 1920,
    height: 1080,
    frameRate: 25,
    bitsPerSec: 4_000_000,
    keyFrameDistanceSec: 10,
    audioCodec: 'mp4a.40.2',
    transport: 'tcp',
    firstKeyFrameMs: 812,
    needsWorker: false,
  };
}

const FOUND_SCHEMA = namedType('FoundOnvifCameraType', {
  address: plainText('Its address, with its port unless that is the usual one.'),
  https: flag('Whether its service is asked over HTTPS.'),
  name: nullable(plainText('What it calls itself.')),
  hardware: nullable(plainText('What it says it is.')),
  known: flag('Whether a camera of the organization is at this address.'),
});

const scanOnvifCameras = defineEndpoint({
  path: '/api/camera/scanOnvifCameras',
  summary: 'Looks for ONVIF cameras on the gateway’s network, and asks them nothing else.',
  description:
    'Sends a WS-Discovery probe and waits two seconds. Needs no NVR and stores nothing: ' +
    '`/api/camera/inspectOnvifCamera` asks one of them for its streams, and `/api/camera/createCamera` adds it. ' +
    'Cameras of other organizations of this gateway are left out. One discovery runs at a time. What cameras call ' +
    'themselves is not checked.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: { cameras: listOf(FOUND_SCHEMA, 'By address.') },
  example: {
    request: {},
    response: {
      cameras: [{ address: '192.0.2.10', https: false, name: 'Dome 4', hardware: 'D4-2MP', known: false }],
    },
  },
  async handler({ orgUuid, services }) {
    const found = await services.onvifDiscovery.scan(orgUuid);
    return {
      cameras: found.map(({ service, name, hardware, isKnown }) => ({
        address: service.host,
        https: service.protocol === 'https:',
        name,
        hardware,
        known: isKnown,
      })),
    };
  },
});

const MAX_TLS_LENGTH = 102;
const MAX_ADDRESS_LENGTH = 64;

const PROFILE_SCHEMA = namedType('OnvifProfileType', {
  profileToken: plainText('Its name in the camera.'),
  codec: nullable(plainText('As RTP names it, such as `h264`.')),
  width: nullable(int32('Width in pixels.')),
  height: nullable(int32('Height in pixels.')),
  mainUrl: plainText('Where it is, for `/api/camera/createCamera`.'),
  substreamUrl: nullable(plainText('The smaller stream that goes with it; absent: there is none.')),
});

const CHANNEL_SCHEMA = namedType('OnvifChannelType', {
  sourceToken: nullable(plainText('Its name in the device, for programs.')),
  name: nullable(
    plainText('What the device calls it, as in its picture; absent if that says no more than a number.'),
  ),
  profileToken: nullable(
    plainText('Its main stream among `profiles`; absent if the device did not tell its address in time.'),
  ),
  cameraUuid: nullable(ruuid('The camera of the organization that has this stream; absent if none has.')),
});

const inspectOnvifCamera = defineEndpoint({
  path: '/api/camera/inspectOnvifCamera',
  summary: 'Asks an ONVIF camera what it is and where its streams are.',
  description:
    'Stores nothing. The call does not fail if the camera does not answer or refuses the login: `found` is false then, ' +
    'and `failureSentence` says why. It takes up to 16 seconds and counts as a new address ' +
    '(`/api/camera/probeCamera`). A wrong login is tried once.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    ipAddress: text(
      'Its address, followed by a colon and the port unless that is 80, or 443 with `tls`.',
      MAX_ADDRESS_LENGTH,
    ),
    tls: Type.Optional(
      text(
        'Asks over HTTPS, and says what the certificate must prove, as in `createCamera`. Default: HTTP.',
        MAX_TLS_LENGTH,
      ),
    ),
    username: Type.Optional(text('User name.')),
    password: Type.Optional(text('Password. Neither stored nor returned.')),
  }),
  response: {
    found: flag('Whether the camera answered and accepted the login.'),
    loginRefused: flag('Whether it requires another login.'),
    failureCode: nullable(plainText('Why it was not found.')),
    failureSentence: nullable(plainText('The same as a sentence.')),
    onvifUrl: nullable(plainText('Its service, for `/api/camera/createCamera`.')),
    manufacturer: nullable(plainText('Its manufacturer.')),
    model: nullable(plainText('Its model.')),
    profiles: listOf(PROFILE_SCHEMA, 'Its streams, the main stream first.'),
    channels: listOf(
      CHANNEL_SCHEMA,
      'Its lenses, or the channels of a video recorder, at most 64; empty if it has no stream.',
    ),
    nvrUuid: nullable(
      ruuid('The NVR that the organization’s cameras at this address are behind; absent if there is none.'),
    ),
  },
  example: {
    request: { ipAddress: '192.0.2.10', username: 'viewer', password: 'correct horse' },
    response: {
      found: true,
      loginRefused: false,
      failureCode: null,
      failureSentence: null,
      onvifUrl: 'http://192.0.2.10/onvif/device_service',
      manufacturer: 'Example',
      model: 'Dome 4',
      profiles: [
        {
          profileToken: 'main',
          codec: 'h264',
          width: 1_920,
          height: 1_080,
          mainUrl: 'rtsp://192.0.2.10/stream1',
          substreamUrl: 'rtsp://192.0.2.10/stream2',
        },
      ],
      channels: [{ sourceToken: 'VideoSource_1', name: 'Lobby', profileToken: 'main', cameraUuid: null }],
      nvrUuid: null,
    },
  },
  async handler({ orgUuid, services }, { ipAddress, tls, username, password }) {
    const request = { address: ipAddress, tls, username, password };
    const { device, known, failure } = await services.onvifCameras.inspect(orgUuid, request);
    const urls = new Map(device?.streams.map(({ profileToken, rtspUrl }) => [profileToken, rtspUrl]));
    return {
      found: device !== null,
      loginRefused: failure?.code === 'ONVIF_LOGIN_REFUSED',
      failureCode: failure?.code ?? null,
      failureSentence: failure === null ? null : requestSentence(failure),
      onvifUrl: device?.service ?? null,
      manufacturer: device?.manufacturer ?? null,
      model: device?.model ?? null,
      profiles: (device?.streams ?? []).map((stream) => ({
        profileToken: stream.profileToken,
        codec: stream.codec,
        width: stream.widthPx,
        height: stream.heightPx,
        mainUrl: stream.rtspUrl,
        substreamUrl: stream.substreamUrl,
      })),
      channels: (device?.channels ?? []).map(({ sourceToken, name, profileToken }) => ({
        sourceToken,
        name,
        profileToken,
        cameraUuid: profileToken === null ? null : known.cameraAt(urls.get(profileToken) ?? ''),
      })),
      nvrUuid: device === null ? null : known.nvrUuid,
    };
  },
});

const EXAMPLE_GRANT = 'A'.repeat(DEVICE_GRANT_CHARS);

const createPreviewGrant = defineEndpoint({
  path: '/api/camera/createPreviewGrant',
  summary: 'Lets the caller watch a camera for ten minutes without a share.',
  description:
    'Returns a page and the addresses that it plays. Anyone who has them can watch, with audio, until `endsAtMs`; send ' +
    '`grant` again before that, and the same addresses stay valid for ten more minutes. They end with the key of the ' +
    'caller, and with the camera, within a second. Only pages of the API’s own origin can frame the page. An ' +
    'application with an access token cannot call this. The view is in the audit feed as `VIEW_CAMERA_LIVE`.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    grant: Type.Optional(
      text('The grant of a preview of this camera that the same key created. Default: a new one.', 128),
    ),
  }),
  response: {
    grant: plainText('Send it to extend the preview.'),
    pageUrl: plainText('A page that plays the camera, for a tab or a frame.'),
    playlistUrl: plainText('The same as HLS.'),
    webSocketUrl: plainText('The video over WebSocket.'),
    substreamWebSocketUrl: nullable(plainText('The substream over WebSocket; absent if there is none.')),
    endsAtMs: int64('When it ends.'),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      grant: EXAMPLE_GRANT,
      pageUrl: `http://media.example/preview#${EXAMPLE_GRANT}`,
      playlistUrl: `http://media.example/live/${EXAMPLE_GRANT}/file.m3u8`,
      webSocketUrl: `ws://media.example/live/${EXAMPLE_GRANT}/ws`,
      substreamWebSocketUrl: null,
      endsAtMs: EXAMPLE_TIME_MS,
    },
  },
  async handler({ caller, services }, { cameraUuid, grant = null }) {
    const preview = await services.devicePreviews.open(caller, cameraUuid, grant, actingPrincipal());
    return {
      grant: preview.grantText,
      pageUrl: preview.pageUrl,
      playlistUrl: preview.playlistUrl,
      webSocketUrl: preview.socketUrl,
      substreamWebSocketUrl: preview.subSocketUrl,
      endsAtMs: preview.endsAtEpochMs,
    };
  },
});

export const CAMERA_SETUP_ENDPOINTS: readonly Endpoint[] = [
  probeCamera,
  scanOnvifCameras,
  inspectOnvifCamera,
  createPreviewGrant,
];
