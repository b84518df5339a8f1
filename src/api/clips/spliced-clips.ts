/** Clips of recordings, and those that are being made. */

import { type Static, Type } from 'typebox';
import { type ClipInProgress, MAX_SPLICE_DEVICES, MAX_SPLICE_SEC } from '../../clips/clips.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { SavedClipBody } from '../../events/saved-clips.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
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
import { ignored } from '../../http/fields/no-effect.ts';
import {
  ALTER_MAP,
  CLIP_ACCESS_SETTINGS_SCHEMA,
  CLIP_VISIBILITIES,
  FISHEYE_MAP,
} from '../types/clip-fields.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_CLIP_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

/** Clients show `segmentsUploaded` of `totalSegments`: the finest unit that is the same for every clip. */
const SEGMENTS = 100;

const DEVICE_PROGRESS_SCHEMA = namedType('SplicedClipProgress', {
  region: plainText('Where it is stored.'),
  segmentsUploaded: int32(`How much of its file is written, of \`totalSegments\`.`),
  totalSegments: int32('Always 100.'),
});

const STATUSES = ['INITIATING', 'UPLOADING'] as const;

/** A clip that is being made. */
const SPLICED_CLIP_SCHEMA = namedType('SplicedClip', {
  clipUuid: ruuid('The clip.'),
  orgUuid: ruuid('The organization.'),
  title: nullable(plainText('Its title.')),
  description: nullable(plainText('Its description.')),
  accessSettings: nullable(CLIP_ACCESS_SETTINGS_SCHEMA),
  userUuid: nullable(ruuid('Who saved it.')),
  deviceUuid: deviceFacetUuid('The first of its cameras.'),
  devicePresentationOrder: listOf(deviceFacetUuid('Camera.'), 'Its cameras.'),
  deviceMap: mapOf(DEVICE_PROGRESS_SCHEMA, 'How far each camera has come.'),
  deviceUuidMap: mapOf(DEVICE_PROGRESS_SCHEMA, 'The same.'),
  duration: int32('Its length in seconds.'),
  startTime: int64('When it begins, in epoch seconds.'),
  timestampMs: int64('When it begins, in epoch milliseconds.'),
  status: oneOf(STATUSES, 'Whether its first file is being written.'),
  statusUpdatedAtMs: int64('When the clip was changed last, in epoch milliseconds.'),
  segmentsUploaded: int32('How much is written, of `totalSegments`.'),
  totalSegments: int32('100 per camera.'),
  saveClip: flag('Always true: each clip is saved.'),
  isPolicyEvent: flag('Always false.'),
  deleted: flag('Always false.'),
});

function splicedClipResponse({ clip, job, devices }: ClipInProgress): Static<typeof SPLICED_CLIP_SCHEMA> {
  const { body, orgUuid, uuid, updatedAtMs } = clip;
  const named = job.body.devices.map(({ device }) => device);
  const done = new Map(
    devices.map(({ device, doneBytes, totalBytes }) => [
      device,
      totalBytes === 0 ? 0 : Math.floor((SEGMENTS * doneBytes) / totalBytes),
    ]),
  );
  const deviceMap = Object.fromEntries(
    named.map((device) => [
      device,
      { region: 'local', segmentsUploaded: done.get(device) ?? 0, totalSegments: SEGMENTS },
    ]),
  );
  const segmentsUploaded = Object.values(deviceMap).reduce((sum, each) => sum + each.segmentsUploaded, 0);
  return {
    clipUuid: uuid,
    orgUuid,
    title: body.title ?? null,
    description: body.description ?? null,
    accessSettings: responseSettings(body.accessSettings),
    userUuid: body.userUuid ?? null,
    deviceUuid: named[0]!,
    devicePresentationOrder: named,
    deviceMap,
    deviceUuidMap: deviceMap,
    duration: Math.round((job.body.toMs - job.body.fromMs) / 1_000),
    startTime: Math.floor(job.body.fromMs / 1_000),
    timestampMs: job.body.fromMs,
    status: segmentsUploaded > 0 ? 'UPLOADING' : 'INITIATING',
    statusUpdatedAtMs: updatedAtMs,
    segmentsUploaded,
    totalSegments: SEGMENTS * named.length,
    saveClip: true,
    isPolicyEvent: false,
    deleted: false,
  };
}

function responseSettings(
  settings: SavedClipBody['accessSettings'],
): Static<typeof CLIP_ACCESS_SETTINGS_SCHEMA> | null {
  if (settings === undefined) return null;
  const { allowedUsers, ...rest } = settings;
  return { ...rest, ...(allowedUsers === undefined ? {} : { allowedUsers: [...allowedUsers] }) };
}

const EXAMPLE_PROGRESS = { region: 'local', segmentsUploaded: 40, totalSegments: SEGMENTS };

