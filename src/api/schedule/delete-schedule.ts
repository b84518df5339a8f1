/** POST /api/schedule/deleteSchedule: removes a schedule that nothing uses. */

import { Type } from 'typebox';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../base/examples.ts';
import { ruuid } from '../base/field-types.ts';

export const deleteSchedule = defineEndpoint({
  path: '/api/schedule/deleteSchedule',
  summary: 'Deletes a schedule.',
  description:
    'Weekly or absolute. Refused while a shared live stream uses it; the reason names the streams.',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: {},
  example: { request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID }, response: {} },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    await services.schedules.remove(orgUuid, scheduleUuid);
    return {};
  },
});
