/** Groups of saved clips that are shared by a link (docs/spec/types.md#sharedclipgroupwrapperv2). */

import { type Static, Type } from 'typebox';
import type { ClipGroup } from '../../clips/clip-groups.ts';
import { LongList } from '../../core/long-list.ts';
import type { SavedClip } from '../../events/saved-clips.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { nullableFields, responseFields } from '../../http/fields/field-groups.ts';
import { int32, int64, listOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { MAX_GROUP_ITEMS } from '../../sharing/shared-group-service.ts';
import { responseRecordList, responseSeekPoints, SEEK_POINT_FIELDS } from '../types/detection-type.ts';
import { EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { expectMayUnmask } from '../types/share-fields.ts';
import {
  EXAMPLE_GROUP_LINK,
  GROUP_DESCRIPTION,
  GROUP_FIELDS,
  GROUP_LINK_FIELDS,
  groupResponse,
  RESPONSE_GROUP_FIELDS,
  UNMASKED_FIELD,
} from '../types/shared-group-fields.ts';
import { CLIP_DETAIL_FIELDS, EXAMPLE_CLIP, type KnownClipBody } from './saved-clips.ts';

const GROUP_CLIPS = listOf(
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

const { isSecured, ...GROUP_PROPERTIES } = RESPONSE_GROUP_FIELDS;
const SHARED_CLIPS = 'Its clips, in the order in which viewers see them, without those that were deleted.';

const SHARED_CLIP_GROUP_SCHEMA = namedType('SharedClipGroupWrapperV2', {
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

const SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA = namedType('SharedClipGroupWithDetailsType', {
  ...GROUP_PROPERTIES,
  sharedClips: listOf(
    namedType('SharedClipWithDetailsType', {
      uuid: ruuid('The clip.'),
      startTime: CLIP_TIME,
      ...nullableFields(CLIP_FIELDS),
      description: plainText('Its description.'),
      seekPoints: responseRecordList('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.'),
    }),
    SHARED_CLIPS,
  ),
});

function sharedClipGroupResponse(shared: ClipGroup): Static<typeof SHARED_CLIP_GROUP_SCHEMA> {
  return {
    ...groupResponse(shared.group),
    sharedClips: shared.clips.map(clipResponse),
  };
}

function sharedClipGroupDetailsResponse(
  shared: ClipGroup,
): Static<typeof SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA> {
  const { isSecured: _withoutThis, ...group } = groupResponse(shared.group);
  return {
    ...group,
    sharedClips: shared.clips.map((clip) => ({
      ...clipResponse(clip),
      description: clip.body.description ?? '',
      seekPoints: responseSeekPoints((clip.body as KnownClipBody).seekPoints),
    })),
  };
}

function clipResponse({ uuid, body }: SavedClip) {
  return { uuid, startTime: body.timestampMs, ...responseFields(CLIP_FIELDS, body as KnownClipBody) };
}

const EXAMPLE_CLIP_GROUP: ClipGroup = {
  group: {
    uuid: EXAMPLE_SHARE_UUID,
    orgUuid: EXAMPLE_CLIP.orgUuid,
    name: 'Dock, Tuesday',
    parentUuid: null,
    secret: null,
    body: {
      kind: 'clip',
      description: '',
      itemUuids: [EXAMPLE_CLIP.uuid],
      expiresAtSec: EXAMPLE_TIME_MS / 1_000 + 86_400,
      passwordHash: null,
      accessEpoch: 1,
    },
    createdAtMs: EXAMPLE_TIME_MS,
    updatedAtMs: EXAMPLE_TIME_MS,
  },
  clips: [EXAMPLE_CLIP],
};

const getSharedClipGroupsV2 = defineEndpoint({
  path: '/api/event/getSharedClipGroupsV2',
  summary: 'Lists the shared groups of clips.',
  description: 'In the order in which they were created, including expired ones.',
  request: Type.Object({
    createdAfterMs: Type.Optional(
      int64('Start of the range of creation times, inclusive, in epoch milliseconds.', 0),
    ),
    createdBeforeMs: Type.Optional(
      int64('End of the range of creation times, exclusive, in epoch milliseconds.', 0),
    ),
  }),
  response: { sharedClipGroups: listOf(SHARED_CLIP_GROUP_SCHEMA, 'The groups.') },
  example: {
    request: { createdAfterMs: EXAMPLE_TIME_MS },
    response: { sharedClipGroups: [sharedClipGroupResponse(EXAMPLE_CLIP_GROUP)] },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }, { createdAfterMs, createdBeforeMs }) {
    const groups = await clipGroups.list(
      orgUuid,
      createdAfterMs ?? 0,
      createdBeforeMs ?? Number.MAX_SAFE_INTEGER,
      caller.actor.uuid,
    );
    return { sharedClipGroups: LongList.of(groups).map(sharedClipGroupResponse) };
  },
});

const getSharedClipGroupDetails = defineEndpoint({
  path: '/api/event/getSharedClipGroupDetails',
  summary: 'Reads one shared group of clips with what the clips show.',
  description: 'What is not known is absent.',
  request: Type.Object({ uuid: ruuid('The group.') }),
  response: { sharedClipGroup: SHARED_CLIP_GROUP_WITH_DETAILS_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_CLIP_GROUP.group.uuid },
    response: { sharedClipGroup: sharedClipGroupDetailsResponse(EXAMPLE_CLIP_GROUP) },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }, { uuid }) {
    const group = await clipGroups.find(orgUuid, uuid, caller.actor.uuid);
    return { sharedClipGroup: sharedClipGroupDetailsResponse(group) };
  },
});

const createSharedClipGroupV3 = defineEndpoint({
  path: '/api/event/createSharedClipGroupV3',
  summary: 'Shares clips by one link.',
  description:
    'The page behind the link lists the clips, plays them and lets viewers download them, until the link expires or ' +
    'the group is deleted. A clip can still be in the making: its page shows how far it is. Clips that were reported ' +
    'without their video cannot be shared. Deleting a clip takes it off the page.',
  repetition: 'once',
  request: Type.Object({
    uuids: GROUP_CLIPS,
    ...GROUP_FIELDS,
    ...UNMASKED_FIELD,
    description: GROUP_DESCRIPTION,
    expirationTimeSecs: Type.Optional(
      int32(
        'When the link ends: values below 1,000,000,000 are seconds from now, others epoch seconds. If absent, it ' +
          'never ends.',
      ),
    ),
  }),
  response: GROUP_LINK_FIELDS,
  example: {
    request: {
      uuids: [{ eventUuid: EXAMPLE_CLIP.uuid }],
      title: 'Dock, Tuesday',
      plaintextPassword: 'correct horse battery staple',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler(context, body) {
    const {
      orgUuid,
      services: { clipGroups },
    } = context;
    expectMayUnmask(context, body.showsUnmasked);
    const { uuids, plaintextPassword = '', ...request } = body;
    const wanted = {
      ...request,
      password: plaintextPassword,
      clips: uuids.map(({ eventUuid, alertUuid }) => ({
        ...(eventUuid === undefined ? {} : { clipUuid: eventUuid }),
        ...(alertUuid === undefined ? {} : { alertUuid }),
      })),
    };
    const group = await clipGroups.create(orgUuid, wanted, context.caller.actor.uuid);
    if (plaintextPassword !== '' && group.body.passwordHash === null) {
      context.warn('plaintextPassword is blank, so the group has none: anyone with its link can see it.');
    }
    return { uuid: group.uuid, shareUrl: clipGroups.pageUrl(group) };
  },
});

const updateSharedClipGroupV2 = defineEndpoint({
  path: '/api/event/updateSharedClipGroupV2',
  summary: 'Changes the title, the description, the password or the end of a shared group of clips.',
  description:
    'What is absent stays as it is; a blank `plaintextPassword` removes the password. The link stays the same. A ' +
    'changed password ends all current views and downloads.',
  repetition: 'same-outcome',
  request: Type.Object({
    sharedClipUuid: ruuid('The group.'),
    ...GROUP_FIELDS,
    description: GROUP_DESCRIPTION,
    expirationTimeSecs: Type.Optional(
      int32(
        'When the link ends: values below 1,000,000,000 are seconds from now, others epoch seconds. 0: it never ends.',
      ),
    ),
  }),
  response: GROUP_LINK_FIELDS,
  example: {
    request: { sharedClipUuid: EXAMPLE_GROUP_LINK.uuid, title: 'Dock and gate, Tuesday' },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler({ orgUuid, services: { clipGroups } }, body) {
    const { sharedClipUuid, plaintextPassword, expirationTimeSecs, title, description } = body;
    const group = await clipGroups.update(orgUuid, sharedClipUuid, {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(plaintextPassword === undefined ? {} : { password: plaintextPassword }),
      ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs: expirationTimeSecs || null }),
    });
    return { uuid: group.uuid, shareUrl: clipGroups.pageUrl(group) };
  },
});

const deleteSharedClipGroupV2 = defineEndpoint({
  path: '/api/event/deleteSharedClipGroupV2',
  summary: 'Deletes a shared group of clips.',
  description: 'Its link stops working right away, and current views and downloads end. The clips stay.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The group.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_GROUP_LINK.uuid }, response: {} },
  async handler({ orgUuid, services: { clipGroups } }, { uuid }) {
    await clipGroups.remove(orgUuid, uuid);
    return {};
  },
});

const createClipDownload = defineEndpoint({
  path: '/api/event/createClipDownload',
  summary: 'Returns an address from which clips can be saved for an hour.',
  description:
    'One clip of one camera is saved as MP4; otherwise, all files are in one ZIP archive, with a note (`case.txt`) that has ' +
    'the camera, site, time zone, first and last frame, size, and SHA-256 of each. Clips that are not complete are missing ' +
    'in it. With `?video=h264` added to the address, the MP4 is one that every device plays. Anyone who has the address can save the clips as long as it works; lists of shared groups do not contain it. ' +
    'Earlier addresses that have ended are removed.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    clipUuids: listOf(ruuid('A saved clip.'), 'The clips, in the order of their files.', MAX_GROUP_ITEMS),
    title: GROUP_FIELDS.title,
    description: GROUP_DESCRIPTION,
  }),
  response: {
    downloadUrl: plainText('The address.'),
    expirationTimeSecs: int32('When it ends, in epoch seconds.'),
  },
  example: {
    request: { clipUuids: [EXAMPLE_CLIP.uuid], title: 'Dock, Tuesday' },
    response: {
      downloadUrl: `${EXAMPLE_GROUP_LINK.shareUrl}/download`,
      expirationTimeSecs: EXAMPLE_TIME_MS / 1_000 + 3_600,
    },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }, { clipUuids, title, description }) {
    const wanted = {
      clips: clipUuids.map((clipUuid) => ({ clipUuid })),
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    };
    const group = await clipGroups.createDownload(orgUuid, wanted, caller.actor.uuid);
    return {
      downloadUrl: clipGroups.downloadUrl(group),
      expirationTimeSecs: group.body.expiresAtSec!,
    };
  },
});

export const SHARED_CLIP_GROUP_ENDPOINTS: readonly Endpoint[] = [
  getSharedClipGroupsV2,
  getSharedClipGroupDetails,
  createSharedClipGroupV3,
  updateSharedClipGroupV2,
  deleteSharedClipGroupV2,
  createClipDownload,
];
