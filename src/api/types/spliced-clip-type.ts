/** A clip that is being made. */

import type { Static } from 'typebox';
import type { ClipInProgress } from '../../clips/clips.ts';
import type { SavedClipBody } from '../../events/saved-clips.ts';
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
} from '../../http/fields/field-types.ts';
import { CLIP_ACCESS_SETTINGS_SCHEMA } from './clip-access-type.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_CLIP_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from './examples.ts';

/** Clients show `segmentsUploaded` of `totalSegments`: the finest unit that is the same for every clip. */
const SEGMENTS = 100;

const DEVICE_PROGRESS_SCHEMA = namedType('SplicedClipProgress', {
  region: plainText('Where it is stored.'),
  segmentsUploaded: int32(`How much of its file is written, of \`totalSegments\`.`),
  totalSegments: int32('Always 100.'),
});

const STATUSES = ['INITIATING', 'UPLOADING'] as const;

export const SPLICED_CLIP_SCHEMA = namedType('SplicedClip', {
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

export function splicedClipAnswer({
  clip,
  job,
  devices,
}: ClipInProgress): Static<typeof SPLICED_CLIP_SCHEMA> {
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
    ...{ clipUuid: uuid, orgUuid, title: body.title ?? null, description: body.description ?? null },
    accessSettings: answeredSettings(body.accessSettings),
    userUuid: body.userUuid ?? null,
    ...{ deviceUuid: named[0]!, devicePresentationOrder: named, deviceMap, deviceUuidMap: deviceMap },
    duration: Math.round((job.body.toMs - job.body.fromMs) / 1_000),
    startTime: Math.floor(job.body.fromMs / 1_000),
    timestampMs: job.body.fromMs,
    status: segmentsUploaded > 0 ? 'UPLOADING' : 'INITIATING',
    statusUpdatedAtMs: updatedAtMs,
    ...{ segmentsUploaded, totalSegments: SEGMENTS * named.length },
    ...{ saveClip: true, isPolicyEvent: false, deleted: false },
  };
}

function answeredSettings(
  settings: SavedClipBody['accessSettings'],
): Static<typeof CLIP_ACCESS_SETTINGS_SCHEMA> | null {
  if (settings === undefined) return null;
  const { allowedUsers, ...rest } = settings;
  return { ...rest, ...(allowedUsers === undefined ? {} : { allowedUsers: [...allowedUsers] }) };
}

const EXAMPLE_PROGRESS = { region: 'local', segmentsUploaded: 40, totalSegments: SEGMENTS };

export const EXAMPLE_SPLICED_CLIP: Static<typeof SPLICED_CLIP_SCHEMA> = {
  ...{
    clipUuid: EXAMPLE_CLIP_UUID,
    orgUuid: EXAMPLE_ORG_UUID,
    title: 'Delivery at the dock',
    description: null,
  },
  accessSettings: null,
  userUuid: null,
  ...{ deviceUuid: EXAMPLE_CAMERA_UUID, devicePresentationOrder: [EXAMPLE_CAMERA_UUID] },
  ...{
    deviceMap: { [EXAMPLE_CAMERA_UUID]: EXAMPLE_PROGRESS },
    deviceUuidMap: { [EXAMPLE_CAMERA_UUID]: EXAMPLE_PROGRESS },
  },
  ...{ duration: 60, startTime: Math.floor(EXAMPLE_TIME_MS / 1_000), timestampMs: EXAMPLE_TIME_MS },
  ...{
    status: 'UPLOADING',
    statusUpdatedAtMs: EXAMPLE_TIME_MS + 60_000,
    segmentsUploaded: 40,
    totalSegments: SEGMENTS,
  },
  ...{ saveClip: true, isPolicyEvent: false, deleted: false },
};
