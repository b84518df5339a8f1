/** POST /api/camera/updateDetailsV2: a camera's name, place and further details. */

import { Type } from 'typebox';
import { flag, MAX_NAME_LENGTH, mapOf, text } from '../fields/field-types.ts';
import { keptWithoutEffect } from '../fields/no-effect.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { invalidField } from '../http/request-body.ts';
import {
  appliedFields,
  appliedFlag,
  appliedName,
  DEVICE_UPDATE_DETAILS,
  DEVICE_UPDATE_PROPERTIES,
  longText,
} from '../types/device-update.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

/** DeviceFacet: the camera itself, one of its pictures, one of its sounds. */
const FACET = /^(?:[va](?:[0-9]|[1-4][0-9]|5[01]))?$/;

export const updateCameraDetailsV2 = defineEndpoint({
  path: '/api/camera/updateDetailsV2',
  summary: 'Changes the details of a camera.',
  description:
    'Doorbell cameras too. A value counts only when its `…Updated` flag is true, and is cleared when it is absent then. ' +
    'A camera of the configuration file takes its name, its location and whether it exists from there: changing those ' +
    'is refused, everything else may be changed. `deleted` removes the camera with its shares, `mummified` stops it ' +
    'and keeps it listed.',
  request: Type.Object({
    ...DEVICE_UPDATE_PROPERTIES,
    customData: Type.Optional(longText('Free text of the integration.')),
    customDataUpdated: appliedFlag('customData'),
    deleted: Type.Optional(flag('Whether the camera is to be removed.')),
    deletedUpdated: appliedFlag('deleted'),
    facetNameMap: Type.Optional(
      keptWithoutEffect(
        mapOf(text('Name.', MAX_NAME_LENGTH), 'Names of facets, `v0` for example.'),
        'the gateway streams one picture per camera',
        ['v0'],
      ),
    ),
    facetNameMapUpdated: appliedFlag('facetNameMap'),
    mummified: Type.Optional(flag('Whether the camera is stopped and listed as removed.')),
    mummifiedUpdated: appliedFlag('mummified'),
    policyUuidUpdated: appliedFlag('policyUuid'),
  }),
  response: {},
  example: {
    request: { uuid: EXAMPLE_CAMERA_UUID, name: 'Lobby east', nameUpdated: true },
    response: {},
  },
  async handler({ orgUuid, services }, body) {
    if (body.deletedUpdated === true && body.deleted === true) {
      await services.devices.removeCamera(orgUuid, body.uuid, false);
      return {};
    }
    await services.devices.updateCamera(orgUuid, body.uuid, {
      ...appliedName(body.name, body.nameUpdated),
      ...appliedFields(body, ['locationUuid']),
      ...(body.mummifiedUpdated === true && { mummified: body.mummified ?? false }),
      details: {
        ...appliedFields(body, [...DEVICE_UPDATE_DETAILS, 'customData', 'policyUuid']),
        ...(body.facetNameMapUpdated === true && { facetNameMap: checkedFacetNames(body.facetNameMap) }),
      },
    });
    return {};
  },
});

/** Facets are few, so their names are. Fails INVALID_FIELD. */
function checkedFacetNames(names: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  for (const facet of Object.keys(names)) {
    if (!FACET.test(facet)) throw invalidField('facetNameMap must have facets such as v0 or a0 as its keys.');
  }
  return names;
}
