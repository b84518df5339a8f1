/** Video walls and their shares (docs/spec/types.md#videowall). */

import { type Static, Type } from 'typebox';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  int64,
  listOf,
  MAX_NAME_LENGTH,
  MAX_PASSWORD_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { ignored, keptWithoutEffect } from '../../http/fields/no-effect.ts';
import {
  type ListedWall,
  MAX_WALL_CAMERAS,
  type VideoWallRequest,
} from '../../sharing/video-wall-service.ts';
import { MAX_UNSCHEDULED_MESSAGE_CHARS, type NewWallShareRequest } from '../../sharing/wall-share-service.ts';
import { AUTOMATIC_LAYOUT, type VideoWall, type WallShare } from '../../store/entities.ts';
import { mayShare } from '../types/caller-rights.ts';
import { changes } from '../types/changes.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_EXPIRY_SEC,
  EXAMPLE_ORG_UUID,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_WALL_UUID,
} from '../types/examples.ts';
import {
  behindPassword,
  expectMayUnmask,
  NO_SIGN_IN,
  SHOWN_VIEW,
  VIEW_PROPERTIES,
  VOD_DESCRIPTION,
} from '../types/share-fields.ts';
import { LAYOUT_INPUT, LAYOUT_SCHEMA } from '../types/wall-layout-fields.ts';
import { wallShareWarnings } from './wall-share-warnings.ts';

const OF_ALL =
  'walls belong to the organization: every person and key whose role allows it sees and changes each of them';
const SETTINGS = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'What clients store with it, at most 65,536 characters as JSON; the gateway does not read it.',
});

const VIDEO_WALL_PROPERTIES = {
  orgUuid: Type.Optional(ignored(ruuid('Its organization.'), 'it is the one that the request acts for')),
  displayName: Type.Optional(text('Its name, which viewers see.', MAX_NAME_LENGTH)),
  deviceList: Type.Optional(
    listOf(deviceFacetUuid('Camera.'), 'Its cameras, in the order of their tiles.', MAX_WALL_CAMERAS),
  ),
  settings: Type.Optional(SETTINGS),
  layout: Type.Optional(LAYOUT_INPUT),
  shared: Type.Optional(keptWithoutEffect(flag('Whether other users see it.'), OF_ALL)),
  othersCanEdit: Type.Optional(keptWithoutEffect(flag('Whether other users can change it.'), OF_ALL)),
  ownerUserUuid: Type.Optional(keptWithoutEffect(ruuid('The user whom it belongs to.'), OF_ALL)),
};

const NEW_VIDEO_WALL_SCHEMA = namedType('NewVideoWall', {
  uuid: Type.Optional(ignored(ruuid('The wall.'), 'the gateway chooses the UUID of a new wall')),
  ...VIDEO_WALL_PROPERTIES,
});

const CHANGED_VIDEO_WALL_SCHEMA = namedType('ChangedVideoWall', {
  uuid: ruuid('The wall.'),
  ...VIDEO_WALL_PROPERTIES,
});

const VIDEO_WALL_SUMMARY_SCHEMA = namedType('VideoWallSummary', {
  uuid: ruuid('The wall.'),
  orgUuid: ruuid('Its organization.'),
  displayName: plainText('Its name.'),
  deviceList: listOf(deviceFacetUuid('Camera.'), 'Its cameras, in the order of their tiles.'),
  settings: SETTINGS,
  layout: LAYOUT_SCHEMA,
  shared: flag('Whether other users see it.'),
  othersCanEdit: flag('Whether other users can change it.'),
  ownerUserUuid: nullable(ruuid('The user whom it belongs to.')),
  numShares: int32('The number of its shares, including expired ones.'),
  hiddenCameras: int32(
    'How many more cameras it has that the caller may not see. If it has any, the caller can watch the wall, but not change or share it.',
  ),
});

const DEVICE_SCHEDULE_PROPERTIES = {
  scheduleUuid: Type.Optional(ruuid('The schedule during which the camera is shown.')),
  invertSchedule: Type.Optional(flag('Hides the camera during the schedule and shows it otherwise.')),
  unscheduledMessage: Type.Optional(
    text('What viewers read on the tile while the camera is hidden.', MAX_UNSCHEDULED_MESSAGE_CHARS),
  ),
};

