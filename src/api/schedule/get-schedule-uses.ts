/** POST /api/schedule/getScheduleUses: what uses a schedule of any kind. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, listOf, namedType, oneOf, plainText, ruuid } from '../../http/fields/field-types.ts';
import { SCHEDULE_USER_KINDS, type ScheduleUser } from '../../policies/schedule-uses.ts';
import { EXAMPLE_SCHEDULE_UUID, EXAMPLE_SHARE_UUID } from '../types/examples.ts';

const USER_SCHEMA = namedType('ScheduleUser', {
  kind: oneOf(SCHEDULE_USER_KINDS, 'What it is.'),
  uuid: ruuid('Its UUID; of a camera’s configuration, the camera’s.'),
  name: plainText('Its name; of a shared video wall, that of the wall; empty if it has none.'),
  invertSchedule: flag('Whether it is hidden during the schedule; always false for what is not shared.'),
});

export const getScheduleUses = defineEndpoint({
  path: '/api/schedule/getScheduleUses',
  summary: 'Lists what uses a schedule.',
  description:
    'Of any kind. A schedule that is in use cannot be deleted. Recording rules of the configuration file are not listed.',
  isExtension: true,
  request: Type.Object({ scheduleUuid: ruuid('The schedule.') }),
  response: { uses: listOf(USER_SCHEMA, 'What uses it: shares first, then the others by kind.') },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID },
    response: {
      uses: [{ kind: 'SHARED_STREAM', uuid: EXAMPLE_SHARE_UUID, name: 'Front desk', invertSchedule: false }],
    },
  },
  async handler({ orgUuid, services }, { scheduleUuid }) {
    const users = await services.usedSchedules.listUsers(orgUuid, scheduleUuid);
    return { uses: users.map(userAnswer) };
  },
});

function userAnswer({ kind, uuid, name, isInverted }: ScheduleUser): Static<typeof USER_SCHEMA> {
  return { kind, uuid, name, invertSchedule: isInverted };
}
