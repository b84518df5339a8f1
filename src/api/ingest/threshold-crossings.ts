/** Threshold crossings: an object that crossed a line in a camera's view. */

import { Type } from 'typebox';
import { deviceFacetUuid, int32, oneOf } from '../../http/fields/field-types.ts';
import { crossingReportRules } from '../../reports/report-rules.ts';
import { CROSSING_DIRECTIONS, CROSSING_OBJECTS } from '../../store/crossing.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind, rowId, timeMs } from './define-ingest-kind.ts';

export const thresholdCrossings = defineIngestKind({
  name: 'thresholdCrossings',
  summary: 'Reports objects that crossed a threshold.',
  description:
    'Read by the reports under `/api/report/`. `id` is unique among the crossings of the device and facet; objects ' +
    'that the camera recognizes again keep their `objectId`, so that reports can leave out repetitions.',
  row: Type.Object({
    id: rowId('The crossing.'),
    deviceUuid: deviceFacetUuid('The camera that saw it.'),
    timestampMs: timeMs('When it crossed.'),
    crossingObject: oneOf(CROSSING_OBJECTS, 'What crossed.'),
    objectId: int32('The ID that the camera tracks it by.', 0),
    direction: oneOf(CROSSING_DIRECTIONS, 'Whether it came in or went out.'),
  }),
  example: {
    id: 'crossing-1',
    deviceUuid: EXAMPLE_CAMERA_UUID,
    timestampMs: EXAMPLE_TIME_MS,
    crossingObject: 'HUMAN',
    objectId: 17,
    direction: 'INGRESS',
  },
  rules: crossingReportRules,
});
