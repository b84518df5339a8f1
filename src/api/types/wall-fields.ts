/** Fields of video walls and their shares that several endpoints take or return (docs/spec/types.md#videowall). */

import { type Static, Type } from 'typebox';
import type { CallContext } from '../../http/endpoint.ts';
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
import { MAX_WALL_CAMERAS, type VideoWallRequest } from '../../sharing/video-wall-service.ts';
import { MAX_UNSCHEDULED_MESSAGE_CHARS, type NewWallShareRequest } from '../../sharing/wall-share-service.ts';
import type { VideoWall, WallShare } from '../../store/entities.ts';
import { NO_SIGN_IN, VOD_DESCRIPTION } from './share-fields.ts';

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
  shared: Type.Optional(keptWithoutEffect(flag('Whether other users see it.'), OF_ALL)),
  othersCanEdit: Type.Optional(keptWithoutEffect(flag('Whether other users can change it.'), OF_ALL)),
  ownerUserUuid: Type.Optional(keptWithoutEffect(ruuid('The user whom it belongs to.'), OF_ALL)),
};

export const NEW_VIDEO_WALL_SCHEMA = namedType('NewVideoWall', {
  uuid: Type.Optional(ignored(ruuid('The wall.'), 'the gateway chooses the UUID of a new wall')),
  ...VIDEO_WALL_PROPERTIES,
});

export const CHANGED_VIDEO_WALL_SCHEMA = namedType('ChangedVideoWall', {
  uuid: ruuid('The wall.'),
  ...VIDEO_WALL_PROPERTIES,
});

export const VIDEO_WALL_SUMMARY_SCHEMA = namedType('VideoWallSummary', {
  uuid: ruuid('The wall.'),
  orgUuid: ruuid('Its organization.'),
  displayName: plainText('Its name.'),
  deviceList: listOf(deviceFacetUuid('Camera.'), 'Its cameras, in the order of their tiles.'),
  settings: SETTINGS,
  shared: flag('Whether other users see it.'),
  othersCanEdit: flag('Whether other users can change it.'),
  ownerUserUuid: nullable(ruuid('The user whom it belongs to.')),
  numShares: int32('The number of its shares, including expired ones.'),
});

const DEVICE_SCHEDULE_PROPERTIES = {
  scheduleUuid: Type.Optional(ruuid('The schedule during which the camera is shown.')),
  invertSchedule: Type.Optional(flag('Hides the camera during the schedule and shows it otherwise.')),
  unscheduledMessage: Type.Optional(
    text('What viewers read on the tile while the camera is hidden.', MAX_UNSCHEDULED_MESSAGE_CHARS),
  ),
};

/** What a share of a wall is created with. */
export const NEW_WALL_SHARE_PROPERTIES = {
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
  ...NO_SIGN_IN,
};

/** The response to a creation: it has the names of a camera’s share. */
export const CREATED_WALL_SHARE_PROPERTIES = {
  sharedLiveVideoStreamUuid: ruuid('The new share.'),
  sharedLiveVideoStreamUrl: plainText('The page for viewers.'),
};

const DEVICE_SCHEDULE_SCHEMA = namedType('DeviceSchedule', {
  scheduleUuid: nullable(ruuid('The schedule during which the camera is shown.')),
  invertSchedule: flag('Whether the schedule hides the camera instead.'),
  unscheduledMessage: nullable(plainText('What viewers read on the tile while the camera is hidden.')),
});

export const SHARED_WALL_SCHEMA = namedType('SharedVideoWall', {
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
  hideOverlay: flag('Always false.'),
  permissionGroupUuid: nullable(ruuid('Always absent.')),
});

export type SharedWallAnswer = Static<typeof SHARED_WALL_SCHEMA>;
export type VideoWallSummaryAnswer = Static<typeof VIDEO_WALL_SUMMARY_SCHEMA>;

export function videoWallRequest(given: Static<typeof NEW_VIDEO_WALL_SCHEMA>): VideoWallRequest {
  const { displayName, deviceList, settings, shared, othersCanEdit, ownerUserUuid } = given;
  return {
    ...(displayName === undefined ? {} : { name: displayName }),
    ...(deviceList === undefined ? {} : { deviceList }),
    ...(settings === undefined ? {} : { settings }),
    ...(shared === undefined ? {} : { isShared: shared }),
    ...(othersCanEdit === undefined ? {} : { othersCanEdit }),
    ...(ownerUserUuid === undefined ? {} : { ownerUserUuid }),
  };
}

export function videoWallSummary(wall: VideoWall, numShares: number): VideoWallSummaryAnswer {
  return {
    uuid: wall.uuid,
    orgUuid: wall.orgUuid,
    displayName: wall.name,
    deviceList: wall.cameras.map(({ cameraUuid, facet }) =>
      facet === '' ? cameraUuid : `${cameraUuid}.${facet}`,
    ),
    settings: wall.settings,
    shared: wall.isShared,
    othersCanEdit: wall.othersCanEdit,
    ownerUserUuid: wall.ownerUserUuid,
    numShares,
  };
}

type NewWallShareFields = Static<ReturnType<typeof Type.Object<typeof NEW_WALL_SHARE_PROPERTIES>>>;

function wallShareRequest(given: NewWallShareFields): NewWallShareRequest {
  const { videoWallUuid, deviceScheduleMap = {}, vodEnabled = false, ...rest } = given;
  return { ...rest, wallUuid: videoWallUuid, vodEnabled, deviceSchedules: deviceScheduleMap };
}

/** Warnings about what has no effect in a share that was created or changed. */
export async function warnOfWallShare(
  context: CallContext,
  fields: { readonly password?: string },
  share: WallShare,
): Promise<void> {
  for (const warning of wallShareWarnings(fields, share)) context.warn(warning);
  if (share.vodEnabled) await warnOfRecording(context, share);
}

/** Creates a share, warns about what has no effect, and says where it is. */
export async function createWallShare(
  context: CallContext,
  fields: NewWallShareFields,
): Promise<Static<ReturnType<typeof Type.Object<typeof CREATED_WALL_SHARE_PROPERTIES>>>> {
  const { orgUuid, services } = context;
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

export function sharedWallAnswer(share: WallShare, pageUrl: string): SharedWallAnswer {
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
    hideOverlay: false,
    permissionGroupUuid: null,
  };
}

/** Warnings about what has no effect. */
function wallShareWarnings(
  { password = '' }: { readonly password?: string },
  { passwordHash, invertSchedule, scheduleUuid, deviceSchedules }: WallShare,
): string[] {
  const warnings: string[] = [];
  if (password !== '' && passwordHash === null) {
    warnings.push('password is blank, so the share has none: anyone with its link can watch.');
  }
  if (invertSchedule && scheduleUuid === null) {
    warnings.push('invertSchedule is stored but has no effect without scheduleUuid.');
  }
  const idle = Object.values(deviceSchedules).some((own) => own.invertSchedule && own.scheduleUuid === null);
  if (idle) warnings.push('invertSchedule in deviceScheduleMap has no effect without its scheduleUuid.');
  return warnings;
}
