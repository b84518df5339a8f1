/** Occupancy counts: how many people a device saw at one time. */

import { Type } from 'typebox';
import { deviceFacetUuid, int32 } from '../../http/fields/field-types.ts';
import { occupancyReportRules } from '../../reports/report-rules.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind, rowId, timeMs } from './define-ingest-kind.ts';

const MAX_OCCUPANCY = 1_000_000;

export const occupancyCounts = defineIngestKind({
  name: 'occupancyCounts',
  summary: 'Reports how many people devices see.',
  description:
    'Read by `/api/report/getOccupancyCountsV2`. The device can be a sensor that the gateway does not know. `id` is ' +
    'unique among the counts of the device and facet.',
  row: Type.Object({
    id: rowId('The count.'),
    deviceUuid: deviceFacetUuid('The device that counted.'),
    timestampMs: timeMs('When it counted.'),
    occupancy: int32('How many people were there.', 0, MAX_OCCUPANCY),
  }),
  example: { id: 'count-1', deviceUuid: EXAMPLE_CAMERA_UUID, timestampMs: EXAMPLE_TIME_MS, occupancy: 4 },
  rules: occupancyReportRules,
});
