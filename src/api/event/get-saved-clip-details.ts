/** POST /api/event/getSavedClipDetails: one saved clip with what it shows. */

import { type Static, Type } from 'typebox';
import type { SavedClip } from '../../events/saved-clips.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { namedType, ruuid } from '../../http/fields/field-types.ts';
import {
  answeredBoxes,
  answeredRecordList,
  answeredSeekPoints,
  BOUNDING_BOX_FIELDS,
  SEEK_POINT_FIELDS,
} from '../types/detection-type.ts';
import {
  EXAMPLE_CLIP,
  type KnownClipBody,
  SAVED_CLIP_PROPERTIES,
  savedClipAnswer,
} from './saved-clip-type.ts';

const CLIP_WITH_DETAILS_SCHEMA = namedType('SavedClipWithDetails', {
  ...SAVED_CLIP_PROPERTIES,
  boundingBoxes: answeredRecordList('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.'),
  seekPoints: answeredRecordList('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.'),
});

export const getSavedClipDetails = defineEndpoint({
  path: '/api/event/getSavedClipDetails',
  summary: 'Reads one saved clip with what it shows.',
  description: 'What is not known is absent.',
  request: Type.Object({ clipUuid: ruuid('The clip.') }),
  response: { savedClip: CLIP_WITH_DETAILS_SCHEMA },
  example: {
    request: { clipUuid: EXAMPLE_CLIP.uuid },
    response: { savedClip: detailsAnswer(EXAMPLE_CLIP) },
  },
  async handler({ orgUuid, caller, services }, { clipUuid }) {
    const clip = await services.savedClips.find(orgUuid, clipUuid, caller.actor.uuid);
    return { savedClip: detailsAnswer(clip) };
  },
});

function detailsAnswer(clip: SavedClip): Static<typeof CLIP_WITH_DETAILS_SCHEMA> {
  const body = clip.body as KnownClipBody;
  return {
    ...savedClipAnswer(clip),
    boundingBoxes: answeredBoxes(body.boundingBoxes),
    seekPoints: answeredSeekPoints(body.seekPoints),
  };
}
