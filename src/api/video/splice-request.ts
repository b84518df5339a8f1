/** What spliceV2 and spliceV3 have in common. */

import { Type } from 'typebox';
import { MAX_SPLICE_DEVICES, MAX_SPLICE_SEC } from '../../clips/clips.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deviceFacetUuid, int32, int64, listOf, text } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;

export const SPLICE_FIELDS = {
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
};

export const SPLICE_EXAMPLE = {
  deviceUuids: [EXAMPLE_CAMERA_UUID],
  startTimeMillis: EXAMPLE_TIME_MS,
  durationSec: 60,
  title: 'Delivery at the dock',
};

export const SPLICE_DESCRIPTION =
  'The clip is copied from the recording, so it stays when the recording is deleted. It shows exactly the time that was ' +
  'asked for; gaps of the recording are left out. The clip is listed at once, with the status `INITIATING`, and made in ' +
  'the background: `/api/event/getClipWithProgress` says how far it has come. It fails if one of the cameras has no ' +
  'recording of the time.';
