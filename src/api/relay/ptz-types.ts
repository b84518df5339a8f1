/** Fields of the PTZ endpoints. The specification says that such endpoints exist, and names none: these are of Sluice. */

import {
  deviceFacetUuid,
  double,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  text,
} from '../../http/fields/field-types.ts';
import { PTZ_MODES } from '../../onvif/ptz-messages.ts';

const MAX_PRESET_TOKEN_LENGTH = 256;
/** As long as ONVIF lets names be. */
export const MAX_PRESET_NAME_LENGTH = 64;

export const PTZ_CAMERA_INPUT = deviceFacetUuid('The camera.');
export const PRESET_TOKEN_INPUT = text('The preset, as `getPtzStatus` lists it.', MAX_PRESET_TOKEN_LENGTH);
export const PTZ_MODE = oneOf(PTZ_MODES, 'How the camera is moved.');

export const PTZ_POSITION_SCHEMA = namedType('PtzPosition', {
  pan: nullable(double('From -1 (left) to 1 (right).')),
  tilt: nullable(double('From -1 (down) to 1 (up).')),
  zoom: nullable(double('From 0 (wide) to 1 (tele).')),
});

export const PTZ_PRESET_SCHEMA = namedType('PtzPreset', {
  presetToken: plainText('What the camera calls it.'),
  name: plainText('What people call it; empty if it has no name.'),
});

export const PTZ_MODES_SCHEMA = (axes: string) =>
  listOf(PTZ_MODE, `How ${axes} can be moved; empty if not at all.`, PTZ_MODES.length);
