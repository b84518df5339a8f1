/** Saved clips: what recorders and integrations know about footage that they store. */

import { Type } from 'typebox';
import { savedClipReportRules } from '../../events/report-rules.ts';
import { MAX_SAVED_CLIPS } from '../../events/saved-clips.ts';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { deviceFacetUuid, listOf, ruuid } from '../../http/fields/field-types.ts';
import { CLIP_DETAIL_FIELDS, CLIP_FLAG_FIELDS } from '../clips/saved-clips.ts';
import { BOUNDING_BOX_FIELDS, givenRecords, SEEK_POINT_FIELDS } from '../types/detection-type.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { rowId, timeMs } from './row-fields.ts';

const MAX_CLIP_DEVICES = 100;

const CLIP_ROW = Type.Object({
  id: rowId('The clip.'),
  deviceUuids: listOf(
    deviceFacetUuid('Camera.'),
    `The cameras that it shows, at most ${MAX_CLIP_DEVICES}.`,
    MAX_CLIP_DEVICES,
  ),
  timestampMs: timeMs('When its footage began.'),
  locationUuid: Type.Optional(ruuid('The location; default: the location of the first camera.')),
  ...optionalFields(CLIP_FLAG_FIELDS),
  ...optionalFields(CLIP_DETAIL_FIELDS),
  boundingBoxes: Type.Optional(givenRecords('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.')),
  seekPoints: Type.Optional(givenRecords('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.')),
});

export const savedClips = defineIngestKind({
  name: 'savedClips',
  summary: 'Reports saved clips.',
  description:
    'Read by `/api/event/getSavedClipsV2`, `/api/event/getSavedClipDetails` and `/api/event/getSavedClipCount`. Rows ' +
    'describe footage that is stored elsewhere; the gateway does not serve it. `id` is unique among the ' +
    `organization’s clips. An organization can have at most ${MAX_SAVED_CLIPS.toLocaleString('en')}.`,
  row: CLIP_ROW,
  example: {
    id: 'clip-1',
    deviceUuids: [EXAMPLE_CAMERA_UUID],
    timestampMs: EXAMPLE_TIME_MS,
    durationSec: 30,
    title: 'Delivery at the dock',
    status: 'COMPLETE',
  },
  rules: savedClipReportRules,
});