/** Fields of a new share of a wall. */
const NEW_WALL_SHARE_PROPERTIES = {
  videoWallUuid: ruuid('The wall.'),
  expirationTimeSecs: Type.Optional(
    int32(
      'When the share ends: values below 1,000,000,000 are seconds from now, others epoch seconds. If absent, it ' +
        'never ends.',
    ),
  ),
  password: Type.Optional(
    text('The password that viewers must enter; none if absent or blank.', MAX_PASSWORD_LENGTH),
  ),
  ...DEVICE_SCHEDULE_PROPERTIES,
  deviceScheduleMap: Type.Optional(
    mapOf(
      namedType('DeviceScheduleInput', DEVICE_SCHEDULE_PROPERTIES),
      'By DeviceFacetUuid of a camera of the wall: its own schedule, in place of the share’s.',
    ),
  ),
  vodEnabled: Type.Optional(flag(`${VOD_DESCRIPTION} Default false.`)),
  ...VIEW_PROPERTIES,
  ...NO_SIGN_IN,
};

/** The response to a creation: it has the names of a camera’s share. */
const CREATED_WALL_SHARE_PROPERTIES = {
  sharedLiveVideoStreamUuid: ruuid('The new share.'),
  sharedLiveVideoStreamUrl: plainText('The page for viewers.'),
};

const DEVICE_SCHEDULE_SCHEMA = namedType('DeviceSchedule', {
  scheduleUuid: nullable(ruuid('The schedule during which the camera is shown.')),
  invertSchedule: flag('Whether the schedule hides the camera instead.'),
  unscheduledMessage: nullable(plainText('What viewers read on the tile while the camera is hidden.')),
});

const SHARED_WALL_SCHEMA = namedType('SharedVideoWall', {
  uuid: ruuid('The share.'),
  orgUuid: ruuid('Its organization.'),
  videoWallUuid: ruuid('The wall.'),
  sharedVideoWallUrl: plainText('The page for viewers; empty for callers with the role `viewer`.'),
  timestampMs: int64('When the share was created, epoch milliseconds.'),
  expirationTime: nullable(
    int64('The first epoch second at which the share does not play; absent: it never ends.'),
  ),
  passwordProtected: flag('Whether viewers must enter a password.'),
  scheduleUuid: nullable(ruuid('The schedule during which its cameras are shown.')),
  invertSchedule: flag('Whether the schedule hides them instead.'),
  unscheduledMessage: nullable(plainText('What viewers read on the tile of a hidden camera.')),
  deviceScheduleMap: mapOf(DEVICE_SCHEDULE_SCHEMA, 'By camera: its own schedule, in place of the share’s.'),
  vodEnabled: flag('Whether to record the footage as a VOD.'),
  ...SHOWN_VIEW,
  hideOverlay: flag('Always false.'),
  permissionGroupUuid: nullable(ruuid('Always absent.')),
});

type SharedWallResponse = Static<typeof SHARED_WALL_SCHEMA>;
type VideoWallSummaryResponse = Static<typeof VIDEO_WALL_SUMMARY_SCHEMA>;

function videoWallRequest(given: Static<typeof NEW_VIDEO_WALL_SCHEMA>): VideoWallRequest {
  const { displayName, deviceList, settings, layout, shared, othersCanEdit, ownerUserUuid } = given;
  return {
    ...(displayName === undefined ? {} : { name: displayName }),
    ...(deviceList === undefined ? {} : { deviceList }),
    ...(settings === undefined ? {} : { settings }),
    ...(layout === undefined ? {} : { layout: { cells: [], tourSec: 0, ...layout } }),
    ...(shared === undefined ? {} : { isShared: shared }),
    ...(othersCanEdit === undefined ? {} : { othersCanEdit }),
    ...(ownerUserUuid === undefined ? {} : { ownerUserUuid }),
  };
}

function videoWallSummary({ wall, shares: numShares, hiddenCameras }: ListedWall): VideoWallSummaryResponse {
  return {
    uuid: wall.uuid,
    orgUuid: wall.orgUuid,
    displayName: wall.name,
    deviceList: wall.cameras.map(({ cameraUuid, facet }) =>
      facet === '' ? cameraUuid : `${cameraUuid}.${facet}`,
    ),
    settings: wall.settings,
    layout: { ...wall.layout, cells: [...wall.layout.cells] },
    shared: wall.isShared,
    othersCanEdit: wall.othersCanEdit,
    ownerUserUuid: wall.ownerUserUuid,
    numShares,
    hiddenCameras,
  };
}

type NewWallShareFields = Static<ReturnType<typeof Type.Object<typeof NEW_WALL_SHARE_PROPERTIES>>>;

