/** POST /api/org/updatePendingRegistration: changes the future name and location of an announced NVR. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { MAX_NAME_LENGTH, ruuid, text } from '../../http/fields/field-types.ts';
import { alertPolicy } from '../../http/fields/no-effect.ts';
import { EXAMPLE_REGISTRATION } from './hardware-type.ts';

export const updatePendingRegistration = defineEndpoint({
  path: '/api/org/updatePendingRegistration',
  summary: 'Changes the future details of an announced NVR.',
  description: 'Absent fields stay as they are.',
  repetition: 'same-outcome',
  request: Type.Object({
    hardwareUuid: ruuid('The hardware.'),
    name: Type.Optional(text('Its future name.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    policyUuid: Type.Optional(alertPolicy('Its future alert policy.')),
  }),
  response: {},
  example: { request: { hardwareUuid: EXAMPLE_REGISTRATION.uuid, name: 'East wing' }, response: {} },
  async handler({ orgUuid, services }, { hardwareUuid, ...changes }) {
    await services.pendingRegistrations.update(orgUuid, hardwareUuid, changes);
    return {};
  },
});
