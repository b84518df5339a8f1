/** A timelapse, as it is listed. */

import type { Static } from 'typebox';
import type { ListedTimelapse } from '../../clips/timelapses.ts';
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
} from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
  EXAMPLE_TIMELAPSE_UUID,
} from './examples.ts';

const STATES = ['INITIATED', 'INPROGRESS', 'COMPLETE', 'FAILED'] as const;

export const TIMELAPSE_SOURCE_SCHEMA = namedType('TimelapseSource', {
  deviceUuid: deviceFacetUuid('Camera.'),
});

const STATUS_SCHEMA = namedType('TimelapseStatus', {
  state: oneOf(STATES, 'Whether its files are being written, are there, or could not be made.'),
  percentComplete: int32('How much of it is written. 100 only when it is complete.'),
});

export const TIMELAPSE_CLIP_SCHEMA = namedType('TimelapseClipType', {
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

export function timelapseClipAnswer(
  { timelapse, state, percent }: ListedTimelapse,
  shared: boolean,
): Static<typeof TIMELAPSE_CLIP_SCHEMA> {
  const { uuid, orgUuid, body, createdAtMs } = timelapse;
  return {
    ...{ clipUuid: uuid, orgUuid, title: body.title, description: body.description },
    sources: body.devices.map((deviceUuid) => ({ deviceUuid })),
    ...{ videoStartTime: body.startMs, videoStopTime: body.stopMs, clipDuration: body.durationSec },
    ...{ clipFormat: 'MPEG', clipCreationTime: createdAtMs, status: { state, percentComplete: percent } },
    ...{ skipNights: body.skipsNights, skipWeekends: body.skipsWeekends, skipNonBusinessHours: false },
    ...{ drawTimestamp: false, drawCameraDetails: false, drawWatermark: false },
    shared,
  };
}

export const EXAMPLE_TIMELAPSE_CLIP: Static<typeof TIMELAPSE_CLIP_SCHEMA> = {
  ...{ clipUuid: EXAMPLE_TIMELAPSE_UUID, orgUuid: EXAMPLE_ORG_UUID, title: 'A week of the roof' },
  ...{ description: null, sources: [{ deviceUuid: EXAMPLE_CAMERA_UUID }] },
  ...{ videoStartTime: EXAMPLE_TIME_MS, videoStopTime: EXAMPLE_TIME_MS + 604_800_000, clipDuration: 60 },
  ...{ clipFormat: 'MPEG', clipCreationTime: EXAMPLE_TIME_MS + 604_800_000 },
  ...{ status: { state: 'INPROGRESS', percentComplete: 40 }, shared: false },
  ...{ skipNights: true, skipWeekends: false, skipNonBusinessHours: false },
  ...{ drawTimestamp: false, drawCameraDetails: false, drawWatermark: false },
};
