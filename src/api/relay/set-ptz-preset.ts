/** POST /api/relay/setPtzPreset: keeps where a camera looks now as a preset. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { plainText, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { MAX_PRESET_NAME_LENGTH, PRESET_TOKEN_INPUT, PTZ_CAMERA_INPUT } from './ptz-types.ts';

export const setPtzPreset = defineEndpoint({
  path: '/api/relay/setPtzPreset',
  summary: 'Keeps where a camera looks now as a preset.',
  description:
    'The camera keeps it. With `presetToken`, it replaces that preset. Fails and is limited like `getPtzStatus`.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    cameraUuid: PTZ_CAMERA_INPUT,
    name: text('Its name.', MAX_PRESET_NAME_LENGTH),
    presetToken: Type.Optional(PRESET_TOKEN_INPUT),
  }),
  response: { presetToken: plainText('What the camera calls the preset.') },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, name: 'Gate' },
    response: { presetToken: '1' },
  },
  async handler({ orgUuid, services }, { cameraUuid, name, presetToken }) {
    return { presetToken: await services.ptz.setPreset(orgUuid, cameraUuid, name, presetToken) };
  },
});
