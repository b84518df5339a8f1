/** POST /api/relay/gotoPtzPreset: moves a camera to one of its presets. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { PRESET_TOKEN_INPUT, PTZ_CAMERA_INPUT } from './ptz-types.ts';

export const gotoPtzPreset = defineEndpoint({
  path: '/api/relay/gotoPtzPreset',
  summary: 'Moves a camera to one of its presets.',
  description: 'It replaces a move as `movePtz` does. Fails and is limited like `getPtzStatus`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: PTZ_CAMERA_INPUT, presetToken: PRESET_TOKEN_INPUT }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID, presetToken: '1' }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid, presetToken }) {
    await services.ptz.gotoPreset(orgUuid, cameraUuid, presetToken);
    return {};
  },
});
