/** POST /api/policy/deleteSchedule: the same as /api/schedule/deleteSchedule, under the name that other clients call. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';

export const deletePolicySchedule = defineEndpoint({
  path: '/api/policy/deleteSchedule',
  summary: 'Deletes a schedule.',
  description: 'The same as `/api/schedule/deleteSchedule`.',
  repetition: 'same-outcome',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: {},
  example: { request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID }, response: {} },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    await services.usedSchedules.remove(orgUuid, scheduleUuid);
    return {};
  },
});
