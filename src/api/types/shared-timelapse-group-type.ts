/** A group of timelapses that is shared by link (docs/spec/types.md#sharedtimelapsegroupwrappertype). */

import type { Static } from 'typebox';
import type { TimelapseGroup } from '../../clips/timelapse-groups.ts';
import { int32, int64, listOf, namedType, oneOf, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_TIMELAPSE_UUID,
} from './examples.ts';
import { ANSWERED_GROUP_FIELDS, EXAMPLE_GROUP_LINK, groupAnswer } from './shared-group-fields.ts';
import { TIMELAPSE_SOURCE_SCHEMA } from './timelapse-clip-type.ts';

export const SHARED_TIMELAPSE_GROUP_SCHEMA = namedType('SharedTimelapseGroupWrapperType', {
  ...ANSWERED_GROUP_FIELDS,
  sharedTimelapses: listOf(
    namedType('SharedTimelapseClipType', {
      uuid: ruuid('The timelapse.'),
      sources: listOf(TIMELAPSE_SOURCE_SCHEMA, 'Its cameras.'),
      videoStartTime: int64('When the time that it shows begins, in epoch milliseconds.'),
      videoStopTime: int64('When it ends, in epoch milliseconds.'),
      clipDuration: int32('How long the movie is, in seconds.'),
      clipFormat: oneOf(['MPEG'], 'It is an MP4.'),
    }),
    'Its timelapses, in the order in which viewers see them, without those that were deleted.',
  ),
});

export function sharedTimelapseGroupAnswer({
  group,
  timelapses,
}: TimelapseGroup): Static<typeof SHARED_TIMELAPSE_GROUP_SCHEMA> {
  return {
    ...groupAnswer(group),
    sharedTimelapses: timelapses.map(({ timelapse: { uuid, body } }) => ({
      ...{ uuid, sources: body.devices.map((deviceUuid) => ({ deviceUuid })) },
      ...{ videoStartTime: body.startMs, videoStopTime: body.stopMs, clipDuration: body.durationSec },
      clipFormat: 'MPEG',
    })),
  };
}

export const EXAMPLE_TIMELAPSE_GROUP: Static<typeof SHARED_TIMELAPSE_GROUP_SCHEMA> = {
  ...{ uuid: EXAMPLE_GROUP_LINK.uuid, orgUuid: EXAMPLE_ORG_UUID, title: 'The new roof', description: '' },
  ...{ createdAtMillis: EXAMPLE_TIME_MS, expirationTimeSecs: null, isSecured: true },
  sharedTimelapses: [
    {
      ...{ uuid: EXAMPLE_TIMELAPSE_UUID, sources: [{ deviceUuid: EXAMPLE_CAMERA_UUID }] },
      ...{ videoStartTime: EXAMPLE_TIME_MS, videoStopTime: EXAMPLE_TIME_MS + 604_800_000 },
      ...{ clipDuration: 60, clipFormat: 'MPEG' },
    },
  ],
};
