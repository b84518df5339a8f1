/** POST /api/video/getTimelapseClips: the organization's timelapses. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_TIMELAPSE_CLIP,
  TIMELAPSE_CLIP_SCHEMA,
  timelapseClipAnswer,
} from '../types/timelapse-clip-type.ts';

export const getTimelapseClips = defineEndpoint({
  path: '/api/video/getTimelapseClips',
  summary: 'Lists the timelapses, with how far each has come.',
  description:
    'Oldest first. A timelapse that is complete can be downloaded from `/media/timelapse/<clipUuid>.mp4` of the media ' +
    'listener, which is that of its first camera; those of all cameras are at ' +
    '`/media/metadata/<deviceUuid>/local/<clipUuid>.mp4`. With `.jpeg` it is an image of the first frame.',
  request: Type.Object({}),
  response: { timelapseClips: listOf(TIMELAPSE_CLIP_SCHEMA, 'The timelapses.') },
  example: { request: {}, response: { timelapseClips: [EXAMPLE_TIMELAPSE_CLIP] } },
  async handler({ orgUuid, services }) {
    const shared = await services.timelapseGroups.shared(orgUuid);
    const listed = await services.clips.timelapses.list(orgUuid);
    return {
      timelapseClips: LongList.of(listed).map((each) =>
        timelapseClipAnswer(each, shared.has(each.timelapse.uuid)),
      ),
    };
  },
});
