/** Timelapses, and the groups of them that are shared by a link. */

import { type Static, Type } from 'typebox';
import { CLIP_ERRORS } from '../../clips/errors.ts';
import type { TimelapseGroup } from '../../clips/timelapse-groups.ts';
import { type ListedTimelapse, MAX_TIMELAPSE_DEVICES, MAX_TIMELAPSE_SEC } from '../../clips/timelapses.ts';
import { GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { MAX_GROUP_ITEMS } from '../../sharing/shared-group-service.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_TIMELAPSE_UUID,
} from '../types/examples.ts';
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

const STATES = ['INITIATED', 'INPROGRESS', 'COMPLETE', 'FAILED'] as const;

const TIMELAPSE_SOURCE_SCHEMA = namedType('TimelapseSource', {
  deviceUuid: deviceFacetUuid('Camera.'),
});

const STATUS_SCHEMA = namedType('TimelapseStatus', {
  state: oneOf(STATES, 'Whether its files are being written, are there, or could not be made.'),
  percentComplete: int32('How much of it is written. 100 only when it is complete.'),
});

const TIMELAPSE_CLIP_SCHEMA = namedType('TimelapseClipType', {
  clipUuid: ruuid('The timelapse.'),
  orgUuid: ruuid('The organization.'),
  title: nullable(plainText('Its title.')),
  description: nullable(plainText('Its description.')),
  sources: listOf(TIMELAPSE_SOURCE_SCHEMA, 'Its cameras. There is a file for each.'),
  videoStartTime: int64('When the time that it shows begins, in epoch milliseconds.'),
  videoStopTime: int64('When it ends, in epoch milliseconds.'),
  clipDuration: int32('How long the movie is, in seconds.'),
  clipFormat: oneOf(['MPEG'], 'It is an MP4.'),
  clipCreationTime: int64('When it was ordered, in epoch milliseconds.'),
  status: STATUS_SCHEMA,
  shared: flag('Whether a shared group has it, also one that has expired.'),
  skipNights: flag('The time from 20:00 to 06:00 at the camera is left out.'),
  skipWeekends: flag('Saturdays and Sundays at the camera are left out.'),
  skipNonBusinessHours: flag('Always false.'),
  drawTimestamp: flag('Always false.'),
  drawCameraDetails: flag('Always false.'),
  drawWatermark: flag('Always false.'),
});

function timelapseClipResponse(
  { timelapse, state, percent }: ListedTimelapse,
  shared: boolean,
): Static<typeof TIMELAPSE_CLIP_SCHEMA> {
  const { uuid, orgUuid, body, createdAtMs } = timelapse;
  return {
    clipUuid: uuid,
    orgUuid,
    title: body.title,
    description: body.description,
    sources: body.devices.map((deviceUuid) => ({ deviceUuid })),
    videoStartTime: body.startMs,
    videoStopTime: body.stopMs,
    clipDuration: body.durationSec,
    clipFormat: 'MPEG',
    clipCreationTime: createdAtMs,
    status: { state, percentComplete: percent },
    skipNights: body.skipsNights,
    skipWeekends: body.skipsWeekends,
    skipNonBusinessHours: false,
    drawTimestamp: false,
    drawCameraDetails: false,
    drawWatermark: false,
    shared,
  };
}

const EXAMPLE_TIMELAPSE_CLIP: Static<typeof TIMELAPSE_CLIP_SCHEMA> = {
  clipUuid: EXAMPLE_TIMELAPSE_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  title: 'A week of the roof',
  description: null,
  sources: [{ deviceUuid: EXAMPLE_CAMERA_UUID }],
  videoStartTime: EXAMPLE_TIME_MS,
  videoStopTime: EXAMPLE_TIME_MS + 604_800_000,
  clipDuration: 60,
  clipFormat: 'MPEG',
  clipCreationTime: EXAMPLE_TIME_MS + 604_800_000,
  status: { state: 'INPROGRESS', percentComplete: 40 },
  shared: false,
  skipNights: true,
  skipWeekends: false,
  skipNonBusinessHours: false,
  drawTimestamp: false,
  drawCameraDetails: false,
  drawWatermark: false,
};

