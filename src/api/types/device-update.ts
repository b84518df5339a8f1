/** Changes of a device: its name, its location, and other details. */

import { Type } from 'typebox';
import {
  deviceUuid,
  double,
  int32,
  MAX_NAME_LENGTH,
  ruuid,
  subLocationsHierarchyKey,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { appliedName, changes } from './changes.ts';

/** Descriptions and custom data. */
const MAX_LONG_TEXT_LENGTH = 4_096;

export function longText(description: string) {
  return text(description, MAX_LONG_TEXT_LENGTH);
}

const NAME = changes({ name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)) });
const LOCATION = changes({ locationUuid: Type.Optional(ruuid('Where it is.')) });

export const DEVICE_DETAILS = changes({
  description: Type.Optional(longText('What it is for.')),
  directionRadians: Type.Optional(double('The direction that it faces, clockwise from north.')),
  floorNumber: Type.Optional(int32('The floor it is on.')),
  latitude: Type.Optional(double('Degrees north.', -90, 90)),
  longitude: Type.Optional(double('Degrees east.', -180, 180)),
  subLocationsHierarchyKey: Type.Optional(subLocationsHierarchyKey('Its sublocation.')),
});

/** Fields that updates of cameras and NVRs have in common. */
export const DEVICE_UPDATE_PROPERTIES = {
  uuid: deviceUuid('The device.'),
  ...NAME.properties,
  ...LOCATION.properties,
  ...DEVICE_DETAILS.properties,
  policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
};

/** The name and the location that apply. Fails INVALID_FIELD for a blank name. */
export function appliedPlace(
  body: Parameters<typeof NAME.applied>[0] & Parameters<typeof LOCATION.applied>[0],
) {
  return { ...appliedName(NAME.applied(body)), ...LOCATION.applied(body) };
}
