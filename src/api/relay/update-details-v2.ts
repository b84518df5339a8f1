/** POST /api/relay/updateDetailsV2: an NVR's name, place and further details. */

import { Type } from 'typebox';
import { defineEndpoint } from '../http/endpoint.ts';
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
    'A value counts only when its `…Updated` flag is true, and is cleared when it is absent then; `policyUuid` has no ' +
    'flag and counts when it is given. An NVR of the configuration file takes its name and its location from there: ' +
    'changing those is refused.',
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