const getTimelapseClips = defineEndpoint({
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
        timelapseClipResponse(each, shared.has(each.timelapse.uuid)),
      ),
    };
  },
});

const DEFAULT_DURATION_SEC = 120;
const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_FORMAT_LENGTH = 16;
/** Names of clients for an MP4. Clients that save it as a MOV can read it, too. */
const FORMATS: ReadonlySet<string> = new Set(['', 'mpeg', 'mp4', 'mov']);
const NOT_DRAWN = 'frames are copied as they were recorded';

const generateTimelapseClip = defineEndpoint({
  path: '/api/video/generateTimelapseClip',
  summary: 'Makes a timelapse of recordings.',
  description:
    'A movie of key frames of the recording, evenly over the time that was recorded, without audio. Gaps are left out. It ' +
    'has at most 30 frames per second, and fewer if the recording has fewer key frames; if less was recorded than it would ' +
    'be long, it is shorter. The timelapse is listed immediately and made in the background: ' +
    '`/api/video/getTimelapseClips` says how far it has come. It fails if one of the cameras has no recording of the ' +
    'time. `/api/video/retrySplice` makes it again.',
  repetition: 'once',
  request: Type.Object({
    deviceUuids: listOf(
      deviceFacetUuid('Camera.'),
      `The cameras, at most ${MAX_TIMELAPSE_DEVICES}. The timelapse has a file for each.`,
      MAX_TIMELAPSE_DEVICES,
    ),
    startTime: int64('When the time begins, in epoch milliseconds.', 0, MAX_TIME_MS),
    stopTime: int64(
      'When it ends, in epoch milliseconds, at most 366 days later. It can be in the future: the timelapse is made once ' +
        'that is recorded.',
      0,
      MAX_TIME_MS,
    ),
    videoDuration: Type.Optional(
      int32(`How long the movie is, in seconds. Default ${DEFAULT_DURATION_SEC}.`, 1, MAX_TIMELAPSE_SEC),
    ),
    skipNights: Type.Optional(flag('Leaves out the time from 20:00 to 06:00, where the camera is.')),
    skipWeekends: Type.Optional(flag('Leaves out Saturdays and Sundays, where the camera is.')),
    title: Type.Optional(text('A title.')),
    description: Type.Optional(text('A description.', MAX_DESCRIPTION_LENGTH)),
    videoFormat: Type.Optional(
      text('`MPEG`, `.mp4` or `.mov`: the file is an MP4 in any case.', MAX_FORMAT_LENGTH),
    ),
    drawTimestamp: Type.Optional(ignored(flag('Draws the time into the frames.'), NOT_DRAWN)),
    drawCameraDetails: Type.Optional(
      ignored(flag('Draws the name of the camera into the frames.'), NOT_DRAWN),
    ),
  }),
  response: { clipUuid: ruuid('The timelapse.') },
  example: {
    request: {
      deviceUuids: [EXAMPLE_CAMERA_UUID],
      startTime: EXAMPLE_TIME_MS,
      stopTime: EXAMPLE_TIME_MS + 604_800_000,
      videoDuration: 60,
      skipNights: true,
      title: 'A week of the roof',
    },
    response: { clipUuid: EXAMPLE_TIMELAPSE_UUID },
  },
  async handler({ orgUuid, services }, body) {
    const { deviceUuids, startTime, stopTime, videoDuration, videoFormat = '' } = body;
    const { skipNights = false, skipWeekends = false, title = null, description = null } = body;
    if (!FORMATS.has(videoFormat.toLowerCase().replace('.', ''))) {
      throw new GatewayError(CLIP_ERRORS.TIMELAPSE_FORMAT_UNSUPPORTED);
    }
    const clipUuid = await services.clips.timelapses.generate(orgUuid, {
      devices: deviceUuids,
      startMs: startTime,
      stopMs: stopTime,
      durationSec: videoDuration ?? DEFAULT_DURATION_SEC,
      skipsNights: skipNights,
      skipsWeekends: skipWeekends,
      title,
      description,
    });
    return { clipUuid };
  },
});

