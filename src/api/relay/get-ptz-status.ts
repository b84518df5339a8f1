/** POST /api/relay/getPtzStatus: how a camera can be moved, and where it looks. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, nullable, oneOf } from '../../http/fields/field-types.ts';
import { PTZ_MODES, type PtzMode, type PtzSpace } from '../../onvif/ptz-messages.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { PTZ_CAMERA_INPUT, PTZ_MODES_SCHEMA, PTZ_POSITION_SCHEMA, PTZ_PRESET_SCHEMA } from './ptz-types.ts';

export const getPtzStatus = defineEndpoint({
  path: '/api/relay/getPtzStatus',
  summary: 'Reads how a camera can be moved, where it looks, and its presets.',
  description:
    'Asks the camera over ONVIF, which takes up to 8 seconds. Fails if the gateway knows no ONVIF service of the camera, ' +
    'or if it does not answer, refuses the login, or has no PTZ. After a refused login the camera is not asked again ' +
    'for five minutes, unless its login changes. One camera takes 20 calls at once and 5 per second.',
  isExtension: true,
  request: Type.Object({ cameraUuid: PTZ_CAMERA_INPUT }),
  response: {
    panTiltModes: PTZ_MODES_SCHEMA('pan and tilt'),
    zoomModes: PTZ_MODES_SCHEMA('zoom'),
    position: nullable(PTZ_POSITION_SCHEMA),
    moveStatus: oneOf(['IDLE', 'MOVING', 'UNKNOWN'], 'As the camera says.'),
    presets: listOf(PTZ_PRESET_SCHEMA, 'In the camera’s order.'),
    maxPresets: int32('How many presets the camera can have.'),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: {
      panTiltModes: ['CONTINUOUS', 'ABSOLUTE'],
      zoomModes: ['CONTINUOUS'],
      position: { pan: -0.25, tilt: 0.1, zoom: 0 },
      moveStatus: 'IDLE',
      presets: [{ presetToken: '1', name: 'Gate' }],
      maxPresets: 255,
    },
  },
  async handler({ orgUuid, services }, { cameraUuid }) {
    const { node, position, moveStatus, presets } = await services.ptz.state(orgUuid, cameraUuid);
    return {
      panTiltModes: modesOf(node.panTilt),
      zoomModes: modesOf(node.zoom),
      position,
      moveStatus,
      presets: presets.map(({ token, name }) => ({ presetToken: token, name })),
      maxPresets: node.maxPresets,
    };
  },
});

function modesOf(spaces: Readonly<Record<PtzMode, PtzSpace | null>>): PtzMode[] {
  return PTZ_MODES.filter((mode) => spaces[mode] !== null);
}
