/** POST /api/relay/updateDetailsV2: an NVR's name, place and other details. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  appliedFields,
  appliedName,
  DEVICE_UPDATE_DETAILS,
  DEVICE_UPDATE_PROPERTIES,
} from '../types/device-update.ts';
import { EXAMPLE_NVR_UUID } from '../types/examples.ts';

export const updateNvrDetailsV2 = defineEndpoint({
  path: '/api/relay/updateDetailsV2',
  summary: 'Changes the details of an NVR.',
  description:
    'A value counts only if its `…Updated` flag is true; if the value is then absent, it is cleared. `policyUuid` ' +
    'has no flag and counts if you send it. For an NVR of the configuration file, the file decides its name and its ' +
    'location: changing those is refused.',
  repetition: 'same-outcome',
  request: Type.Object(DEVICE_UPDATE_PROPERTIES),
  response: {},
  example: {
    request: { uuid: EXAMPLE_NVR_UUID, floorNumber: 2, floorNumberUpdated: true },
    response: {},
  },
  async handler({ orgUuid, services }, body) {
    await services.devices.updateNvr(orgUuid, body.uuid, {
      ...appliedName(body.name, body.nameUpdated),
      ...appliedFields(body, ['locationUuid']),
      details: {
        ...appliedFields(body, DEVICE_UPDATE_DETAILS),
        ...(body.policyUuid !== undefined && { policyUuid: body.policyUuid }),
      },
    });
    return {};
  },
});