const MAX_LIST_ENTRIES = 100;

const deleteTimelapseClips = defineEndpoint({
  path: '/api/video/deleteTimelapseClips',
  summary: 'Deletes timelapses with their files.',
  description: 'Also ends those that are being made. If one of them does not exist, none is deleted.',
  repetition: 'same-outcome',
  request: Type.Object({ clipUuids: listOf(ruuid('Timelapse.'), 'The timelapses.', MAX_LIST_ENTRIES) }),
  response: {},
  example: { request: { clipUuids: [EXAMPLE_TIMELAPSE_UUID] }, response: {} },
  async handler({ orgUuid, services }, { clipUuids }) {
    await services.clips.timelapses.remove(orgUuid, clipUuids);
    return {};
  },
});

/** A group of timelapses that is shared by link (docs/spec/types.md#sharedtimelapsegroupwrappertype). */
const SHARED_TIMELAPSE_GROUP_SCHEMA = namedType('SharedTimelapseGroupWrapperType', {
  ...RESPONSE_GROUP_FIELDS,
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

function sharedTimelapseGroupResponse({
  group,
  timelapses,
}: TimelapseGroup): Static<typeof SHARED_TIMELAPSE_GROUP_SCHEMA> {
  return {
    ...groupResponse(group),
    sharedTimelapses: timelapses.map(({ timelapse: { uuid, body } }) => ({
      uuid,
      sources: body.devices.map((deviceUuid) => ({ deviceUuid })),
      videoStartTime: body.startMs,
      videoStopTime: body.stopMs,
      clipDuration: body.durationSec,
      clipFormat: 'MPEG',
    })),
  };
}

const EXAMPLE_TIMELAPSE_GROUP: Static<typeof SHARED_TIMELAPSE_GROUP_SCHEMA> = {
  uuid: EXAMPLE_GROUP_LINK.uuid,
  orgUuid: EXAMPLE_ORG_UUID,
  title: 'The new roof',
  description: '',
  createdAtMillis: EXAMPLE_TIME_MS,
  expirationTimeSecs: null,
  isSecured: true,
  sharedTimelapses: [
    {
      uuid: EXAMPLE_TIMELAPSE_UUID,
      sources: [{ deviceUuid: EXAMPLE_CAMERA_UUID }],
      videoStartTime: EXAMPLE_TIME_MS,
      videoStopTime: EXAMPLE_TIME_MS + 604_800_000,
      clipDuration: 60,
      clipFormat: 'MPEG',
    },
  ],
};

const getSharedTimelapseGroups = defineEndpoint({
  path: '/api/video/getSharedTimelapseGroups',
  summary: 'Lists the shared groups of timelapses.',
  description: 'In the order in which they were created, including expired ones.',
  request: Type.Object({}),
  response: { sharedTimelapses: listOf(SHARED_TIMELAPSE_GROUP_SCHEMA, 'The groups.') },
  example: { request: {}, response: { sharedTimelapses: [EXAMPLE_TIMELAPSE_GROUP] } },
  async handler({ orgUuid, services }) {
    const groups = await services.timelapseGroups.list(orgUuid);
    return { sharedTimelapses: LongList.of(groups).map(sharedTimelapseGroupResponse) };
  },
});

const createSharedTimelapseGroup = defineEndpoint({
  path: '/api/video/createSharedTimelapseGroup',
  summary: 'Shares timelapses by one link.',
  description:
    'The page behind the link lists the timelapses, plays them and lets viewers download them, until the link expires ' +
    'or the group is deleted. A timelapse can still be in the making: its page shows how far it is. Deleting a ' +
    'timelapse takes it off the page.',
  repetition: 'once',
  request: Type.Object({
    timelapseUuids: listOf(
      ruuid('Timelapse.'),
      'The timelapses, in the order in which viewers see them. One that is named twice counts once.',
      MAX_GROUP_ITEMS,
    ),
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
      timelapseUuids: [EXAMPLE_TIMELAPSE_UUID],
      title: 'The new roof',
      plaintextPassword: 'correct horse battery staple',
      expirationTimeSecs: 86_400,
    },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    expectMayUnmask(context, body.showsUnmasked);
    const { timelapseUuids, plaintextPassword = '', ...request } = body;
    const group = await services.timelapseGroups.create(orgUuid, {
      ...request,
      itemUuids: timelapseUuids,
      password: plaintextPassword,
    });
    if (plaintextPassword !== '' && group.body.passwordHash === null) {
      context.warn('plaintextPassword is blank, so the group has none: anyone with its link can see it.');
    }
    return { uuid: group.uuid, shareUrl: services.timelapseGroups.pageUrl(group) };
  },
});

const applied = (field: string) => Type.Optional(flag(`Whether to apply \`${field}\`.`));

const updateSharedTimelapseGroup = defineEndpoint({
  path: '/api/video/updateSharedTimelapseGroup',
  summary: 'Changes the title, the description, the password or the end of a shared group of timelapses.',
  description:
    'A value counts only if its `…Update` flag is true; if the value is then absent, it is cleared: no password, no end. ' +
    'The link stays the same. A changed password ends all current views and downloads.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The group.'),
    ...GROUP_FIELDS,
    description: GROUP_DESCRIPTION,
    titleUpdate: applied('title'),
    descriptionUpdate: applied('description'),
    passwordUpdate: applied('plaintextPassword'),
    expirationTimeSecs: Type.Optional(
      int32(
        'When the link ends: values below 1,000,000,000 are seconds from now, others epoch seconds. 0: it never ends.',
      ),
    ),
    expirationTimeUpdate: applied('expirationTimeSecs'),
  }),
  response: GROUP_LINK_FIELDS,
  example: {
    request: { uuid: EXAMPLE_GROUP_LINK.uuid, title: 'The new roof, finished', titleUpdate: true },
    response: EXAMPLE_GROUP_LINK,
  },
  async handler({ orgUuid, services: { timelapseGroups } }, body) {
    const { uuid, title = null, description = null, plaintextPassword = null, expirationTimeSecs } = body;
    const group = await timelapseGroups.update(orgUuid, uuid, {
      ...(body.titleUpdate === true ? { title } : {}),
      ...(body.descriptionUpdate === true ? { description } : {}),
      ...(body.passwordUpdate === true ? { password: plaintextPassword } : {}),
      ...(body.expirationTimeUpdate === true ? { expirationTimeSecs: expirationTimeSecs || null } : {}),
    });
    return { uuid: group.uuid, shareUrl: timelapseGroups.pageUrl(group) };
  },
});

const deleteSharedTimelapseGroup = defineEndpoint({
  path: '/api/video/deleteSharedTimelapseGroup',
  summary: 'Deletes a shared group of timelapses.',
  description: 'Its link stops working right away, and current views and downloads end. The timelapses stay.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The group.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_GROUP_LINK.uuid }, response: {} },
  async handler({ orgUuid, services: { timelapseGroups } }, { uuid }) {
    await timelapseGroups.remove(orgUuid, uuid);
    return {};
  },
});

export const TIMELAPSE_ENDPOINTS: readonly Endpoint[] = [
  getTimelapseClips,
  generateTimelapseClip,
  deleteTimelapseClips,
  getSharedTimelapseGroups,
  createSharedTimelapseGroup,
  updateSharedTimelapseGroup,
  deleteSharedTimelapseGroup,
];