function wallShareRequest(given: NewWallShareFields): NewWallShareRequest {
  const { videoWallUuid, deviceScheduleMap = {}, vodEnabled = false, ...rest } = given;
  return { ...rest, wallUuid: videoWallUuid, vodEnabled, deviceSchedules: deviceScheduleMap };
}

async function warnOfWallShare(
  context: CallContext,
  { password, vodEnabled }: Partial<Pick<NewWallShareFields, 'password' | 'vodEnabled'>>,
  share: WallShare,
): Promise<void> {
  for (const warning of wallShareWarnings(password === undefined ? {} : { password }, share))
    context.warn(warning);
  // Another change may be in force without the store, which this reads.
  if (vodEnabled === true) await warnOfRecording(context, share);
}

/** Creates a share, warns about fields without effect, and returns its URLs. */
async function createWallShare(
  context: CallContext,
  fields: NewWallShareFields,
): Promise<Static<ReturnType<typeof Type.Object<typeof CREATED_WALL_SHARE_PROPERTIES>>>> {
  const { orgUuid, services } = context;
  expectMayUnmask(context, fields.showsUnmasked);
  const share = await services.wallShares.create(orgUuid, wallShareRequest(fields));
  await warnOfWallShare(context, fields, share);
  return {
    sharedLiveVideoStreamUuid: share.uuid,
    sharedLiveVideoStreamUrl: services.wallShares.pageUrl(share),
  };
}

/** Like the warning for a camera's share. */
async function warnOfRecording(context: CallContext, { wallUuid }: WallShare): Promise<void> {
  const { orgUuid, services } = context;
  const { cameras } = await services.videoWalls.find(orgUuid, wallUuid);
  const forbidden = cameras.filter(
    ({ cameraUuid }) => services.cameraRecordings.get(cameraUuid)?.isForbidden === true,
  );
  if (forbidden.length === 0) return;
  const which = forbidden.map(({ cameraUuid }) => cameraUuid).join(', ');
  context.warn(
    `vodEnabled has no effect for these cameras, whose recording the configuration file turns off: ${which}.`,
  );
}

function sharedWallResponse(share: WallShare, pageUrl: string): SharedWallResponse {
  return {
    uuid: share.uuid,
    orgUuid: share.orgUuid,
    videoWallUuid: share.wallUuid,
    sharedVideoWallUrl: pageUrl,
    timestampMs: share.createdAtMs,
    expirationTime: share.expiresAtSec,
    passwordProtected: share.passwordHash !== null,
    scheduleUuid: share.scheduleUuid,
    invertSchedule: share.invertSchedule,
    unscheduledMessage: share.unscheduledMessage,
    deviceScheduleMap: { ...share.deviceSchedules },
    vodEnabled: share.vodEnabled,
    showsUnmasked: share.showsUnmasked,
    vodPastSecs: share.vodPastSec,
    vodExpirationTime: share.vodExpiresAtSec,
    hideOverlay: false,
    permissionGroupUuid: null,
  };
}

