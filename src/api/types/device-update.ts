/**
 * The `…Updated` convention of the details updates: a value counts only if its flag is true; if the value is absent, it
 * is cleared.
 */

import { Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import type { DeviceDetails } from '../../devices/device-details.ts';
import {
  deviceUuid,
  double,
  flag,
  int32,
  MAX_NAME_LENGTH,
  ruuid,
  subLocationsHierarchyKey,
  text,
} from '../fields/field-types.ts';
import { invalidField } from '../http/request-body.ts';

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
  policyUuid: Type.Optional(ruuid('The alert policy assigned to it.')),
  subLocationsHierarchyKey: Type.Optional(subLocationsHierarchyKey('Its sublocation.')),
  subLocationsHierarchyKeyUpdated: appliedFlag('subLocationsHierarchyKey'),
};

interface DeviceUpdateFields {
  readonly name?: string;
  readonly nameUpdated?: boolean;
  readonly description?: string;
  readonly descriptionUpdated?: boolean;
  readonly directionRadians?: number;
  readonly directionRadiansUpdated?: boolean;
  readonly floorNumber?: number;
  readonly floorNumberUpdated?: boolean;
  readonly latitude?: number;
  readonly latitudeUpdated?: boolean;
  readonly longitude?: number;
  readonly longitudeUpdated?: boolean;
  readonly locationUuid?: Ruuid;
  readonly locationUuidUpdated?: boolean;
  readonly subLocationsHierarchyKey?: string;
  readonly subLocationsHierarchyKeyUpdated?: boolean;
}

/** Fails INVALID_FIELD if the name applies and is blank. */
export function appliedName(name: string | undefined, nameUpdated: boolean | undefined): { name?: string } {
  if (nameUpdated !== true) return {};
  const trimmed = name?.trim() ?? '';
  if (trimmed === '') throw invalidField('name must not be blank if nameUpdated is true.');
  return { name: trimmed };
}

/** The location to apply; null takes the device out of its location. */
export function appliedLocation(body: DeviceUpdateFields): { locationUuid?: Ruuid | null } {
  return body.locationUuidUpdated === true ? { locationUuid: body.locationUuid ?? null } : {};
}

/** The common details to apply. */
export function appliedDetails(body: DeviceUpdateFields): Partial<DeviceDetails> {
  return {
    ...(body.descriptionUpdated === true && { description: body.description ?? null }),
    ...(body.directionRadiansUpdated === true && { directionRadians: body.directionRadians ?? null }),
    ...(body.floorNumberUpdated === true && { floorNumber: body.floorNumber ?? null }),
    ...(body.latitudeUpdated === true && { latitude: body.latitude ?? null }),
    ...(body.longitudeUpdated === true && { longitude: body.longitude ?? null }),
    ...(body.subLocationsHierarchyKeyUpdated === true && {
      subLocationsHierarchyKey: body.subLocationsHierarchyKey ?? null,
    }),
  };
}