const EXAMPLE_SPLICED_CLIP: Static<typeof SPLICED_CLIP_SCHEMA> = {
  clipUuid: EXAMPLE_CLIP_UUID,
  orgUuid: EXAMPLE_ORG_UUID,
  title: 'Delivery at the dock',
  description: null,
  accessSettings: null,
  userUuid: null,
  deviceUuid: EXAMPLE_CAMERA_UUID,
  devicePresentationOrder: [EXAMPLE_CAMERA_UUID],
  deviceMap: { [EXAMPLE_CAMERA_UUID]: EXAMPLE_PROGRESS },
  deviceUuidMap: { [EXAMPLE_CAMERA_UUID]: EXAMPLE_PROGRESS },
  duration: 60,
  startTime: Math.floor(EXAMPLE_TIME_MS / 1_000),
  timestampMs: EXAMPLE_TIME_MS,
  status: 'UPLOADING',
  statusUpdatedAtMs: EXAMPLE_TIME_MS + 60_000,
  segmentsUploaded: 40,
  totalSegments: SEGMENTS,
  saveClip: true,
  isPolicyEvent: false,
  deleted: false,
};

const getSplicedClipsInProgress = defineEndpoint({
  path: '/api/video/getSplicedClipsInProgress',
  summary: 'Lists clips that are being made.',
  description: 'Oldest first. A clip that is complete or has failed is not among them.',
  request: Type.Object({}),
  response: { splicedClips: listOf(SPLICED_CLIP_SCHEMA, 'The clips.') },
  example: { request: {}, response: { splicedClips: [EXAMPLE_SPLICED_CLIP] } },
  async handler({ orgUuid, caller, services }) {
    return {
      splicedClips: (await services.clips.inProgress(orgUuid, caller.actor.uuid)).map(splicedClipResponse),
    };
  },
});

const getEventSplicedClipsInProgress = defineEndpoint({
  path: '/api/event/getSplicedClipsInProgress',
  summary: 'Lists clips that are being made, like `/api/video/getSplicedClipsInProgress`.',
  description: 'Oldest first. A clip that is complete or has failed is not among them.',
  request: Type.Object({}),
  response: { splicedClips: listOf(SPLICED_CLIP_SCHEMA, 'The clips.') },
  example: { request: {}, response: { splicedClips: [EXAMPLE_SPLICED_CLIP] } },
  async handler({ orgUuid, caller, services }) {
    return {
      splicedClips: (await services.clips.inProgress(orgUuid, caller.actor.uuid)).map(splicedClipResponse),
    };
  },
});

const getMaxSpliceDuration = defineEndpoint({
  path: '/api/video/getMaxSpliceDuration',
  summary: 'Tells how long a clip can be.',
  description: 'The limit of `spliceV2` and `spliceV3`.',
  request: Type.Object({}),
  response: { maxDuration: int32('In seconds.') },
  example: { request: {}, response: { maxDuration: MAX_SPLICE_SEC } },
  async handler() {
    return { maxDuration: MAX_SPLICE_SEC };
  },
});

const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_HEIGHT_PX = 99_999;

/** Fields that spliceV2 and spliceV3 share. */
const SPLICE_FIELDS = {
  deviceUuids: listOf(
    deviceFacetUuid('Camera.'),
    `The cameras, at most ${MAX_SPLICE_DEVICES}. The clip has a file for each.`,
    MAX_SPLICE_DEVICES,
  ),
  startTimeMillis: int64('When the clip begins, in epoch milliseconds.', 0, MAX_TIME_MS),
  durationSec: int32(
    `How long it is, at most ${MAX_SPLICE_SEC} seconds. It can end in the future: it is made once that is recorded.`,
    1,
    MAX_SPLICE_SEC,
  ),
  title: Type.Optional(text('A title.')),
  description: Type.Optional(text('A description.', MAX_DESCRIPTION_LENGTH)),
  maxHeight: Type.Optional(
    int32(
      'The highest picture, in pixels: the clip has the recorded stream that is no higher, or the lowest. Default: the main stream. ' +
        'Specific to Sluice.',
      1,
      MAX_HEIGHT_PX,
    ),
  ),
};

const SPLICE_EXAMPLE = {
  deviceUuids: [EXAMPLE_CAMERA_UUID],
  startTimeMillis: EXAMPLE_TIME_MS,
  durationSec: 60,
  title: 'Delivery at the dock',
};

const SPLICE_DESCRIPTION =
  'The clip is copied from the recording, so it stays when the recording is deleted. It shows exactly the time that was ' +
  'asked for; gaps of the recording are left out. The clip is listed immediately, with the status `INITIATING`, and made in ' +
  'the background: `/api/event/getClipWithProgress` says how far it has come. It fails if one of the cameras has no ' +
  'recording of the time.';

const spliceV2 = defineEndpoint({
  path: '/api/video/spliceV2',
  summary: 'Makes a clip of recordings.',
  description: SPLICE_DESCRIPTION,
  repetition: 'once',
  request: Type.Object({
    ...SPLICE_FIELDS,
    fisheyePresentationMap: Type.Optional(ignored(FISHEYE_MAP, 'the video is copied as it was recorded')),
  }),
  response: { clipUuid: ruuid('The clip.') },
  example: { request: SPLICE_EXAMPLE, response: { clipUuid: EXAMPLE_CLIP_UUID } },
  async handler(
    { orgUuid, caller, services },
    { deviceUuids, startTimeMillis, durationSec, title, description, maxHeight },
  ) {
    const clipUuid = await services.clips.splice(orgUuid, {
      userUuid: caller.actor.uuid,
      devices: deviceUuids,
      startMs: startTimeMillis,
      durationSec,
      hasAudio: true,
      maxHeightPx: maxHeight ?? null,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    });
    return { clipUuid };
  },
});