const EXAMPLE_VIDEO_WALL: VideoWall = {
  uuid: EXAMPLE_WALL_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Control room',
  cameras: [{ cameraUuid: EXAMPLE_CAMERA_UUID, facet: '', addedAtMs: EXAMPLE_TIME_MS }],
  layout: AUTOMATIC_LAYOUT,
  ownerUserUuid: null,
  othersCanEdit: false,
  isShared: false,
  settings: {},
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

const EXAMPLE_CREATED_WALL_SHARE = {
  sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID,
  sharedLiveVideoStreamUrl: 'https://media.example.com/wall/TOKEN',
};

const EXAMPLE_SHARED_WALL: SharedWallResponse = sharedWallResponse(
  {
    uuid: EXAMPLE_SHARE_UUID,
    orgUuid: EXAMPLE_ORG_UUID,
    wallUuid: EXAMPLE_WALL_UUID,
    vodEnabled: false,
    vodPastSec: null,
    vodExpiresAtSec: null,
    showsUnmasked: false,
    expiresAtSec: EXAMPLE_EXPIRY_SEC,
    scheduleUuid: null,
    invertSchedule: false,
    unscheduledMessage: null,
    deviceSchedules: {},
    passwordHash: null,
    accessEpoch: 1,
    createdAtMs: EXAMPLE_TIME_MS,
    updatedAtMs: EXAMPLE_TIME_MS,
  },
  EXAMPLE_CREATED_WALL_SHARE.sharedLiveVideoStreamUrl,
);

const getVideoWalls = defineEndpoint({
  path: '/api/camera/getVideoWalls',
  summary: 'Lists the video walls.',
  description:
    'In the order in which they were created. A caller who may see only some cameras of a wall gets those, and the number of the others.',
  request: Type.Object({}),
  response: {
    videoWalls: listOf(VIDEO_WALL_SUMMARY_SCHEMA, 'The walls.'),
    userNameMap: mapOf(plainText('Name.'), 'The owners who are people of the organization, by their UUID.'),
  },
  example: {
    request: {},
    response: {
      videoWalls: [videoWallSummary({ wall: EXAMPLE_VIDEO_WALL, shares: 1, hiddenCameras: 0 })],
      userNameMap: {},
    },
  },
  async handler({ orgUuid, services }) {
    const walls = await services.videoWalls.list(orgUuid);
    const owners = new Set(walls.flatMap(({ wall }) => wall.ownerUserUuid ?? []));
    const people = owners.size > 0 ? await services.people.list(orgUuid) : [];
    const named = people.filter(({ uuid }) => owners.has(uuid)).map(({ uuid, name }) => [uuid, name]);
    return {
      videoWalls: walls.map(videoWallSummary),
      userNameMap: Object.fromEntries(named),
    };
  },
});

const createVideoWall = defineEndpoint({
  path: '/api/camera/createVideoWall',
  summary: 'Creates a video wall.',
  description:
    'Up to 16 cameras that are watched together. `displayName` is required. No one can watch the wall before it is ' +
    'shared with `createSharedVideoWall`.',
  repetition: 'once',
  request: Type.Object({ videoWall: NEW_VIDEO_WALL_SCHEMA }),
  response: { uuid: ruuid('The new wall.') },
  example: {
    request: { videoWall: { displayName: 'Control room', deviceList: [EXAMPLE_CAMERA_UUID] } },
    response: { uuid: EXAMPLE_WALL_UUID },
  },
  async handler({ orgUuid, services }, { videoWall }) {
    const { uuid } = await services.videoWalls.create(orgUuid, videoWallRequest(videoWall));
    return { uuid };
  },
});

const updateVideoWalls = defineEndpoint({
  path: '/api/camera/updateVideoWalls',
  summary: 'Changes a video wall.',
  description:
    '`videoWall.uuid` names the wall. Absent fields stay as they are; lists and settings are replaced as a whole. A ' +
    'camera that is no longer in `deviceList` is cut off for everyone who has a link to the wall, and a new one ' +
    'appears on open pages within 15 seconds.',
  repetition: 'same-outcome',
  request: Type.Object({ videoWall: CHANGED_VIDEO_WALL_SCHEMA }),
  response: {},
  example: {
    request: { videoWall: { uuid: EXAMPLE_WALL_UUID, deviceList: [EXAMPLE_CAMERA_UUID] } },
    response: {},
  },
  async handler({ orgUuid, services }, { videoWall }) {
    await services.videoWalls.update(orgUuid, videoWall.uuid, videoWallRequest(videoWall));
    return {};
  },
});

const deleteVideoWall = defineEndpoint({
  path: '/api/camera/deleteVideoWall',
  summary: 'Deletes a video wall.',
  description:
    'Its shares end with it: their links stop working right away, and current viewers are cut off.',
  repetition: 'same-outcome',
  request: Type.Object({ uuid: ruuid('The wall.') }),
  response: {},
  example: { request: { uuid: EXAMPLE_WALL_UUID }, response: {} },
  async handler({ orgUuid, services }, { uuid }) {
    await services.videoWalls.remove(orgUuid, uuid);
    return {};
  },
});

const findSharedVideoWalls = defineEndpoint({
  path: '/api/camera/findSharedVideoWalls',
  summary: 'Lists the shares of a video wall.',
  description:
    'In the order in which they were created, including expired ones. Without a wall: those of all walls.',
  request: Type.Object({ videoWallUuid: Type.Optional(ruuid('The wall.')) }),
  response: { sharedVideoWalls: listOf(SHARED_WALL_SCHEMA, 'The shares.') },
  example: {
    request: { videoWallUuid: EXAMPLE_WALL_UUID },
    response: { sharedVideoWalls: [EXAMPLE_SHARED_WALL] },
  },
  async handler(context, { videoWallUuid }) {
    const { orgUuid, services } = context;
    const { wallShares } = services;
    const shares =
      videoWallUuid === undefined
        ? await wallShares.list(orgUuid)
        : await wallShares.listOfWall(orgUuid, videoWallUuid);
    const hasLinks = mayShare(context);
    return {
      sharedVideoWalls: shares.map((share) =>
        sharedWallResponse(share, hasLinks ? wallShares.pageUrl(share) : ''),
      ),
    };
  },
});

const createSharedVideoWall = defineEndpoint({
  path: '/api/camera/createSharedVideoWall',
  summary: 'Shares a video wall.',
  description:
    'One link for all cameras of the wall, without audio. Each camera follows the share’s schedule, or its own in ' +
    '`deviceScheduleMap`. Expiration, password and schedules work like those of a camera’s share.',
  repetition: 'once',
  request: Type.Object(NEW_WALL_SHARE_PROPERTIES),
  response: CREATED_WALL_SHARE_PROPERTIES,
  example: {
    request: { videoWallUuid: EXAMPLE_WALL_UUID, expirationTimeSecs: 86_400 },
    response: EXAMPLE_CREATED_WALL_SHARE,
  },
  handler: createWallShare,
});

const createProtectedSharedVideoWall = defineEndpoint({
  path: '/api/camera/createProtectedSharedVideoWall',
  summary: 'Shares a video wall behind a password.',
  ...behindPassword('createSharedVideoWall', NEW_WALL_SHARE_PROPERTIES, createWallShare),
  response: CREATED_WALL_SHARE_PROPERTIES,
  example: {
    request: { videoWallUuid: EXAMPLE_WALL_UUID, password: 'correct horse battery staple' },
    response: EXAMPLE_CREATED_WALL_SHARE,
  },
});

const { videoWallUuid: _videoWallUuid, ssoProtected, ...CHANGEABLE } = NEW_WALL_SHARE_PROPERTIES;
const WALL_SHARE_CHANGES = changes(CHANGEABLE);

/** Specific to Sluice, with the convention of the specification for changes (docs/spec/conventions.md#changes-by-flags). */
const updateSharedVideoWall = defineEndpoint({
  path: '/api/camera/updateSharedVideoWall',
  summary: 'Changes a shared video wall.',
  description:
    'A value counts if its `…Updated` flag is true. A flag without a value clears the setting: no password, no ' +
    'expiration, no schedule, no past. `deviceScheduleMap` is replaced as a whole. The link stays the same. A changed ' +
    'password ends all current views; a schedule that hides a camera ends the views of that camera.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    ...WALL_SHARE_CHANGES.properties,
    ssoProtected,
  }),
  response: { sharedVideoWall: SHARED_WALL_SCHEMA },
  example: {
    request: { uuid: EXAMPLE_SHARED_WALL.uuid, vodEnabled: true, vodEnabledUpdated: true },
    response: { sharedVideoWall: { ...EXAMPLE_SHARED_WALL, vodEnabled: true } },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const applied = WALL_SHARE_CHANGES.applied(body);
    expectMayUnmask(context, applied.showsUnmasked);
    const share = await services.wallShares.update(orgUuid, body.uuid, applied);
    const { password, vodEnabled } = body;
    const given = {
      ...(applied.password === undefined || password === undefined ? {} : { password }),
      vodEnabled: applied.vodEnabled === true && vodEnabled === true,
    };
    await warnOfWallShare(context, given, share);
    return { sharedVideoWall: sharedWallResponse(share, services.wallShares.pageUrl(share)) };
  },
});

const deleteSharedVideoWall = defineEndpoint({
  path: '/api/camera/deleteSharedVideoWall',
  summary: 'Deletes a share of a video wall.',
  description: 'Its link stops working right away, and current viewers are cut off. The wall stays.',
  repetition: 'same-outcome',
  request: Type.Object({
    uuid: ruuid('The share.'),
    videoWallUuid: Type.Optional(ruuid('Its wall; a share of another wall is not deleted.')),
  }),
  response: {},
  example: { request: { uuid: EXAMPLE_SHARE_UUID, videoWallUuid: EXAMPLE_WALL_UUID }, response: {} },
  async handler({ orgUuid, services: { wallShares } }, { uuid, videoWallUuid }) {
    if (videoWallUuid === undefined) await wallShares.remove(orgUuid, uuid);
    else await wallShares.removeOfWall(orgUuid, uuid, videoWallUuid);
    return {};
  },
});

export const VIDEO_WALL_ENDPOINTS: readonly Endpoint[] = [
  getVideoWalls,
  createVideoWall,
  updateVideoWalls,
  deleteVideoWall,
  findSharedVideoWalls,
  createSharedVideoWall,
  createProtectedSharedVideoWall,
  updateSharedVideoWall,
  deleteSharedVideoWall,
];
