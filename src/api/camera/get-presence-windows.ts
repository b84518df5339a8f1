/** POST /api/camera/getPresenceWindows: when there is footage of a camera. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int64, listOf, mapOf } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { TIME_WINDOW_SCHEMA } from '../types/time-window-type.ts';

const MAX_TIME_SEC = Math.floor(MAX_TIME_MS / 1_000);

/**
 * Clients look for windows under these names: what can be played at any time, and what only the camera has, which is not
 * there while the camera is offline. The gateway's recordings can always be played.
 */
const STORED = 'VideoCloud';
const ON_CAMERA = 'VideoLocal';

export const getPresenceWindows = defineEndpoint({
  path: '/api/camera/getPresenceWindows',
  summary: 'Lists when there is footage of a camera.',
  description:
    'Of any second in a window, all is recorded and can be played (`getMediaUris`, the `Vod` templates). The range can ' +
    'begin at 0; from its first footage to its end there can be up to 366 days. Footage of the last seconds is listed once ' +
    `it is written. \`${STORED}\` is what the gateway recorded, or was handed over. \`${ON_CAMERA}\` is always empty: ` +
    'Sluice plays nothing from the storage of cameras.',
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    startTimeSec: int64('Start of the range, epoch seconds.', 0, MAX_TIME_SEC),
    durationSec: int64('How long the range is, in seconds.', 1, MAX_TIME_SEC),
  }),
  response: {
    presenceWindows: mapOf(
      listOf(TIME_WINDOW_SCHEMA, 'In order, without overlaps.'),
      `The windows: \`${STORED}\` and \`${ON_CAMERA}\`.`,
    ),
  },
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      startTimeSec: EXAMPLE_TIME_MS / 1_000,
      durationSec: 7_200,
    },
    response: {
      presenceWindows: {
        [STORED]: [{ startSeconds: EXAMPLE_TIME_MS / 1_000, durationSeconds: 5_400 }],
        [ON_CAMERA]: [],
      },
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, startTimeSec, durationSec }) {
    const { camera } = await services.devices.findCamera(orgUuid, cameraUuid);
    const windows = await services.footage.windows(camera.uuid, startTimeSec, durationSec);
    return { presenceWindows: { [STORED]: windows, [ON_CAMERA]: [] } };
  },
});
