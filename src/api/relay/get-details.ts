/** POST /api/relay/getDetails: NVRs as records. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_NVR_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { NVR_EXTERNAL_SCHEMA, nvrAnswer } from '../types/registered-device-type.ts';

const MAX_NVRS_ASKED = 1_000;

export const getNvrDetails = defineEndpoint({
  path: '/api/relay/getDetails',
  summary: 'Reads NVRs as records.',
  description:
    'In the order of the request; refused if one of them does not exist. Without `nvruuids`: all NVRs, announced ' +
    'ones (`pending`) last.',
  request: Type.Object({
    nvruuids: Type.Optional(listOf(ruuid('NVR.'), 'The NVRs.', MAX_NVRS_ASKED)),
  }),
  response: { nvrs: listOf(NVR_EXTERNAL_SCHEMA, 'The NVRs.') },
  example: {
    request: { nvruuids: [EXAMPLE_NVR_UUID] },
    response: {
      nvrs: [
        nvrAnswer({
          uuid: EXAMPLE_NVR_UUID,
          orgUuid: EXAMPLE_ORG_UUID,
          locationUuid: EXAMPLE_LOCATION_UUID,
          name: 'Core',
          serialNumber: 'NVR-0001',
          createdAtMs: EXAMPLE_TIME_MS,
          mummified: false,
          fromConfig: false,
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { nvruuids }) {
    const nvrs = await services.deviceStates.nvrRecords(orgUuid, nvruuids);
    return { nvrs: nvrs.map(({ nvr, details, isAnnounced }) => nvrAnswer(nvr, details, isAnnounced)) };
  },
});
