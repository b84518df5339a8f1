/** POST /api/relay/unregister: removes an NVR. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { RESPONSE_STATUS_SCHEMA } from '../../http/fields/response-status.ts';
import { EXAMPLE_NVR_UUID } from '../types/examples.ts';

export const unregisterNvr = defineEndpoint({
  path: '/api/relay/unregister',
  summary: 'Removes an NVR.',
  description:
    'Refused while cameras are assigned to it; the refusal names them. NVRs of the configuration file are refused ' +
    'too: remove them there.',
  repetition: 'same-outcome',
  request: Type.Object({ nvruuid: ruuid('The NVR.') }),
  response: { responseStatus: RESPONSE_STATUS_SCHEMA },
  example: { request: { nvruuid: EXAMPLE_NVR_UUID }, response: { responseStatus: 'SUCCESS' } },
  async handler({ orgUuid, services }, { nvruuid }) {
    await services.devices.removeNvr(orgUuid, nvruuid);
    return { responseStatus: 'SUCCESS' as const };
  },
});
