/** Pauses of cameras for maintenance. Specific to Sluice. */

import { Type } from 'typebox';
import { MAX_CAMERA_PAUSE_MS } from '../../events/camera-pauses.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  int32,
  int64,
  listOf,
  namedType,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MS_PER_SEC = 1_000;
const DEFAULT_DURATION_SEC = 3_600;
const MIN_DURATION_SEC = 60;

const CAMERA = deviceFacetUuid('The camera.');

const PAUSE_SCHEMA = namedType('CameraPauseType', {
  cameraUuid: ruuid('The camera.'),
  fromMs: int64('Since when, epoch milliseconds.'),
  untilMs: int64('When it ends, unless someone changes or ends it.'),
  pausedBy: plainText('The name of the person or the key.'),
});

const EXAMPLE_PAUSE = {
  cameraUuid: EXAMPLE_CAMERA_UUID,
  fromMs: EXAMPLE_TIME_MS,
  untilMs: EXAMPLE_TIME_MS + DEFAULT_DURATION_SEC * MS_PER_SEC,
  pausedBy: 'Ada',
};

const getCameraPauses = defineEndpoint({
  path: '/api/camera/getCameraPauses',
  summary: 'Lists the cameras that are paused for maintenance now.',
  description: 'The one that ends first comes first.',
  isExtension: true,
  request: Type.Object({}),
  response: { pauses: listOf(PAUSE_SCHEMA, 'Pauses in effect.') },
  example: { request: {}, response: { pauses: [EXAMPLE_PAUSE] } },
  async handler({ orgUuid, services }) {
    return { pauses: await services.cameraPauses.list(orgUuid) };
  },
});

const pauseCamera = defineEndpoint({
  path: '/api/camera/pauseCamera',
  summary: 'Pauses a camera for maintenance, for a while.',
  description:
    'Meanwhile, reported alerts of the camera are refused, no mail and no webhook is about it, and it is not among unhealthy ' +
    'devices or problems of the gateway. It streams and records as before, and its state and its history stay true. If it is ' +
    'offline at the end, people are told then. If it is paused already, the end moves.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    cameraUuid: CAMERA,
    durationSec: Type.Optional(
      int32(
        `How long from now, in seconds; default ${DEFAULT_DURATION_SEC}. Has no effect with \`untilMs\`.`,
        MIN_DURATION_SEC,
        MAX_CAMERA_PAUSE_MS / MS_PER_SEC,
      ),
    ),
    untilMs: Type.Optional(int64('When it ends, epoch milliseconds: at most 31 days from now.', 0)),
  }),
  response: { pause: PAUSE_SCHEMA },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, durationSec: DEFAULT_DURATION_SEC },
    response: { pause: EXAMPLE_PAUSE },
  },
  async handler({ orgUuid, caller, services }, { cameraUuid, untilMs, durationSec = DEFAULT_DURATION_SEC }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const end = { untilMs, durationMs: durationSec * MS_PER_SEC };
    return { pause: await services.cameraPauses.pause(camera, end, caller.actor.name) };
  },
});

const endCameraPause = defineEndpoint({
  path: '/api/camera/endCameraPause',
  summary: 'Ends the pause of a camera now.',
  description: 'If the camera is not paused, nothing happens.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: CAMERA }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    await services.cameraPauses.end(orgUuid, camera.uuid);
    return {};
  },
});

export const CAMERA_PAUSE_ENDPOINTS: readonly Endpoint[] = [getCameraPauses, pauseCamera, endCameraPause];