const NO_OTHER_STORAGE = 'clips are stored by the gateway alone';

const spliceV3 = defineEndpoint({
  path: '/api/video/spliceV3',
  summary: 'Makes a clip of recordings.',
  description: SPLICE_DESCRIPTION,
  repetition: 'once',
  request: Type.Object({
    ...SPLICE_FIELDS,
    audioIncluded: Type.Optional(flag('Whether the clip has the audio of the recordings. Default true.')),
    accessSettings: Type.Optional(CLIP_ACCESS_SETTINGS_SCHEMA),
    clipVisibility: Type.Optional(
      oneOf(CLIP_VISIBILITIES, 'Who can see it, unless `accessSettings` says so. Default ORG_WIDE.'),
    ),
    alteredViewMap: Type.Optional(ignored(ALTER_MAP, 'the video is copied as it was recorded')),
    integrationUploadMap: Type.Optional(
      ignored(mapOf(flag('Whether to send it.'), 'Integrations that receive it.'), NO_OTHER_STORAGE),
    ),
    saveToConsole: Type.Optional(ignored(flag('Whether to list the clip.'), 'each clip is listed')),
    sendToSharedStorage: Type.Optional(ignored(flag('Whether to store it elsewhere.'), NO_OTHER_STORAGE)),
    sendToUserStorage: Type.Optional(ignored(flag('Whether to store it elsewhere.'), NO_OTHER_STORAGE)),
  }),
  response: {
    clipUuid: ruuid('The clip.'),
    clipUuidList: listOf(ruuid('The clip.'), 'The same: a clip of several cameras is one clip.'),
  },
  example: {
    request: { ...SPLICE_EXAMPLE, audioIncluded: false },
    response: { clipUuid: EXAMPLE_CLIP_UUID, clipUuidList: [EXAMPLE_CLIP_UUID] },
  },
  async handler({ orgUuid, caller, services }, body) {
    const { deviceUuids, startTimeMillis, durationSec, title, description, audioIncluded = true } = body;
    const {
      maxHeight = null,
      clipVisibility,
      accessSettings = clipVisibility === undefined ? undefined : { visibility: clipVisibility },
    } = body;
    const clipUuid = await services.clips.splice(orgUuid, {
      userUuid: caller.actor.uuid,
      devices: deviceUuids,
      startMs: startTimeMillis,
      durationSec,
      hasAudio: audioIncluded,
      maxHeightPx: maxHeight,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(accessSettings === undefined ? {} : { accessSettings }),
    });
    return { clipUuid, clipUuidList: [clipUuid] };
  },
});

const retrySplice = defineEndpoint({
  path: '/api/video/retrySplice',
  summary: 'Makes a clip again that has failed.',
  description: 'Files of cameras that were complete are kept.',
  repetition: 'same-outcome',
  request: Type.Object({ clipUuid: ruuid('The clip.') }),
  response: {},
  example: { request: { clipUuid: EXAMPLE_CLIP_UUID }, response: {} },
  async handler({ orgUuid, caller, services }, { clipUuid }) {
    await services.clips.retry(orgUuid, clipUuid, caller.actor.uuid);
    return {};
  },
});

const MAX_LIST_ENTRIES = 100;

const cancelSpliceV2 = defineEndpoint({
  path: '/api/video/cancelSpliceV2',
  summary: 'Ends clips that are being made, and deletes them.',
  description:
    'Also deletes clips that have failed. A clip that is complete is not in progress: delete it with ' +
    '`/api/event/deleteSavedClip`.',
  repetition: 'same-outcome',
  request: Type.Object({
    clipUuid: Type.Optional(ruuid('The clip.')),
    clipUuidList: Type.Optional(listOf(ruuid('Clip.'), 'Further clips.', MAX_LIST_ENTRIES)),
    deviceUuids: Type.Optional(
      ignored(
        listOf(deviceFacetUuid('Camera.'), 'Cameras.', MAX_LIST_ENTRIES),
        'a clip ends with all of its cameras',
      ),
    ),
  }),
  response: {},
  example: { request: { clipUuid: EXAMPLE_CLIP_UUID }, response: {} },
  async handler({ orgUuid, caller, services }, { clipUuid, clipUuidList = [] }) {
    const clips = new Set([...(clipUuid === undefined ? [] : [clipUuid]), ...clipUuidList]);
    for (const clip of clips) await services.clips.cancel(orgUuid, clip, caller.actor.uuid);
    return {};
  },
});

export const SPLICED_CLIP_ENDPOINTS: readonly Endpoint[] = [
  getSplicedClipsInProgress,
  getEventSplicedClipsInProgress,
  getMaxSpliceDuration,
  spliceV2,
  spliceV3,
  retrySplice,
  cancelSpliceV2,
];
