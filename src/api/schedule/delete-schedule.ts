/** POST /api/schedule/deleteSchedule: removes a schedule that nothing uses. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';

export const deleteSchedule = defineEndpoint({
  path: '/api/schedule/deleteSchedule',
  summary: 'Deletes a schedule.',
  description:
    'Of any kind. Refused while a shared live stream, a door, an elevator landing, a lockdown rule, an access ' +
    'revocation, a climate policy or the configuration of a camera uses it; the refusal names them.',
  repetition: 'same-outcome',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: {},
  example: { request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID }, response: {} },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    await services.usedSchedules.remove(orgUuid, scheduleUuid);
    return {};
  },
});
