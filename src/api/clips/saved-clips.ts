/** Saved clips, as reported and as returned (events/saved-clips.ts). */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { reportedClipUuid, type SavedClip, type SavedClipBody } from '../../events/saved-clips.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  type GivenFields,
  nullableFields,
  responseFields,
  responseFlags,
} from '../../http/fields/field-groups.ts';
import {
  deviceFacetUuid,
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { CAMERA_SIGNATURE_FIELDS, cameraSignatureResponse } from '../types/camera-signature.ts';
import { ALTER_MAP, CLIP_ACCESS_SETTINGS_SCHEMA, FISHEYE_MAP } from '../types/clip-fields.ts';
import {
  BOUNDING_BOX_FIELDS,
  type GivenBoundingBox,
  type GivenSeekPoint,
  responseBoxes,
  responseRecordList,
  responseSeekPoints,
  SEEK_POINT_FIELDS,
} from '../types/detection-type.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_LOCATOR_LENGTH = 2_048;
const MAX_LIST_ENTRIES = 100;

const STATUSES = [
  'INITIATING',
  'UPLOADING',
  'RENDERING',
  'FAILED',
  'COMPLETE',
  'OFFLINE',
  'DELETED',
  'UNKNOWN',
] as const;
const MOUNTING_DIRECTIONS = ['DOWN', 'UP', 'SIDEWAYS', 'UNKNOWN'] as const;

export const META_DATA_LOCATION_SCHEMA = namedType('MetaDataLocation', {
  region: Type.Optional(text('Region that stores it.')),
});

/** False unless reported otherwise. */
export const CLIP_FLAG_FIELDS = {
  analyzed: flag('Whether it was analyzed.'),
  consoleDelete: flag('Whether it was deleted manually.'),
  isMonitoringClip: flag('Whether it belongs to alarm monitoring.'),
  isVendorClip: flag('Whether it came from a vendor.'),
  sendToSharedStorage: flag('Whether to send it to shared storage.'),
};

/** Everything that a report can say besides identity, devices, time and detections. */
export const CLIP_DETAIL_FIELDS = {
  accessSettings: CLIP_ACCESS_SETTINGS_SCHEMA,
  alterMap: ALTER_MAP,
  byteCount: int64('Its size.', 0),
  clipLocation: META_DATA_LOCATION_SCHEMA,
  clipLocationV2: text('Where it is stored.', MAX_LOCATOR_LENGTH),
  description: text('A description.', MAX_DESCRIPTION_LENGTH),
  devicePresentationOrder: listOf(deviceFacetUuid('Device.'), 'How to show the devices.', MAX_LIST_ENTRIES),
  deviceUuidMap: mapOf(META_DATA_LOCATION_SCHEMA, 'Where the footage of each device is stored.'),
  durationSec: int32('Its length.', 0),
  fisheyeHardware: text('Model of the fisheye camera.'),
  fisheyeMap: FISHEYE_MAP,
  integrationUploadList: listOf(text('Integration.'), 'Integrations that receive it.', MAX_LIST_ENTRIES),
  mountingDirection: oneOf(MOUNTING_DIRECTIONS, 'How the camera is mounted.'),
  sha256Hex: text('SHA-256 of its bytes, in hexadecimal digits.', 64),
  sourceAlertUuid: ruuid('The policy alert that it was saved from.'),
  status: oneOf(STATUSES, 'Its status.'),
  thumbnailLocation: META_DATA_LOCATION_SCHEMA,
  thumbnailLocationV2: text('Where its image is stored.', MAX_LOCATOR_LENGTH),
  title: text('Its title.'),
  userUuid: ruuid('Who saved it.'),
  videoResolution: namedType('Resolution', {
    height: Type.Optional(int32('Height in pixels.', 0)),
    width: Type.Optional(int32('Width in pixels.', 0)),
  }),
};

/** A clip with everything that a report can say about it. */
export type KnownClipBody = SavedClipBody &
  GivenFields<typeof CLIP_FLAG_FIELDS> &
  GivenFields<typeof CLIP_DETAIL_FIELDS> & {
    readonly boundingBoxes?: readonly GivenBoundingBox[];
    readonly seekPoints?: readonly GivenSeekPoint[];
  };

const CLIP_SIGNATURE_SCHEMA = namedType('ClipSignatureType', {
  cameraUuid: ruuid('The camera.'),
  ...CAMERA_SIGNATURE_FIELDS,
});

export const SAVED_CLIP_PROPERTIES = {
  uuid: ruuid('The clip.'),
  orgUuid: ruuid('The organization.'),
  externalTransactionId: nullable(plainText('The ID under which it was reported.')),
  createdAtMs: int64('When it was saved, in epoch milliseconds.'),
  timestampMs: int64('When its footage began, in epoch milliseconds.'),
  deviceUuid: nullable(deviceFacetUuid('The first of its devices.')),
  deviceUuids: listOf(deviceFacetUuid('Device.'), 'The devices that it shows.'),
  ...CLIP_FLAG_FIELDS,
  cameraSignatures: nullable(
    listOf(
      CLIP_SIGNATURE_SCHEMA,
      'What cameras that sign their video signed in it. A field of Sluice.',
      MAX_LIST_ENTRIES,
    ),
  ),
  ...nullableFields(CLIP_DETAIL_FIELDS),
};

const SAVED_CLIP_SCHEMA = namedType('SavedClipV2', SAVED_CLIP_PROPERTIES);

export function savedClipResponse(clip: SavedClip): Static<typeof SAVED_CLIP_SCHEMA> {
  const body = clip.body as KnownClipBody;
  return {
    uuid: clip.uuid,
    orgUuid: clip.orgUuid,
    externalTransactionId: body.reportedId,
    createdAtMs: clip.createdAtMs,
    timestampMs: body.timestampMs,
    deviceUuid: body.deviceUuids[0] ?? null,
    deviceUuids: [...body.deviceUuids],
    cameraSignatures:
      body.cameraSignatures?.map(({ cameraUuid, ...signature }) => ({
        cameraUuid,
        ...cameraSignatureResponse(signature),
      })) ?? null,
    ...responseFlags(CLIP_FLAG_FIELDS, body),
    ...responseFields(CLIP_DETAIL_FIELDS, body),
  };
}

const EXAMPLE_BODY: KnownClipBody = {
  reportedId: 'clip-1',
  deviceUuids: [EXAMPLE_CAMERA_UUID],
  locationUuid: EXAMPLE_LOCATION_UUID,
  timestampMs: EXAMPLE_TIME_MS,
  durationSec: 30,
  title: 'Delivery at the dock',
  status: 'COMPLETE',
};

export const EXAMPLE_CLIP: SavedClip = {
  uuid: reportedClipUuid(EXAMPLE_ORG_UUID, 'clip-1'),
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Delivery at the dock',
  parentUuid: EXAMPLE_CAMERA_UUID,
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS + 60_000,
  updatedAtMs: EXAMPLE_TIME_MS + 60_000,
  body: EXAMPLE_BODY,
};

const getSavedClips = defineEndpoint({
  path: '/api/event/getSavedClips',
  summary: 'Lists all saved clips of the organization.',
  description:
    'The clips that were saved last come first, without private ones of others. `/api/event/getSavedClipsV2` returns them in pages, ' +
    'and `/api/event/getClipsWithProgress` finds some of them.',
  request: Type.Object({}),
  response: { savedClips: listOf(SAVED_CLIP_SCHEMA, 'The clips.') },
  example: { request: {}, response: { savedClips: [savedClipResponse(EXAMPLE_CLIP)] } },
  async handler({ orgUuid, caller, services }) {
    const clips = await services.savedClips.all(orgUuid, caller.actor.uuid);
    return { savedClips: clips.map(savedClipResponse) };
  },
});

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const getSavedClipsV2 = defineEndpoint({
  path: '/api/event/getSavedClipsV2',
  summary: 'Lists the saved clips of the organization.',
  description:
    'The clips that were saved last come first. To get the next page, send back `lastEvaluatedTimestampMs` as ' +
    '`pageTimestampMs`; it is absent on the last page. Clips saved in the same millisecond are never split, so a ' +
    'page can be somewhat longer than `maxPageSize`; it is shorter by private clips of others. Clips that are saved in the meantime are neither repeated nor ' +
    'hide others. Clips are created with `/api/video/spliceV3`, `/api/ingest/savedClips` and ' +
    '`/api/event/savePolicyAlertV2`.',
  request: Type.Object({
    maxPageSize: Type.Optional(
      int32(`Maximum number of clips. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE),
    ),
    pageTimestampMs: Type.Optional(
      int64('The `lastEvaluatedTimestampMs` of the previous page.', 0, MAX_TIME_MS),
    ),
  }),
  response: {
    savedClips: listOf(SAVED_CLIP_SCHEMA, 'The clips.'),
    lastEvaluatedTimestampMs: nullable(int64('Leads to the next page; absent on the last one.')),
  },
  example: {
    request: { maxPageSize: 100 },
    response: { savedClips: [savedClipResponse(EXAMPLE_CLIP)], lastEvaluatedTimestampMs: null },
  },
  async handler({ orgUuid, caller, services }, { maxPageSize = DEFAULT_PAGE_SIZE, pageTimestampMs = null }) {
    const reader = caller.actor.uuid;
    const { clips, nextMs } = await services.savedClips.page(orgUuid, pageTimestampMs, maxPageSize, reader);
    return { savedClips: clips.map(savedClipResponse), lastEvaluatedTimestampMs: nextMs };
  },
});

const CLIP_WITH_DETAILS_SCHEMA = namedType('SavedClipWithDetails', {
  ...SAVED_CLIP_PROPERTIES,
  boundingBoxes: responseRecordList('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.'),
  seekPoints: responseRecordList('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.'),
});

const getSavedClipDetails = defineEndpoint({
  path: '/api/event/getSavedClipDetails',
  summary: 'Reads one saved clip with what it shows.',
  description: 'What is not known is absent.',
  request: Type.Object({ clipUuid: ruuid('The clip.') }),
  response: { savedClip: CLIP_WITH_DETAILS_SCHEMA },
  example: {
    request: { clipUuid: EXAMPLE_CLIP.uuid },
    response: { savedClip: detailsResponse(EXAMPLE_CLIP) },
  },
  async handler({ orgUuid, caller, services }, { clipUuid }) {
    const clip = await services.savedClips.find(orgUuid, clipUuid, caller.actor.uuid);
    return { savedClip: detailsResponse(clip) };
  },
});

function detailsResponse(clip: SavedClip): Static<typeof CLIP_WITH_DETAILS_SCHEMA> {
  const body = clip.body as KnownClipBody;
  return {
    ...savedClipResponse(clip),
    boundingBoxes: responseBoxes(body.boundingBoxes),
    seekPoints: responseSeekPoints(body.seekPoints),
  };
}

const MAX_FILTER_ENTRIES = 500;
const getSavedClipCount = defineEndpoint({
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

const getClipGroupsForOrg = defineEndpoint({
  path: '/api/event/getClipGroupsForOrg',
  summary: 'Lists the names of the groups of clips.',
  description:
    'The groups are those that are shared by link: there are no others. `getSharedClipGroupsV2` also lists their clips.',
  request: Type.Object({}),
  response: {
    clipGroups: listOf(
      namedType('ClipGroup', {
        uuid: ruuid('The group.'),
        name: plainText('Its title.'),
        clipCount: int32('How many of its clips there are.', 0),
      }),
      'The groups, in the order in which they were created, including expired ones.',
    ),
  },
  example: {
    request: {},
    response: { clipGroups: [{ uuid: EXAMPLE_SHARE_UUID, name: 'Dock, Tuesday', clipCount: 1 }] },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }) {
    const groups = await clipGroups.list(orgUuid, 0, Number.MAX_SAFE_INTEGER, caller.actor.uuid);
    return {
      clipGroups: LongList.of(groups).map(({ group, clips }) => ({
        uuid: group.uuid,
        name: group.name,
        clipCount: clips.length,
      })),
    };
  },
});

const updateSavedClip = defineEndpoint({
  path: '/api/event/updateSavedClip',
  summary: 'Changes the title, the description or the access settings of a saved clip.',
  description:
    'What is absent stays as it is. If a clip that no one saved becomes private, it is the caller’s.',
  repetition: 'same-outcome',
  request: Type.Object({
    savedClipUuid: ruuid('The clip.'),
    title: Type.Optional(text('Its title.')),
    description: Type.Optional(text('Its description.', MAX_DESCRIPTION_LENGTH)),
    accessSettings: Type.Optional(CLIP_ACCESS_SETTINGS_SCHEMA),
  }),
  response: {},
  example: { request: { savedClipUuid: EXAMPLE_CLIP.uuid, title: 'Delivery at the dock' }, response: {} },
  async handler({ orgUuid, caller, services }, { savedClipUuid, title, description, accessSettings }) {
    const fields = {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(accessSettings === undefined ? {} : { accessSettings }),
    };
    await services.savedClips.update(orgUuid, savedClipUuid, fields, caller.actor.uuid);
    return {};
  },
});

const deleteSavedClip = defineEndpoint({
  path: '/api/event/deleteSavedClip',
  summary: 'Deletes a saved clip.',
  description:
    'The files of a clip that the gateway made are deleted; footage that is stored elsewhere stays there. A policy alert that was saved as this ' +
    'clip is no longer `saved`, and keeps its clip.',
  repetition: 'same-outcome',
  request: Type.Object({ savedClipUuid: ruuid('The clip.') }),
  response: {},
  example: { request: { savedClipUuid: EXAMPLE_CLIP.uuid }, response: {} },
  async handler({ orgUuid, caller, services }, { savedClipUuid }) {
    await services.savedClips.remove(orgUuid, savedClipUuid, caller.actor.uuid);
    return {};
  },
});

export const SAVED_CLIP_ENDPOINTS: readonly Endpoint[] = [
  getSavedClips,
  getSavedClipsV2,
  getSavedClipDetails,
  getSavedClipCount,
  getClipGroupsForOrg,
  updateSavedClip,
  deleteSavedClip,
];
