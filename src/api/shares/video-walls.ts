/** Video walls (docs/spec/types.md#videowall). */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
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
import { AUTOMATIC_LAYOUT, type VideoWall } from '../../store/entities.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_WALL_UUID,
} from '../types/examples.ts';
import { LAYOUT_INPUT, LAYOUT_SCHEMA } from '../types/wall-layout-fields.ts';

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
  numOpenShares: int32('The number of its shares that have not expired. Specific to Sluice.'),
  hiddenCameras: int32(
    'How many more cameras it has that the caller may not see. If it has any, the caller can watch the wall, but not change or share it.',
  ),
});

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

function videoWallSummary({
  wall,
  shares: numShares,
  openShares: numOpenShares,
  hiddenCameras,
}: ListedWall): VideoWallSummaryResponse {
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
    numOpenShares,
    hiddenCameras,
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
      videoWalls: [
        videoWallSummary({ wall: EXAMPLE_VIDEO_WALL, shares: 1, openShares: 1, hiddenCameras: 0 }),
      ],
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

export const VIDEO_WALL_ENDPOINTS: readonly Endpoint[] = [
  getVideoWalls,
  createVideoWall,
  updateVideoWalls,
  deleteVideoWall,
];
