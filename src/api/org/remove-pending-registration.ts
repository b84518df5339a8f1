/** POST /api/org/removePendingRegistration: removes an announced NVR. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { text } from '../../http/fields/field-types.ts';
import { EXAMPLE_REGISTRATION } from './hardware-type.ts';

export const removePendingRegistration = defineEndpoint({
  path: '/api/org/removePendingRegistration',
  summary: 'Removes an announced NVR.',
  description:
    'If cameras are assigned to it, it is no longer announced: remove it with `/api/relay/unregister`.',
  repetition: 'same-outcome',
  request: Type.Object({ serialNumber: text('Its serial number.') }),
  response: {},
  example: { request: { serialNumber: EXAMPLE_REGISTRATION.body.serialNumber }, response: {} },
  async handler({ orgUuid, services }, { serialNumber }) {
    await services.pendingRegistrations.remove(orgUuid, serialNumber.trim());
    return {};
  },
});
