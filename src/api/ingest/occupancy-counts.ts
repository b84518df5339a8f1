/** Occupancy counts: how many people a device saw at one time. */

import { Type } from 'typebox';
import { deviceFacetUuid, int32 } from '../fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { nameText, reportName, rowId, timeMs } from './row-fields.ts';

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
  async known({ orgUuid, store }, rows) {
    const found = await store.occupancy.findAll(orgUuid, rows.map(reportName));
    const byName = new Map(found.map((count) => [nameText(count), count]));
    return rows.map((row) => {
      const count = byName.get(nameText(reportName(row)));
      return count === undefined ? null : { ...row, timestampMs: count.atMs, occupancy: count.count };
    });
  },
  store({ orgUuid, store }, rows) {
    return store.occupancy.add(
      orgUuid,
      rows.map((row) => ({ ...reportName(row), atMs: row.timestampMs, count: row.occupancy })),
    );
  },
});
