/** POST /api/org/updatePendingRegistration: what an announced NVR will be called and where it will be. */

import { Type } from 'typebox';
import { MAX_NAME_LENGTH, ruuid, text } from '../fields/field-types.ts';
import { alertPolicy } from '../fields/no-effect.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_REGISTRATION } from './hardware-type.ts';

export const updatePendingRegistration = defineEndpoint({
  path: '/api/org/updatePendingRegistration',
  summary: 'Changes what an announced NVR will be.',
  description: 'Fields that are absent stay as they are.',
  request: Type.Object({
    hardwareUuid: ruuid('The hardware.'),
    name: Type.Optional(text('The name it will have.', MAX_NAME_LENGTH)),
    locationUuid: Type.Optional(ruuid('Where it will be.')),
    policyUuid: Type.Optional(alertPolicy('The alert policy it will have.')),
  }),
  response: {},
  example: { request: { hardwareUuid: EXAMPLE_REGISTRATION.uuid, name: 'East wing' }, response: {} },
  async handler({ orgUuid, services }, { hardwareUuid, ...changes }) {
    await services.pendingRegistrations.update(orgUuid, hardwareUuid, changes);
    return {};
  },
});
