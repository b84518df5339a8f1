/** POST /api/video/cancelSpliceV2: ends clips that are being made. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, listOf, ruuid } from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { EXAMPLE_CLIP_UUID } from '../types/examples.ts';

const MAX_LIST_ENTRIES = 100;

export const cancelSpliceV2 = defineEndpoint({
  path: '/api/video/cancelSpliceV2',
  summary: 'Ends clips that are being made, and deletes them.',
  description:
    'Also deletes clips that have failed. A clip that is complete is not in progress: delete it with ' +
    '`/api/event/deleteSavedClip`.',
  repetition: 'same-outcome',
  request: Type.Object({
    clipUuid: Type.Optional(ruuid('The clip.')),
    clipUuidList: Type.Optional(listOf(ruuid('Clip.'), 'Further clips.', MAX_LIST_ENTRIES)),
    deviceUuids: Type.Optional(
      ignored(
        listOf(deviceFacetUuid('Camera.'), 'Cameras.', MAX_LIST_ENTRIES),
        'a clip ends with all of its cameras',
      ),
    ),
  }),
  response: {},
  example: { request: { clipUuid: EXAMPLE_CLIP_UUID }, response: {} },
  async handler({ orgUuid, caller, services }, { clipUuid, clipUuidList = [] }) {
    const clips = new Set([...(clipUuid === undefined ? [] : [clipUuid]), ...clipUuidList]);
    for (const clip of clips) await services.clips.cancel(orgUuid, clip, caller.actor.uuid);
    return {};
  },
});
