/** Groups of clips that are shared by link, as they are returned (docs/spec/types.md#sharedclipgroupwrapperv2). */

import { type Static, Type } from 'typebox';
import type { ClipGroup } from '../../clips/clip-groups.ts';
import type { SavedClip } from '../../events/saved-clips.ts';
import { answeredFields, nullableFields } from '../../http/fields/field-groups.ts';
import { int64, listOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { MAX_GROUP_ITEMS } from '../../sharing/shared-group-service.ts';
import { answeredRecordList, answeredSeekPoints, SEEK_POINT_FIELDS } from '../types/detection-type.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { ANSWERED_GROUP_FIELDS, groupAnswer } from '../types/shared-group-fields.ts';
import { CLIP_DETAIL_FIELDS, EXAMPLE_CLIP, type KnownClipBody } from './saved-clip-type.ts';

export const GROUP_CLIPS = listOf(
  namedType('RuuidWrapper', {
    eventUuid: Type.Optional(ruuid('A saved clip.')),
    alertUuid: Type.Optional(ruuid('In place of `eventUuid`: the policy alert that was saved as the clip.')),
  }),
  'The clips, in the order in which viewers see them. One that is named twice counts once.',
  MAX_GROUP_ITEMS,
);

const { clipLocation, deviceUuidMap, durationSec, thumbnailLocation } = CLIP_DETAIL_FIELDS;
const CLIP_FIELDS = { clipLocation, deviceUuidMap, durationSec, thumbnailLocation };
const CLIP_TIME = int64('When its footage began, in epoch milliseconds.');

const { isSecured, ...GROUP_PROPERTIES } = ANSWERED_GROUP_FIELDS;
const SHARED_CLIPS = 'Its clips, in the order in which viewers see them, without those that were deleted.';

export const SHARED_CLIP_GROUP_SCHEMA = namedType('SharedClipGroupWrapperV2', {
  ...GROUP_PROPERTIES,
  isSecured,
  sharedClips: listOf(
    namedType('SharedClipV2', {
      uuid: ruuid('The clip.'),
      startTime: CLIP_TIME,
      ...nullableFields(CLIP_FIELDS),
    }),
    SHARED_CLIPS,
  ),
});

export const SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA = namedType('SharedClipGroupWithDetailsType', {
  ...GROUP_PROPERTIES,
  sharedClips: listOf(
    namedType('SharedClipWithDetailsType', {
      uuid: ruuid('The clip.'),
      startTime: CLIP_TIME,
      ...nullableFields(CLIP_FIELDS),
      description: plainText('Its description.'),
      seekPoints: answeredRecordList('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.'),
    }),
    SHARED_CLIPS,
  ),
});

export function sharedClipGroupAnswer(shared: ClipGroup): Static<typeof SHARED_CLIP_GROUP_SCHEMA> {
  return {
    ...groupAnswer(shared.group),
    sharedClips: shared.clips.map(clipAnswer),
  };
}

export function sharedClipGroupDetailsAnswer(
  shared: ClipGroup,
): Static<typeof SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA> {
  const { isSecured: _withoutThis, ...group } = groupAnswer(shared.group);
  return {
    ...group,
    sharedClips: shared.clips.map((clip) => ({
      ...clipAnswer(clip),
      description: clip.body.description ?? '',
      seekPoints: answeredSeekPoints((clip.body as KnownClipBody).seekPoints),
    })),
  };
}

function clipAnswer({ uuid, body }: SavedClip) {
  return { uuid, startTime: body.timestampMs, ...answeredFields(CLIP_FIELDS, body as KnownClipBody) };
}

export const EXAMPLE_CLIP_GROUP: ClipGroup = {
  group: {
    ...{ uuid: EXAMPLE_SHARE_UUID, orgUuid: EXAMPLE_CLIP.orgUuid, name: 'Dock, Tuesday' },
    ...{ parentUuid: null, secret: null },
    body: {
      ...{ kind: 'clip', description: '', itemUuids: [EXAMPLE_CLIP.uuid] },
      ...{ expiresAtSec: EXAMPLE_TIME_MS / 1_000 + 86_400, passwordHash: null, accessEpoch: 1 },
    },
    ...{ createdAtMs: EXAMPLE_TIME_MS, updatedAtMs: EXAMPLE_TIME_MS },
  },
  clips: [EXAMPLE_CLIP],
};
