/** POST /api/video/generateTimelapseClip: makes a timelapse of recordings. */

import { Type } from 'typebox';
import { CLIP_ERRORS } from '../../clips/errors.ts';
import { MAX_TIMELAPSE_DEVICES, MAX_TIMELAPSE_SEC } from '../../clips/timelapses.ts';
import { GatewayError } from '../../core/errors.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceFacetUuid, flag, int32, int64, listOf, ruuid, text } from '../../http/fields/field-types.ts';
import { ignored } from '../../http/fields/no-effect.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS, EXAMPLE_TIMELAPSE_UUID } from '../types/examples.ts';

const DEFAULT_DURATION_SEC = 120;
const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_FORMAT_LENGTH = 16;
/** What clients call an MP4. Those that save it as a MOV read it all the same. */
const FORMATS: ReadonlySet<string> = new Set(['', 'mpeg', 'mp4', 'mov']);
const NOT_DRAWN = 'frames are copied as they were recorded';

export const generateTimelapseClip = defineEndpoint({
  path: '/api/video/generateTimelapseClip',
  summary: 'Makes a timelapse of recordings.',
  description:
    'A movie of key frames of the recording, evenly over the time that was recorded, without audio. Gaps are left out. It ' +
    'has at most 30 frames per second, and fewer if the recording has fewer key frames; if less was recorded than it would ' +
    'be long, it is shorter. The timelapse is listed at once and made in the background: ' +
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
      ...{ startTime: EXAMPLE_TIME_MS, stopTime: EXAMPLE_TIME_MS + 604_800_000, videoDuration: 60 },
      ...{ skipNights: true, title: 'A week of the roof' },
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
      ...{ devices: deviceUuids, startMs: startTime, stopMs: stopTime },
      durationSec: videoDuration ?? DEFAULT_DURATION_SEC,
      ...{ skipsNights: skipNights, skipsWeekends: skipWeekends, title, description },
    });
    return { clipUuid };
  },
});
