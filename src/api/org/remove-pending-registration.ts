/** POST /api/org/removePendingRegistration: forgets an announced NVR. */

import { Type } from 'typebox';
import { text } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_REGISTRATION } from './hardware-type.ts';

export const removePendingRegistration = defineEndpoint({
  path: '/api/org/removePendingRegistration',
  summary: 'Forgets an announced NVR.',
  description:
    'One that cameras are assigned to is no longer announced: it is removed by `/api/relay/unregister`.',
  request: Type.Object({ serialNumber: text('Its serial number.') }),
  response: {},
  example: { request: { serialNumber: EXAMPLE_REGISTRATION.body.serialNumber }, response: {} },
  async handler({ orgUuid, services }, { serialNumber }) {
    await services.pendingRegistrations.remove(orgUuid, serialNumber.trim());
    return {};
  },
});
