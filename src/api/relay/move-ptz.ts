/** POST /api/relay/movePtz: moves a camera. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { double, int32 } from '../../http/fields/field-types.ts';
import { countingWith } from '../../http/fields/no-effect.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { PTZ_CAMERA_INPUT, PTZ_MODE } from './ptz-types.ts';

/** An operator who holds a key sends the next move in time; one who is gone must not move a camera for long. */
const MIN_TIMEOUT_MS = 100;
const MAX_TIMEOUT_MS = 30_000;

export const movePtz = defineEndpoint({
  path: '/api/relay/movePtz',
  summary: 'Moves a camera.',
  description:
    'CONTINUOUS moves at a speed, -1 to 1 of the fastest, until `timeoutMs` is over, another move comes, or `stopPtz`. ' +
    'Then the gateway stops the camera; so it does when it ends, and the camera stops by itself if the gateway cannot. ' +
    'RELATIVE moves by a part of the range, -1 to 1. ABSOLUTE moves to a position, which needs `pan` and `tilt` ' +
    'together; zoom is from 0 to 1. Right, up and tele are positive; axes that are absent are not moved. ' +
    '`/api/relay/getPtzStatus` says which modes the camera has. One camera has one move at a time: a later one replaces ' +
    'it, through whichever node of a cluster, and a call whose move was replaced before the camera got it fails. Fails and is limited like `getPtzStatus`. ' +
    'The audit trail shows who moved a camera, moves of ten minutes in one row.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    cameraUuid: PTZ_CAMERA_INPUT,
    mode: PTZ_MODE,
    pan: Type.Optional(double('To the right.', -1, 1)),
    tilt: Type.Optional(double('Up.', -1, 1)),
    zoom: Type.Optional(double('In.', -1, 1)),
    timeoutMs: Type.Optional(
      countingWith(
        int32('When the move ends, milliseconds; required with it.', MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
        'mode',
        'CONTINUOUS',
      ),
    ),
  }),
  response: {},
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, mode: 'CONTINUOUS', pan: 0.5, tilt: 0, timeoutMs: 2_000 },
    response: {},
  },
  async handler({ orgUuid, services }, { cameraUuid, ...move }) {
    await services.ptz.move(orgUuid, cameraUuid, move);
    return {};
  },
});
