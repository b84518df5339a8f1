/** POST /api/event/getSavedClipCount: how many saved clips match a filter. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int64, listOf, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_FILTER_ENTRIES = 500;
export const getSavedClipCount = defineEndpoint({
  path: '/api/event/getSavedClipCount',
  summary: 'Counts the saved clips that match a filter.',
  description:
    'A clip matches by any of its devices, by its location, and if its footage began at or after `startTimeMs` and ' +
    'before `endTimeMs`. An absent or empty filter matches every clip.',
  request: Type.Object({
    deviceFilter: Type.Optional(
      listOf(
        deviceUuid('Device.'),
        `Only clips of these devices, at most ${MAX_FILTER_ENTRIES}.`,
        MAX_FILTER_ENTRIES,
      ),
    ),
    locationFilter: Type.Optional(
      listOf(
        ruuid('Location.'),
        `Only clips of these locations, at most ${MAX_FILTER_ENTRIES}.`,
        MAX_FILTER_ENTRIES,
      ),
    ),
    startTimeMs: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    endTimeMs: Type.Optional(int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS)),
  }),
  response: {
    count: int64('Matching clips of the organization, without private ones.'),
    privateCount: int64('Matching private clips that the caller may see.'),
  },
  example: {
    request: { deviceFilter: [EXAMPLE_CAMERA_UUID], startTimeMs: EXAMPLE_TIME_MS },
    response: { count: 12, privateCount: 1 },
  },
  async handler({ orgUuid, caller, services }, body) {
    const filter = {
      deviceUuids: body.deviceFilter ?? [],
      locationUuids: body.locationFilter ?? [],
      fromMs: body.startTimeMs ?? 0,
      toMs: body.endTimeMs ?? MAX_TIME_MS + 1,
    };
    const { count, privateCount } = await services.savedClips.count(orgUuid, filter, caller.actor.uuid);
    return { count, privateCount };
  },
});
