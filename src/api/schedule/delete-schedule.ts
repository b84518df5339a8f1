/** POST /api/schedule/deleteSchedule: removes a schedule that nothing uses. */

import { Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { refuseUsed, scheduleUses } from '../../policies/schedule-uses.ts';
import { ruuid } from '../fields/field-types.ts';
import { type CallContext, defineEndpoint } from '../http/endpoint.ts';
import { EXAMPLE_SCHEDULE_UUID } from '../types/examples.ts';

export const deleteSchedule = defineEndpoint({
  path: '/api/schedule/deleteSchedule',
  summary: 'Deletes a schedule.',
  description:
    'Of any kind. Refused while a shared live stream, a door, an elevator landing, a lockdown rule, an access ' +
    'revocation, a climate policy or the configuration of a camera uses it; the reason names them.',
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: {},
  example: { request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID }, response: {} },
  async handler(context, { scheduleUuid }) {
    await removeUnusedSchedule(context, scheduleUuid);
    return {};
  },
});

/** Fails SCHEDULE_NOT_FOUND, and as refuseUsed does. */
export async function removeUnusedSchedule(
  { orgUuid, services }: CallContext,
  scheduleUuid: Ruuid,
): Promise<void> {
  refuseUsed(scheduleUuid, await scheduleUses(services.store, orgUuid, scheduleUuid));
  await services.schedules.remove(orgUuid, scheduleUuid);
}
