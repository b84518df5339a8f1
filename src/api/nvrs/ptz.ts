/** Moves cameras. The specification says that such endpoints exist, and names none: these are specific to Sluice. */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  double,
  int32,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  text,
} from '../../http/fields/field-types.ts';
import { countingWith } from '../../http/fields/no-effect.ts';
import { PTZ_MODES, type PtzMode, type PtzSpace } from '../../onvif/ptz-messages.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

const MAX_PRESET_TOKEN_LENGTH = 256;
/** As long as ONVIF lets names be. */
const MAX_PRESET_NAME_LENGTH = 64;

const PTZ_CAMERA_INPUT = deviceFacetUuid('The camera.');
const PRESET_TOKEN_INPUT = text('The preset, as `getPtzStatus` lists it.', MAX_PRESET_TOKEN_LENGTH);
const PTZ_MODE = oneOf(PTZ_MODES, 'How the camera is moved.');

const PTZ_POSITION_SCHEMA = namedType('PtzPosition', {
  pan: nullable(double('From -1 (left) to 1 (right).')),
  tilt: nullable(double('From -1 (down) to 1 (up).')),
  zoom: nullable(double('From 0 (wide) to 1 (tele).')),
});

const PTZ_PRESET_SCHEMA = namedType('PtzPreset', {
  presetToken: plainText('What the camera calls it.'),
  name: plainText('What people call it; empty if it has no name.'),
});

const PTZ_MODES_SCHEMA = (axes: string) =>
  listOf(PTZ_MODE, `How ${axes} can be moved; empty if not at all.`, PTZ_MODES.length);

const getPtzStatus = defineEndpoint({
  path: '/api/relay/getPtzStatus',
  summary: 'Reads how a camera can be moved, where it looks, and its presets.',
  description:
    'Asks the camera over ONVIF, which takes up to 8 seconds. Fails if the gateway knows no ONVIF service of the camera, ' +
    'or if it does not answer, refuses the login, or has no PTZ. After a refused login the camera is not asked again ' +
    'for five minutes, unless its login changes. One camera takes 20 calls at the same time and 5 per second.',
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

/** An operator who holds a key sends the next move in time; after an operator disconnects, a camera must soon stop. */
const MIN_TIMEOUT_MS = 100;
const MAX_TIMEOUT_MS = 30_000;

const movePtz = defineEndpoint({
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

const stopPtz = defineEndpoint({
  path: '/api/relay/stopPtz',
  summary: 'Stops a camera that moves.',
  description:
    'All axes, no matter who moved it. Moves that wait are dropped. Fails like `getPtzStatus`, and is not limited.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: PTZ_CAMERA_INPUT }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid }) {
    await services.ptz.stop(orgUuid, cameraUuid);
    return {};
  },
});

const gotoPtzPreset = defineEndpoint({
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

const setPtzPreset = defineEndpoint({
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

const removePtzPreset = defineEndpoint({
  path: '/api/relay/removePtzPreset',
  summary: 'Removes a preset from a camera.',
  description: 'Fails and is limited like `getPtzStatus`.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ cameraUuid: PTZ_CAMERA_INPUT, presetToken: PRESET_TOKEN_INPUT }),
  response: {},
  example: { request: { cameraUuid: EXAMPLE_CAMERA_UUID, presetToken: '1' }, response: {} },
  async handler({ orgUuid, services }, { cameraUuid, presetToken }) {
    await services.ptz.removePreset(orgUuid, cameraUuid, presetToken);
    return {};
  },
});

export const PTZ_ENDPOINTS: readonly Endpoint[] = [
  getPtzStatus,
  movePtz,
  stopPtz,
  gotoPtzPreset,
  setPtzPreset,
  removePtzPreset,
];
