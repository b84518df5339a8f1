/** POST /api/schedule/getScheduleState: whether a schedule is active, since when, and until when. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int64, nullable, plainText, ruuid, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_SCHEDULE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

export const getScheduleState = defineEndpoint({
  path: '/api/schedule/getScheduleState',
  summary: 'Says whether a schedule is active at a chosen time, since when, and until when.',
  description:
    'Of any kind. Weekly schedules and local dates mean a time zone: of each camera, that of its location. Here you choose one.',
  isExtension: true,
  request: Type.Object({
    scheduleUuid: ruuid('The schedule.'),
    atMs: Type.Optional(int64('The time, in epoch milliseconds; now if absent.', 0, MAX_TIME_MS)),
    tz: Type.Optional(text('An IANA time zone such as America/New_York. Default UTC.')),
  }),
  response: {
    isActive: flag('Whether it is active.'),
    atMs: int64('The time that the response is about, epoch milliseconds.'),
    tz: plainText('The time zone.'),
    sinceMs: nullable(
      int64(
        'Since when it is active, or is not, epoch milliseconds; absent if that is more than 400 days ago.',
      ),
    ),
    nextChangeMs: nullable(int64('When that changes next, epoch milliseconds; absent: never.')),
  },
  example: {
    request: { scheduleUuid: EXAMPLE_SCHEDULE_UUID, tz: 'America/New_York' },
    response: {
      ...{ isActive: true, atMs: EXAMPLE_TIME_MS, tz: 'America/New_York' },
      ...{ sinceMs: EXAMPLE_TIME_MS - 3_600_000, nextChangeMs: EXAMPLE_TIME_MS + 3_600_000 },
    },
  },
  async handler({ orgUuid, services }, { scheduleUuid, atMs, tz = 'UTC' }) {
    const state = await services.schedules.stateAt(orgUuid, scheduleUuid, tz, atMs);
    const { isInside, sinceEpochMs, changesAtEpochMs } = state;
    return {
      ...{ isActive: isInside, atMs: state.atEpochMs, tz },
      ...{ sinceMs: sinceEpochMs, nextChangeMs: changesAtEpochMs },
    };
  },
});
