/** POST /api/camera/updateDetailsV2: a camera's name, place and other details. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, MAX_NAME_LENGTH, mapOf, text } from '../../http/fields/field-types.ts';
import { keptWithoutEffect } from '../../http/fields/no-effect.ts';
import { invalidField } from '../../http/request-body.ts';
import {
  appliedFields,
  appliedFlag,
  appliedName,
  DEVICE_UPDATE_DETAILS,
  DEVICE_UPDATE_PROPERTIES,
  longText,
} from '../types/device-update.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';

/** DeviceFacet: the camera itself, one of its video facets or one of its audio facets. */
const FACET = /^(?:[va](?:[0-9]|[1-4][0-9]|5[01]))?$/;

export const updateCameraDetailsV2 = defineEndpoint({
  path: '/api/camera/updateDetailsV2',
  summary: 'Changes the details of a camera.',
  description:
    'Also accepts doorbell cameras. A value counts only if its `…Updated` flag is true; if the value is then absent, ' +
    'it is cleared. For a camera of the configuration file, the file decides its name, its location and whether it ' +
    'exists: changing those is refused, but you can change everything else. `deleted` removes the camera with its ' +
    'shares; `mummified` stops it and keeps it listed.',
  repetition: 'same-outcome',
  request: Type.Object({
    ...DEVICE_UPDATE_PROPERTIES,
    customData: Type.Optional(longText('Free text for the integration.')),
    customDataUpdated: appliedFlag('customData'),
    deleted: Type.Optional(flag('Whether to remove the camera.')),
    deletedUpdated: appliedFlag('deleted'),
    facetNameMap: Type.Optional(
      keptWithoutEffect(
        mapOf(text('Name.', MAX_NAME_LENGTH), 'Names of facets, such as `v0`.'),
        'the gateway streams one video per camera',
        ['v0'],
      ),
    ),
    facetNameMapUpdated: appliedFlag('facetNameMap'),
    mummified: Type.Optional(flag('Whether to stop the camera and list it as removed.')),
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

/** There are few facets, so there are few names. Fails INVALID_FIELD. */
function checkedFacetNames(names: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  for (const facet of Object.keys(names)) {
    if (!FACET.test(facet)) throw invalidField('facetNameMap must have facets such as v0 or a0 as its keys.');
  }
  return names;
}
