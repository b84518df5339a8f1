/**
 * The `…Updated` convention of the details updates: a value counts only if its flag is true; if the value is absent, it
 * is cleared.
 */

import { Type } from 'typebox';
import {
  deviceUuid,
  double,
  flag,
  int32,
  MAX_NAME_LENGTH,
  ruuid,
  subLocationsHierarchyKey,
  text,
} from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { invalidField } from '../../http/request-body.ts';

/** Descriptions and custom data. */
const MAX_LONG_TEXT_LENGTH = 4_096;

/** The flag that goes with a field. */
export const appliedFlag = (field: string) => Type.Optional(flag(`Whether to apply \`${field}\`.`));

export function longText(description: string) {
  return text(description, MAX_LONG_TEXT_LENGTH);
}

/** Fields that updates of cameras and NVRs have in common. */
export const DEVICE_UPDATE_PROPERTIES = {
  uuid: deviceUuid('The device.'),
  name: Type.Optional(text('Its name.', MAX_NAME_LENGTH)),
  nameUpdated: appliedFlag('name'),
  description: Type.Optional(longText('What it is for.')),
  descriptionUpdated: appliedFlag('description'),
  directionRadians: Type.Optional(double('The direction that it faces, clockwise from north.')),
  directionRadiansUpdated: appliedFlag('directionRadians'),
  floorNumber: Type.Optional(int32('The floor it is on.')),
  floorNumberUpdated: appliedFlag('floorNumber'),
  latitude: Type.Optional(double('Degrees north.', -90, 90)),
  latitudeUpdated: appliedFlag('latitude'),
  longitude: Type.Optional(double('Degrees east.', -180, 180)),
  longitudeUpdated: appliedFlag('longitude'),
  locationUuid: Type.Optional(ruuid('Where it is.')),
  locationUuidUpdated: appliedFlag('locationUuid'),
  policyUuid: Type.Optional(alertPolicy('The alert policy assigned to it.')),
  subLocationsHierarchyKey: Type.Optional(subLocationsHierarchyKey('Its sublocation.')),
  subLocationsHierarchyKeyUpdated: appliedFlag('subLocationsHierarchyKey'),
};

/** The details among them. */
export const DEVICE_UPDATE_DETAILS = [
  'description',
  'directionRadians',
  'floorNumber',
  'latitude',
  'longitude',
  'subLocationsHierarchyKey',
] as const;

/** A body in which each of the fields has a flag. */
type Flagged<Name extends string> = { readonly [K in Name | `${Name}Updated`]?: unknown };

/** The fields whose `…Updated` flag is true; null for those without a value, which must be cleared. */
export function appliedFields<Name extends string, Body extends Flagged<Name>>(
  body: Body,
  names: readonly Name[],
): { [K in Name]?: Exclude<Body[K], undefined> | null } {
  const applied = names.filter((name) => body[`${name}Updated`] === true);
  const values = applied.map((name) => [name, body[name] ?? null]);
  return Object.fromEntries(values) as { [K in Name]?: Exclude<Body[K], undefined> | null };
}

/** Fails INVALID_FIELD if the name applies and is blank. */
export function appliedName(name: string | undefined, nameUpdated: boolean | undefined): { name?: string } {
  if (nameUpdated !== true) return {};
  const trimmed = name?.trim() ?? '';
  if (trimmed === '') throw invalidField('name must not be blank if nameUpdated is true.');
  return { name: trimmed };
}
