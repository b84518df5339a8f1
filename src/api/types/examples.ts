/** Identifiers that the examples of the OpenAPI document and of the reference page share. */

import { deriveRuuid } from '../../core/ruuid.ts';
import type { Share, VideoWall } from '../../store/entities.ts';
import { type SharedStreamAnswer, sharedStreamAnswer } from './share-fields.ts';
import { type SharedWallAnswer, sharedWallAnswer } from './wall-fields.ts';

export const EXAMPLE_ORG_UUID = deriveRuuid('example', 'organisation');
export const EXAMPLE_CAMERA_UUID = deriveRuuid('example', 'camera');
export const EXAMPLE_DOORBELL_UUID = deriveRuuid('example', 'doorbell camera');
export const EXAMPLE_NVR_UUID = deriveRuuid('example', 'nvr');
export const EXAMPLE_LOCATION_UUID = deriveRuuid('example', 'location');
export const EXAMPLE_CLIP_UUID = deriveRuuid('example', 'clip');
export const EXAMPLE_TIMELAPSE_UUID = deriveRuuid('example', 'timelapse');
export const EXAMPLE_SHARE_UUID = deriveRuuid('example', 'share');
export const EXAMPLE_WALL_UUID = deriveRuuid('example', 'video wall');
export const EXAMPLE_SCHEDULE_UUID = deriveRuuid('example', 'schedule');
export const EXAMPLE_TOKEN_UUID = deriveRuuid('example', 'API token');
export const EXAMPLE_CLIENT_ID = deriveRuuid('example', 'OAuth application');
export const EXAMPLE_LICENSE_UUID = deriveRuuid('example', 'licence');
export const EXAMPLE_GRANT_UUID = deriveRuuid('example', 'OAuth grant');

/** 2026-01-01T00:00Z. */
export const EXAMPLE_TIME_MS = 1_767_225_600_000;

/** 2026-02-01T00:00Z. */
const EXAMPLE_EXPIRY_SEC = 1_769_904_000;

const EXAMPLE_SHARE: Share = {
  uuid: EXAMPLE_SHARE_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  cameraUuid: EXAMPLE_CAMERA_UUID,
  cameraFacet: '',
  name: 'Front desk',
  streamType: 'USER',
  vodEnabled: false,
  includeAudio: true,
  audioGatewayUuid: null,
  ssoProtected: false,
  cdn: null,
  expiresAtSec: EXAMPLE_EXPIRY_SEC,
  scheduleUuid: null,
  invertSchedule: false,
  passwordHash: null,
  accessEpoch: 0,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

export const EXAMPLE_CREATED_SHARE = {
  sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID,
  sharedLiveVideoStreamUrl: 'https://media.example.com/share/TOKEN',
  sharedLiveM3U8StreamUrl: 'https://media.example.com/live/TOKEN/file.m3u8',
};

export const EXAMPLE_SHARED_STREAM: SharedStreamAnswer = sharedStreamAnswer(EXAMPLE_SHARE, {
  pageUrl: EXAMPLE_CREATED_SHARE.sharedLiveVideoStreamUrl,
  m3u8Url: EXAMPLE_CREATED_SHARE.sharedLiveM3U8StreamUrl,
});

export const EXAMPLE_VIDEO_WALL: VideoWall = {
  uuid: EXAMPLE_WALL_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  name: 'Control room',
  cameras: [{ cameraUuid: EXAMPLE_CAMERA_UUID, facet: '', addedAtMs: EXAMPLE_TIME_MS }],
  ownerUserUuid: null,
  othersCanEdit: false,
  isShared: false,
  settings: {},
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};

export const EXAMPLE_CREATED_WALL_SHARE = {
  sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID,
  sharedLiveVideoStreamUrl: 'https://media.example.com/wall/TOKEN',
};

export const EXAMPLE_SHARED_WALL: SharedWallAnswer = sharedWallAnswer(
  {
    ...{ uuid: EXAMPLE_SHARE_UUID, orgUuid: EXAMPLE_ORG_UUID, wallUuid: EXAMPLE_WALL_UUID },
    ...{ vodEnabled: false, expiresAtSec: EXAMPLE_EXPIRY_SEC, scheduleUuid: null, invertSchedule: false },
    ...{ unscheduledMessage: null, deviceSchedules: {}, passwordHash: null, accessEpoch: 1 },
    ...{ createdAtMs: EXAMPLE_TIME_MS, updatedAtMs: EXAMPLE_TIME_MS },
  },
  EXAMPLE_CREATED_WALL_SHARE.sharedLiveVideoStreamUrl,
);
