/** Shares of video walls (docs/spec/types.md#videowall). */

import { type Static, Type } from 'typebox';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  MAX_PASSWORD_LENGTH,
  mapOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { MAX_UNSCHEDULED_MESSAGE_CHARS, type NewWallShareRequest } from '../../sharing/wall-share-service.ts';
import type { WallShare } from '../../store/entities.ts';
import { mayShare } from '../types/caller-rights.ts';
import { changes } from '../types/changes.ts';
import {
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
import { wallShareWarnings } from './wall-share-warnings.ts';

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

type NewWallShareFields = Static<ReturnType<typeof Type.Object<typeof NEW_WALL_SHARE_PROPERTIES>>>;

function wallShareRequest(given: NewWallShareFields): NewWallShareRequest {
  const { videoWallUuid, deviceScheduleMap = {}, vodEnabled = false, ...rest } = given;
  return { ...rest, wallUuid: videoWallUuid, vodEnabled, deviceSchedules: deviceScheduleMap };
}

async function warnOfWallShare(
  context: CallContext,
  { password, vodEnabled }: { readonly password?: string | null; readonly vodEnabled?: boolean | null },
  share: WallShare,
): Promise<void> {
  for (const warning of wallShareWarnings(password ?? '', share)) context.warn(warning);
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

/** Like the warning for a camera's share. It reads the store, without which other changes can be in force. */
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
    await warnOfWallShare(context, applied, share);
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

export const WALL_SHARE_ENDPOINTS: readonly Endpoint[] = [
  findSharedVideoWalls,
  createSharedVideoWall,
  createProtectedSharedVideoWall,
  updateSharedVideoWall,
  deleteSharedVideoWall,
];
