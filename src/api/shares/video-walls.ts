/** Video walls and their shares (docs/spec/types.md#videowall). */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { listOf, mapOf, plainText, ruuid } from '../../http/fields/field-types.ts';
import { mayShare } from '../types/caller-rights.ts';
import { changes } from '../types/changes.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_CREATED_WALL_SHARE,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_SHARED_WALL,
  EXAMPLE_VIDEO_WALL,
  EXAMPLE_WALL_UUID,
} from '../types/examples.ts';
import { behindPassword } from '../types/share-fields.ts';
import {
  CHANGED_VIDEO_WALL_SCHEMA,
  CREATED_WALL_SHARE_PROPERTIES,
  createWallShare,
  NEW_VIDEO_WALL_SCHEMA,
  NEW_WALL_SHARE_PROPERTIES,
  SHARED_WALL_SCHEMA,
  sharedWallAnswer,
  VIDEO_WALL_SUMMARY_SCHEMA,
  videoWallRequest,
  videoWallSummary,
  warnOfWallShare,
} from '../types/wall-fields.ts';

const getVideoWalls = defineEndpoint({
  path: '/api/camera/getVideoWalls',
  summary: 'Lists the video walls.',
  description: 'In the order in which they were created.',
  request: Type.Object({}),
  response: {
    videoWalls: listOf(VIDEO_WALL_SUMMARY_SCHEMA, 'The walls.'),
    userNameMap: mapOf(plainText('Name.'), 'The owners who are people of the organization, by their UUID.'),
  },
  example: {
    request: {},
    response: { videoWalls: [videoWallSummary(EXAMPLE_VIDEO_WALL, 1)], userNameMap: {} },
  },
  async handler({ orgUuid, services }) {
    const walls = await services.videoWalls.list(orgUuid);
    const owners = new Set(walls.flatMap(({ wall }) => wall.ownerUserUuid ?? []));
    const people = owners.size > 0 ? await services.people.list(orgUuid) : [];
    const named = people.filter(({ uuid }) => owners.has(uuid)).map(({ uuid, name }) => [uuid, name]);
    return {
      videoWalls: walls.map(({ wall, shares }) => videoWallSummary(wall, shares)),
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
        sharedWallAnswer(share, hasLinks ? wallShares.pageUrl(share) : ''),
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
    const share = await services.wallShares.update(orgUuid, body.uuid, applied);
    await warnOfWallShare(context, applied.password === undefined ? {} : body, share);
    return { sharedVideoWall: sharedWallAnswer(share, services.wallShares.pageUrl(share)) };
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
